"""Agents through the service: versions, ownership, what is refused and what is told."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

import pytest

from pilothouse.base.actor import Actor
from pilothouse.base.work import Units, Work
from pilothouse.features import agents
from pilothouse.features.agents.documents import admit, read_document
from pilothouse.features.agents.events import AgentActivated, AgentDeleted, AgentFact, AgentSaved
from pilothouse.graph.catalogue import Catalogue
from pilothouse.graph.json_schema import as_object
from pilothouse.kit.ids import AgentId, new_id
from pilothouse.kit.json import JsonObject
from tests.features.agents.graphs import WEB_REQUEST, broken, greeter, node
from tests.features.agents.seen import ANY, On, Stale

Create: TypeAlias = Callable[..., Awaitable[agents.AgentGraph]]


@pytest.fixture
def create(units: Units, alice: Actor, catalogue: Catalogue) -> Create:
    async def created(graph: JsonObject | None = None) -> agents.AgentGraph:
        async with units.write(alice) as work:
            return await agents.create_agent(work, catalogue, graph or greeter(), "first")

    return created


@pytest.fixture
def save(units: Units, alice: Actor, catalogue: Catalogue) -> Create:
    async def saved(agent_id: str, graph: JsonObject, base: agents.Base = ANY) -> agents.AgentGraph:
        async with units.write(alice) as work:
            return await agents.save_agent(work, catalogue, AgentId(agent_id), graph, base)

    return saved


async def test_a_new_agent_is_version_one_in_canonical_form(create: Create, units: Units, alice: Actor):
    made = await create()

    async with units.read(alice) as read:
        found = await agents.get_agent(read, AgentId(made.id))
    assert found == made
    assert (found.version, found.active_version, found.newest_version, found.node_count) == (1, 1, 1, 4)
    assert (found.name, found.description) == ("Greeter", "Says hello.")
    assert found.graph["id"] == made.id
    assert found.input_schema["required"] == ["who"]
    assert as_object(found.output_schema["properties"]).keys() == {"greeting"}


async def test_a_version_never_changes_and_its_nodes_keep_their_ids(
    create: Create, save: Create, units: Units, alice: Actor
):
    """engine:R1, engine:A1, engine:A2"""
    made = await create(greeter(instructions="Be kind.", recommended_schedule_cron="0 9 * * 1-5"))
    for name in ("Second", "Third"):
        await save(made.id, greeter(name=name))
    async with units.read(alice) as read:
        first, *_, third = [await agents.get_version(read, AgentId(made.id), number) for number in (1, 2, 3)]
    assert (first.document, first.content_hash, first.author_id) == (made.document, made.content_hash, alice.user_id)
    assert first.by_autopilot is False
    assert (first.graph["instructions"], first.graph["recommended_schedule_cron"]) == ("Be kind.", "0 9 * * 1-5")
    assert first.created_at <= third.created_at
    assert [item["id"] for item in _nodes(first.graph)] == [item["id"] for item in _nodes(third.graph)]


async def test_saving_makes_a_new_active_version_and_says_so(create: Create, save: Create, facts: list[AgentFact]):
    made = await create()
    saved = await save(made.id, greeter("Bye {{ who }}"), On(1))

    assert (saved.version, saved.active_version, saved.newest_version) == (2, 2, 2)
    assert facts == [AgentSaved(made.id, made.user_id, 1), AgentSaved(made.id, made.user_id, 2)]


async def test_saving_what_is_there_already_makes_no_version(create: Create, save: Create, facts: list[AgentFact]):
    """engine:R1"""
    made = await create()
    assert await save(made.id, greeter()) == made
    assert len(facts) == 1


async def test_moving_a_node_is_kept_as_a_version_of_equal_hash(create: Create, save: Create):
    made = await create()
    moved = greeter()
    moved["nodes"] = [{**item, "position": [9, 9]} for item in _nodes(moved)]

    saved = await save(made.id, moved)
    assert saved.version == 2
    assert saved.content_hash == made.content_hash
    assert {tuple(item["position"]) for item in _nodes(saved.graph)} == {(9, 9)}


async def test_a_stale_base_is_told_what_changed(create: Create, save: Create):
    """engine:P5"""
    made = await create()
    await save(made.id, greeter(name="Renamed"), On(1))

    with pytest.raises(Stale) as conflict:
        await save(made.id, greeter("Mine"), On(1))
    assert conflict.value.facts["current_version"] == 2
    assert conflict.value.facts["diff"] == {"metadata": {"name": {"from": "Greeter", "to": "Renamed"}}}


async def test_of_two_saves_at_once_on_one_base_one_wins(create: Create, save: Create):
    made = await create()
    saves = [save(made.id, greeter(f"Number {number}"), On(1)) for number in range(3)]
    ended = await asyncio.gather(*saves, return_exceptions=True)

    assert sorted(type(end).__name__ for end in ended) == ["AgentGraph", "Stale", "Stale"]


async def test_a_base_that_never_was_is_stale_too(create: Create, save: Create):
    made = await create()
    with pytest.raises(Stale) as conflict:
        await save(made.id, greeter("Mine"), On(7))
    assert conflict.value.facts["diff"] is None


async def test_a_graph_with_faults_is_refused_with_all_of_them_and_stores_nothing(
    units: Units, alice: Actor, catalogue: Catalogue
):
    """engine:V1, engine:V5"""
    with pytest.raises(agents.AgentInvalid) as refusal:
        async with units.write(alice) as work:
            await agents.create_agent(work, catalogue, broken())

    assert _codes(refusal.value.facts["issues"]) >= {"unknown_block", "unknown_out_pin", "unknown_node"}
    assert refusal.value.facts["valid"] is False
    async with units.read(alice) as read:
        assert await agents.list_agents(read, 10) == []


@pytest.mark.parametrize(
    "graph", [{"nodes": 3}, {"surprise": 1}, [], None, greeter(name="nul\x00"), greeter(description="\x00")]
)
def test_a_malformed_document_is_refused_as_such(catalogue: Catalogue, graph: Any):
    with pytest.raises(agents.AgentInvalid) as refusal:
        admit(read_document(graph), catalogue)
    assert _codes(refusal.value.facts["issues"]) == {"bad_document"}


async def test_the_active_version_moves_and_says_so(
    create: Create, save: Create, units: Units, alice: Actor, facts: list[AgentFact]
):
    """engine:R2: moving it is told as a fact, for whoever keeps a record."""
    made = await create()
    await save(made.id, greeter(name="Second"))
    async with units.write(alice) as work:
        back = await agents.set_active_version(work, AgentId(made.id), 1, On(2))

    assert (back.version, back.active_version, back.newest_version, back.name) == (1, 1, 2, "Greeter")
    assert facts[-1] == AgentActivated(made.id, made.user_id, version=1, previous=2)
    again = await save(made.id, greeter(name="Second"), On(1))
    assert (again.version, again.newest_version) == (2, 2)


async def test_a_rollback_is_a_new_version_with_the_old_content(
    create: Create, save: Create, units: Units, alice: Actor, catalogue: Catalogue
):
    """engine:R4"""
    made = await create()
    await save(made.id, greeter("Bye {{ who }}"))
    async with units.write(alice) as work:
        back = await agents.rollback_agent(work, catalogue, AgentId(made.id), 1)

    assert (back.version, back.active_version, back.content_hash) == (3, 3, made.content_hash)
    async with units.read(alice) as read:
        history = await agents.list_versions(read, AgentId(made.id), 10)
        diff = await agents.diff_versions(read, AgentId(made.id), 1, 3, positions=True)
    assert [(version.version, version.note) for version in history] == [
        (3, "Rollback to version 1"),
        (2, None),
        (1, "first"),
    ]
    assert diff == {}


async def test_versions_are_told_apart(create: Create, save: Create, units: Units, alice: Actor):
    made = await create()
    await save(made.id, greeter("Bye"))
    async with units.read(alice) as read:
        diff = await agents.diff_versions(read, AgentId(made.id), 1, 2)
        first = await agents.get_version(read, AgentId(made.id), 1)

    assert diff == {"nodes": {"changed": {"fill": {"inputs": {"format": {"from": "Hello {{ who }}!", "to": "Bye"}}}}}}
    assert (first.version, first.author_id, first.document) == (1, alice.user_id, made.document)


async def test_a_deleted_agent_is_gone_and_its_listeners_hear_of_it(
    create: Create, units: Units, alice: Actor, facts: list[AgentFact]
):
    """engine:R5: what hangs on it hears of it in the same transaction."""
    made = await create()
    with pytest.raises(Stale):
        async with units.write(alice) as work:
            await agents.delete_agent(work, AgentId(made.id), On(2))
    async with units.write(alice) as work:
        await agents.delete_agent(work, AgentId(made.id), On(1))

    assert facts[-1] == AgentDeleted(made.id, made.user_id)
    async with units.read(alice) as read:
        assert await agents.list_agents(read, 10) == []
        with pytest.raises(agents.AgentNotFound):
            await agents.get_agent(read, AgentId(made.id))


async def test_what_is_not_mine_is_not_there(
    create: Create, units: Units, alice: Actor, bob: Actor, catalogue: Catalogue
):
    mine = AgentId((await create()).id)
    verbs: list[Callable[[Work, AgentId], Awaitable[Any]]] = [
        lambda work, id: agents.get_agent(work, id),
        lambda work, id: agents.get_version(work, id, 1),
        lambda work, id: agents.list_versions(work, id, 10),
        lambda work, id: agents.diff_versions(work, id, 1, 1),
        lambda work, id: agents.validate_agent(work, catalogue, id),
        lambda work, id: agents.export_agent(work, catalogue, id),
        lambda work, id: agents.save_agent(work, catalogue, id, greeter("x"), ANY),
        lambda work, id: agents.set_active_version(work, id, 1, ANY),
        lambda work, id: agents.rollback_agent(work, catalogue, id, 1),
        lambda work, id: agents.delete_agent(work, id, ANY),
    ]
    for verb in verbs:
        for actor, agent_id in ((bob, mine), (alice, AgentId(new_id()))):
            with pytest.raises(agents.AgentNotFound):
                async with units.write(actor) as work:
                    await verb(work, agent_id)
    async with units.read(bob) as read:
        assert await agents.list_agents(read, 10) == []


async def test_agents_are_listed_newest_first_page_by_page(create: Create, units: Units, alice: Actor):
    ids = [(await create()).id for _ in range(3)]
    async with units.read(alice) as read:
        first = await agents.list_agents(read, 2)
        rest = await agents.list_agents(read, 2, first[-1].id)
    assert {agent.id for agent in (*first, *rest)} == set(ids)
    assert [agent.id for agent in (*first, *rest)] == sorted(ids, reverse=True)


async def test_validation_names_all_faults(units: Units, alice: Actor, catalogue: Catalogue):
    incomplete: JsonObject = {"nodes": [node("get", WEB_REQUEST)], "links": []}
    async with units.read(alice) as read:
        saving = await agents.validate_document(read, catalogue, incomplete, "save")
        running = await agents.validate_document(read, catalogue, incomplete, "run")
        asked = await agents.validate_document(read, catalogue, greeter(), "run", {"whom": 1})

    assert saving.valid
    assert [issue.severity for issue in saving.issues if issue.code == "required"] == ["warning"]
    assert not running.valid
    assert "url" in running.errors["get"]
    assert {issue.code for issue in asked.issues} == {"input_unknown", "input_missing"}


def _nodes(graph: Any) -> list[dict[str, Any]]:
    return sorted(graph["nodes"], key=lambda item: item["id"]) if "version" in graph else graph["nodes"]


def _codes(issues: Any) -> set[str]:
    return {issue["code"] for issue in issues}


async def test_a1_a_fork_says_where_it_comes_from(
    create: Create, save: Create, units: Units, alice: Actor, bob: Actor, catalogue: Catalogue
):
    """engine:A1: its first version does; later ones are its own"""
    origin = await create()
    async with units.write(alice) as work:
        fork = await agents.create_agent(work, catalogue, greeter(name="Fork"), forked_from=(origin.id, 1))
    await save(fork.id, greeter(name="Fork, changed"))
    async with units.read(alice) as read:
        newest, first = await agents.list_versions(read, AgentId(fork.id), 10)
        (plain,) = await agents.list_versions(read, AgentId(origin.id), 10)
    assert first.forked_from == {"agent_id": origin.id, "version": 1}
    assert (newest.forked_from, plain.forked_from) == (None, None)
    for actor, version, refusal in ((alice, 2, agents.VersionNotFound), (bob, 1, agents.AgentNotFound)):
        with pytest.raises(refusal):
            async with units.write(actor) as work:
                await agents.create_agent(work, catalogue, greeter(), forked_from=(origin.id, version))
