"""Agents inside agents, stored and handed on."""

from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from pilothouse.base.actor import Actor
from pilothouse.base.database import Database
from pilothouse.base.reader import PostgresReader, SqliteReader
from pilothouse.base.work import Units
from pilothouse.features import agents
from pilothouse.features.agents.children import find_stored
from pilothouse.features.agents.plans import Plans
from pilothouse.graph.catalogue import Catalogue
from pilothouse.graph.parse import parse
from pilothouse.kit.ids import AgentId, new_id
from pilothouse.kit.json import JsonObject, loads
from tests.features.agents.graphs import OUTPUT, SHORT_TEXT, greeter, link, node
from tests.features.agents.seen import ANY
from tests.graph.blocks import CATALOGUE as TOYS
from tests.graph.blocks import SUB, Raw


@pytest.fixture
def shelf(catalogue: Catalogue) -> Catalogue:
    """The installed blocks, and one that runs another agent."""
    return {**catalogue, SUB: TOYS[SUB]}


def runner(agent_id: str, version: int = 1, name: str = "Runner", **more: str) -> JsonObject:
    """Hands its input to a greeter and gives what that says."""
    runs: JsonObject = {"id": "greet", "block": SUB}
    runs["inputs"] = {"graph_id": agent_id, "graph_version": version, "inputs": {}, "input_schema": {}, **more}
    return {
        "format": "pilothouse.agent/1",
        "name": name,
        "nodes": [
            node("ask", SHORT_TEXT, name="person"),
            runs,
            node("out", OUTPUT, name="said"),
        ],
        "links": [link("ask", "result", "greet", "who"), link("greet", "greeting", "out", "value")],
    }


async def stored(units: Units, actor: Actor, shelf: Catalogue, graph: JsonObject) -> agents.AgentGraph:
    async with units.write(actor) as work:
        return await agents.create_agent(work, shelf, graph)


async def test_an_agent_is_saved_with_the_pins_of_its_child(units: Units, alice: Actor, shelf: Catalogue):
    """engine:A8"""
    kid = await stored(units, alice, shelf, greeter())
    made = await stored(units, alice, shelf, runner(kid.id))
    assert made.version == 1
    wrong = runner(kid.id)
    wrong["links"] = [link("ask", "result", "greet", "whom")]
    with pytest.raises(agents.AgentInvalid) as refusal:
        await stored(units, alice, shelf, wrong)
    assert told(refusal.value) == {("greet", "unknown_in_pin"), ("greet", "required")}


@pytest.mark.parametrize("version", [2, 0, 2**40])
async def test_a_version_that_is_not_there_is_missing(units: Units, alice: Actor, shelf: Catalogue, version: int):
    """engine:V2"""
    kid = await stored(units, alice, shelf, greeter())
    with pytest.raises(agents.AgentInvalid) as refusal:
        await stored(units, alice, shelf, runner(kid.id, version))
    assert ("greet", "sub_agent_missing") in told(refusal.value)


async def test_what_is_not_mine_is_missing(units: Units, alice: Actor, bob: Actor, shelf: Catalogue):
    """engine:V2"""
    kid = await stored(units, bob, shelf, greeter())
    for agent_id in (kid.id, new_id(), "no id", "nul\x00"):
        with pytest.raises(agents.AgentInvalid) as refusal:
            await stored(units, alice, shelf, runner(agent_id))
        assert ("greet", "sub_agent_missing") in told(refusal.value)


async def test_an_agent_cannot_come_to_run_itself(units: Units, alice: Actor, shelf: Catalogue):
    """engine:V2, engine:A8"""
    first = await stored(units, alice, shelf, greeter())
    second = await stored(units, alice, shelf, runner(first.id))
    graph: JsonObject = {**runner(second.id), "links": []}
    with pytest.raises(agents.AgentInvalid) as refusal:
        async with units.write(alice) as work:
            await agents.save_agent(work, shelf, AgentId(first.id), graph, ANY)
    assert ("greet/greet", "sub_agent_cycle") in told(refusal.value)


async def test_a_deleted_child_goes_on_for_those_that_pin_it(units: Units, alice: Actor, shelf: Catalogue):
    """engine:R1, engine:A8"""
    kid = await stored(units, alice, shelf, greeter())
    made = await stored(units, alice, shelf, runner(kid.id))
    async with units.write(alice) as work:
        await agents.delete_agent(work, AgentId(kid.id), ANY)
    async with units.read(alice) as read:
        assert (await agents.validate_agent(read, shelf, AgentId(made.id), level="run")).valid


async def test_a_file_brings_its_sub_agents_along(units: Units, alice: Actor, bob: Actor, shelf: Catalogue):
    """engine:X2"""
    kid = await stored(units, alice, shelf, greeter())
    async with units.write(alice) as work:
        await agents.save_agent(work, shelf, AgentId(kid.id), greeter("Bye {{ who }}"), ANY)
        await agents.save_agent(work, shelf, AgentId(kid.id), greeter("Ho {{ who }}"), ANY)
    middle = await stored(units, alice, shelf, runner(kid.id, 3, "Middle"))
    top = runner(kid.id, 2, "Top")
    top["nodes"] = [
        *nodes_of(top),
        node("deep", SUB, graph_id=middle.id, graph_version=1, inputs={"person": "Ada"}, input_schema={}),
    ]
    made = await stored(units, alice, shelf, top)

    file = await exported(units, alice, shelf, made.id)
    async with units.write(bob) as work:
        copy = await agents.import_agent(work, shelf, loads(file))
    again = await exported(units, bob, shelf, copy.stored.id)

    assert copy.coverage == agents.Coverage(nodes=4 + 3 + 4 + 4, supported=15, sub_agents=3, runnable=True)
    assert ids_in(again).isdisjoint(ids_in(file))
    assert without_ids(again) == without_ids(file)
    assert [part["version"] for part in parts_of(file)] == [1, 1, 2]
    async with units.read(bob) as read:
        names = {agent.name: agent.newest_version for agent in await agents.list_agents(read, 10)}
        assert (await agents.validate_agent(read, shelf, AgentId(copy.stored.id))).valid
    assert names == {"Top": 1, "Middle": 1, "Greeter": 2}


async def test_a_file_with_sub_agents_is_found_again_once_it_is_stored(units: Units, alice: Actor, shelf: Catalogue):
    """engine:X2"""
    kid = await stored(units, alice, shelf, greeter())
    file = loads(await exported(units, alice, shelf, (await stored(units, alice, shelf, runner(kid.id))).id))
    async with units.write(alice) as work:
        copy = (await agents.import_agent(work, shelf, file)).stored
    async with units.read(alice) as read:
        assert await find_stored(read, parse(file), shelf) == (copy.id, 1)
        other = parse({**as_dict(file), "name": "Another"})
        assert await find_stored(read, other, shelf) is None
    knot = runner("a", 1)
    knot["sub_agents"] = [{**runner("b", 1), "id": "a", "version": 1}, {**runner("a", 1), "id": "b", "version": 1}]
    async with units.read(alice) as read:
        assert await find_stored(read, parse(knot), shelf) is None


async def test_a_run_of_it_knows_what_lies_below(units: Units, alice: Actor, shelf: Catalogue, database: Database):
    """engine:V5: the plan of a run is judged by the same validator, sub-agents included."""
    kid = await stored(units, alice, shelf, greeter())
    made = await stored(units, alice, shelf, runner(kid.id))
    path = Path(str(database.engine.url.database))
    plain = database.engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
    reader = SqliteReader(path) if database.sqlite else PostgresReader(plain, size=2)
    planned = await Plans(reader, shelf).find(alice.user_id, made.id)
    await reader.close()
    assert planned.report.valid
    assert planned.children.keys() == {(kid.id, 1)}


async def test_an_export_names_no_owner_and_no_number_that_an_import_would_change(
    units: Units, alice: Actor, shelf: Catalogue
):
    """engine:X1, engine:X2"""
    kid = await stored(units, alice, shelf, greeter())
    made = await stored(units, alice, shelf, runner(kid.id, user_id=alice.user_id))
    async with units.write(alice) as work:
        moved = await agents.save_agent(work, shelf, AgentId(made.id), runner(kid.id, name="Second"), ANY)
    assert moved.version == 2
    file = await exported(units, alice, shelf, made.id, 1)
    assert alice.user_id in made.document
    assert alice.user_id not in file
    assert "version" not in as_dict(loads(file))


async def test_canaries_in_a_childs_fields_do_not_leave(units: Units, alice: Actor, shelf: Catalogue):
    """engine:X1"""
    graph = greeter()
    nodes_of(graph)[2]["inputs"] = {
        "format": "x",
        "credentials": "canary",
        "values": {"a": {"_credentials_id": "canary"}},
    }
    kid = await stored(units, alice, shelf, graph)
    made = await stored(units, alice, shelf, runner(kid.id))
    assert "canary" in kid.document
    assert "canary" not in await exported(units, alice, shelf, made.id)


async def test_a_child_without_an_identity_is_refused(units: Units, alice: Actor, shelf: Catalogue):
    """engine:V2"""
    with pytest.raises(agents.AgentInvalid) as refusal:
        await stored(units, alice, shelf, {**greeter(), "sub_agents": [greeter()]})
    assert told(refusal.value) == {("$agent", "bad_document")}


async def test_a_note_is_kept_by_export_and_diff(units: Units, alice: Actor, shelf: Catalogue):
    """engine:A7"""
    note = next(spec for spec in shelf.values() if spec.kind == "note")
    graph = greeter()
    graph["nodes"] = [*nodes_of(graph), node("why", note.id, text="Because.")]
    made = await stored(units, alice, shelf, graph)
    assert "Because." in await exported(units, alice, shelf, made.id)
    async with units.write(alice) as work:
        await agents.save_agent(work, shelf, AgentId(made.id), greeter(), ANY)
        gone = await agents.diff_versions(work, AgentId(made.id), 1, 2)
    assert [part["id"] for part in as_dict(gone["nodes"])["removed"]] == ["why"]


async def exported(units: Units, actor: Actor, shelf: Catalogue, agent_id: str, version: int | None = None) -> str:
    async with units.read(replace(actor)) as read:
        return (await agents.export_agent(read, shelf, AgentId(agent_id), version)).text


def told(refusal: agents.AgentInvalid) -> set[tuple[str, str]]:
    issues = cast(list[Raw], refusal.facts["issues"])
    return {(issue["node_id"], issue["code"]) for issue in issues}


def as_dict(value: object) -> Raw:
    return cast(Raw, value)


def nodes_of(graph: JsonObject) -> list[Raw]:
    return as_dict(graph)["nodes"]


def parts_of(file: str) -> list[Raw]:
    return sorted(as_dict(loads(file))["sub_agents"], key=lambda part: (part["name"] == "Greeter", part["version"]))


def ids_in(file: str) -> set[str]:
    body = as_dict(loads(file))
    return {body["id"], *(part["id"] for part in body["sub_agents"])}


def without_ids(file: str) -> str:
    """Each id replaced by its place in the file."""
    body = as_dict(loads(file))
    known = dict.fromkeys([body["id"], *(part["id"] for part in body["sub_agents"])])
    for number, agent_id in enumerate(known):
        file = file.replace(agent_id, f"agent-{number}")
    return file
