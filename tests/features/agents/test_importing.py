"""Agents from elsewhere: what is kept, what is told, and what becomes of blocks that are not installed."""

import random
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from sqlalchemy import func, select

from pilothouse.base.actor import Actor
from pilothouse.base.work import Units
from pilothouse.features import agents
from pilothouse.features.agents.models import AgentRow
from pilothouse.graph.catalogue import Catalogue
from pilothouse.kit.ids import AgentId
from pilothouse.kit.json import Json, JsonObject, loads
from tests.features.agents import graphs
from tests.features.agents.front import Front, open_front
from tests.features.agents.seen import ANY
from tests.graph import blocks
from tests.graph.autogpt_files import (
    CALCULATOR,
    INPUT,
    MISSING,
    OUTPUT,
    SUB,
    TEMPLATE,
    agent,
    doubler,
    link,
    node,
    sub_agent,
)
from tests.graph.autogpt_random import mutilated

CHILD = "0000aaaa-0000-4000-8000-000000000001"


def half_known() -> JsonObject:
    """An agent of which one block is not here, with links in and out of it."""
    nodes = [
        node("in", INPUT, name="n"),
        node("odd", MISSING, strength=3, credentials={"id": "x", "provider": "acme", "type": "api_key"}),
        node("out", OUTPUT, name="o"),
    ]
    wires = [link("in", "result", "odd", "what_#_ever"), link("odd", "made", "out", "value")]
    return agent("Half known", nodes, wires)


async def brought(units: Units, actor: Actor, catalogue: Catalogue, file: Json) -> agents.Imported:
    async with units.write(actor) as work:
        return await agents.import_agent(work, catalogue, file)


async def exported(units: Units, actor: Actor, catalogue: Catalogue, agent_id: str) -> str:
    async with units.read(actor) as read:
        return (await agents.export_agent(read, catalogue, AgentId(agent_id))).text


async def test_the_report_is_exactly_as_promised(units: Units, alice: Actor, catalogue: Catalogue):
    """engine:X6"""
    file = agent(
        "Whole",
        [sub_agent("sub", CHILD, 3, n=4), node("odd", MISSING), node("out", OUTPUT, name="o")],
        [link("sub", "twice", "out", "value"), link("sub", "thrice", "odd", "x")],
        sub_graphs=[{**doubler(CHILD), "user_id": "u"}],
    )
    report = (await brought(units, alice, catalogue, file)).coverage.to_json()
    assert report == {
        "nodes": 6,
        "supported": 5,
        "placeholders": [{"node_id": "odd", "block_id": MISSING}],
        "disabled": [],
        "changed": [
            {
                "node_id": "sub",
                "field": "graph_version",
                "from": 3,
                "to": 1,
                "reason": "This is the version that came with the file.",
            }
        ],
        "dropped": [
            {
                "node_id": "sub/$agent",
                "field": "user_id",
                "link": None,
                "reason": "An agent belongs to whoever imports it.",
            },
            {
                "node_id": "odd",
                "field": "x",
                "link": {"from": "sub", "out": "thrice", "to": "odd", "in": "x"},
                "reason": "Agent executor has no output 'thrice'.",
            },
        ],
        "credentials_needed": [],
        "sub_agents": 1,
        "runnable": False,
    }


async def test_a_placeholder_is_kept_saved_handed_on_and_refused_by_runs(
    units: Units, alice: Actor, bob: Actor, catalogue: Catalogue
):
    """engine:X5, engine:V2"""
    made = await brought(units, alice, catalogue, half_known())
    odd = cast(list[JsonObject], made.stored.graph["nodes"])[1]
    assert odd == {"id": "odd", "block": MISSING, "inputs": {"strength": 3}, "placeholder": True}
    assert len(cast(list[Json], made.stored.graph["links"])) == 2
    assert made.coverage.credentials_needed == ("acme",)

    async with units.read(alice) as read:
        report = await agents.validate_agent(read, catalogue, AgentId(made.stored.id), level="run")
    assert [(issue.node_id, issue.code, issue.severity) for issue in report.issues] == [
        ("odd", "unknown_block", "error")
    ]

    file = await exported(units, alice, catalogue, made.stored.id)
    assert "placeholder" not in file
    copy = await brought(units, bob, catalogue, loads(file))
    assert copy.coverage.placeholders == (("odd", MISSING),)
    assert await exported(units, bob, catalogue, copy.stored.id) == file.replace(made.stored.id, copy.stored.id)
    assert copy.stored.content_hash == made.stored.content_hash


async def test_an_agent_with_placeholders_goes_on_being_edited(units: Units, alice: Actor, catalogue: Catalogue):
    """engine:X5"""
    made = await brought(units, alice, catalogue, half_known())
    own = AgentId(made.stored.id)
    bare = cast(JsonObject, loads(await exported(units, alice, catalogue, own)))
    async with units.write(alice) as work:
        saved = await agents.save_agent(work, catalogue, own, {**bare, "name": "Renamed"}, ANY)
        ops: list[JsonObject] = [{"op": "set_input", "node": "odd", "field": "strength", "value": 4}]
        edited = await agents.edit_agent(work, catalogue, own, ops, ANY)
        assert edited.report.valid
        swap: list[JsonObject] = [{"op": "replace_block", "node": "odd", "block": TEMPLATE}]
        swapped = await agents.edit_agent(work, catalogue, own, swap, ANY, save=False)
        rolled = await agents.rollback_agent(work, catalogue, own, 1)
    assert (saved.version, edited.agent.version, rolled.version) == (2, 3, 4)
    assert cast(list[JsonObject], edited.agent.graph["nodes"])[1]["placeholder"] is True
    assert "placeholder" not in cast(list[JsonObject], swapped.agent.graph["nodes"])[1]

    stranger: Json = {**bare, "nodes": [*cast(list[Json], bare["nodes"]), graphs.node("more", MISSING)]}
    with pytest.raises(agents.AgentInvalid):
        async with units.write(alice) as work:
            await agents.save_agent(work, catalogue, own, stranger, ANY)
    with pytest.raises(agents.AgentInvalid):
        async with units.write(alice) as work:
            await agents.create_agent(work, catalogue, bare)


async def test_a_placeholder_works_once_its_block_is_there(units: Units, alice: Actor, catalogue: Catalogue):
    """engine:X5"""
    made = await brought(units, alice, catalogue, half_known())
    spec = blocks.block(MISSING, "Odd", {"what": {"type": "object"}, "strength": {"type": "integer"}}, {"made": {}})
    async with units.read(alice) as read:
        report = await agents.validate_agent(read, {**catalogue, MISSING: spec}, AgentId(made.stored.id), level="run")
    assert report.valid
    assert report.issues == []


async def test_an_input_that_is_a_placeholder_is_asked_for_once_its_block_is_there(
    units: Units, alice: Actor, catalogue: Catalogue, tmp_path: Path
):
    """engine:X5, engine:A5: what a version keeps of its inputs was read before the block came."""
    file = agent("Late", [node("in", MISSING, name="drive"), node("out", OUTPUT, name="o")], [])
    made = await brought(units, alice, catalogue, file)
    late = {**catalogue, MISSING: replace(catalogue[INPUT], id=MISSING)}
    for shelf, names in ((catalogue, set[str]()), (late, {"drive"})):
        async with open_front(units, shelf, tmp_path) as front, front.browser(alice) as browser:
            answer = await browser.get(f"/api/agents/{made.stored.id}", headers={"If-None-Match": '"v1"'})
            assert answer.status_code == 200
            assert answer.json()["input_schema"]["properties"].keys() == names


async def test_blocks_that_are_switched_off_are_told_apart(units: Units, alice: Actor, catalogue: Catalogue):
    """engine:X6, engine:X5"""
    off = {**catalogue, CALCULATOR: replace(catalogue[CALCULATOR], disabled=True, reason="Not here.")}
    file = agent("Sums", [sub_agent("sub", CHILD, n=1), node("odd", MISSING)], [], sub_graphs=[doubler(CHILD)])
    made = await brought(units, alice, off, file)
    assert made.coverage.disabled == (("sub/mul", CALCULATOR),)
    assert made.coverage.placeholders == (("odd", MISSING),)
    assert made.coverage.supported == 3
    async with units.read(alice) as read:
        now = await agents.validate_agent(read, off, AgentId(made.stored.id), level="run")
        later = await agents.validate_agent(read, catalogue, AgentId(made.stored.id), level="run")
    assert {issue.code for issue in now.issues} == {"disabled_block", "unknown_block"}
    assert {issue.code for issue in later.issues} == {"unknown_block"}


async def test_a_sub_agent_that_did_not_come_along_is_a_placeholder(units: Units, alice: Actor, catalogue: Catalogue):
    """engine:X5"""
    file = agent("Alone", [sub_agent("sub", CHILD, n=1), node("out", OUTPUT, name="o")], [])
    file["links"] = [link("sub", "whatever", "out", "value")]
    made = await brought(units, alice, catalogue, file)
    assert made.coverage.placeholders == (("sub", SUB),)
    async with units.read(alice) as read:
        report = await agents.validate_agent(read, catalogue, AgentId(made.stored.id), level="run")
    assert [issue.code for issue in report.issues if issue.severity == "error"] == ["sub_agent_missing"]


async def test_sub_agents_come_along_under_new_ids(units: Units, alice: Actor, catalogue: Catalogue):
    """engine:X2, engine:X4"""
    middle = {**agent("Middle", [sub_agent("deep", CHILD, n=2)], []), "id": "middle", "version": 4}
    file = agent("Top", [sub_agent("a", "middle", 4), sub_agent("b", CHILD, n=1)], [], sub_graphs=[middle, doubler()])
    made = await brought(units, alice, catalogue, file)
    assert made.coverage.runnable
    assert made.coverage.sub_agents == 2
    assert CHILD not in made.stored.document
    async with units.read(alice) as read:
        names = [agent.name for agent in await agents.list_agents(read, 10)]
        modes = await agents.get_agent_settings(read, AgentId(made.stored.id))
    assert sorted(names) == ["Doubler", "Middle", "Top"]
    assert modes.review_sensitive


async def test_secrets_that_are_laid_over_nodes_below_do_not_leave(units: Units, alice: Actor, catalogue: Catalogue):
    """engine:X1"""
    hook = "8fa8c167-2002-47ce-aba8-97572fc5d387"
    async with units.write(alice) as work:
        low = await agents.create_agent(work, catalogue, {"name": "Low", "nodes": [graphs.node("hook", hook)]})
        middle = await agents.create_agent(work, catalogue, {"name": "Mid", "nodes": [_runs("low", low.id)]})
        masks: JsonObject = {
            "low/hook": {"secret_token": "canary-1", "constants": {"a": 1}},
            "low": {"user_id": "canary-2", "credentials": {"id": "canary-3"}},
            "gone": {"secret_token": "canary-4", "x_credentials": "canary-5", "text": "stays"},
            "low/hook/x": {"deep": {"_credentials_id": "canary-6"}},
        }
        top: Json = {"name": "Top", "nodes": [_runs("mid", middle.id, nodes_input_masks=masks)]}
        made = await agents.create_agent(work, catalogue, top)
    file = await exported(units, alice, catalogue, made.id)
    assert made.document.count("canary") == 6
    assert "canary" not in file
    kept = cast(list[JsonObject], cast(JsonObject, loads(file))["nodes"])[0]["inputs"]
    assert cast(JsonObject, kept)["nodes_input_masks"] == {
        "low/hook": {"constants": {"a": 1}},
        "low": {},
        "gone": {"text": "stays"},
        "low/hook/x": {"deep": None},
    }


def _runs(node_id: str, child: str, **more: Json) -> JsonObject:
    inputs: JsonObject = {"graph_id": child, "graph_version": 1, "inputs": {}, "input_schema": {}, "output_schema": {}}
    return {"id": node_id, "block": SUB, "inputs": {**inputs, **more}}


async def test_tokens_of_a_block_that_is_not_installed_do_not_leave(units: Units, alice: Actor, catalogue: Catalogue):
    """engine:X1"""
    file = agent("Odd hook", [node("odd", MISSING, secret_token="canary-1", webhook_id="canary-2", event="stays")], [])
    made = await brought(units, alice, catalogue, file)
    text = await exported(units, alice, catalogue, made.stored.id)
    assert made.stored.document.count("canary") == 2
    assert "canary" not in text
    assert "stays" in text


async def test_a_preview_tells_the_same_and_stores_nothing(front: Front, units: Units, alice: Actor):
    """engine:X6"""
    async with front.browser(alice) as browser:
        seen = await browser.post("/api/agents/import/preview", json={"document": half_known()})
        assert seen.status_code == 200, seen.text
        assert (await browser.get("/api/agents")).json()["items"] == []
        made = await browser.post("/api/agents/import", json={"document": half_known()})
        assert made.status_code == 201, made.text
        assert seen.json() == {"name": "Half known", "description": "", "report": made.json()["report"]}
        assert set(made.json()) == {"agent_id", "version", "report"}
        assert made.headers["ETag"] == '"v1"'
        kept = await browser.get(f"/api/agents/{made.json()['agent_id']}")
        assert kept.json()["graph"]["nodes"][1]["placeholder"] is True


async def test_a_refused_file_leaves_nothing(front: Front, units: Units, alice: Actor):
    """engine:X4: its sub-agents are good, it is not."""
    nodes = [sub_agent("sub", CHILD, n=1), node("a", TEMPLATE), node("a", TEMPLATE)]
    file = agent("Twins", nodes, [], sub_graphs=[doubler(CHILD)])
    async with front.browser(alice) as browser:
        for path in ("import", "import/preview"):
            answer = await browser.post(f"/api/agents/{path}", json={"document": file})
            assert answer.status_code == 422
            assert answer.json()["code"] == "agent_invalid"
            assert "duplicate_node" in answer.text
        answer = await browser.post("/api/agents/import", json={"document": {"nodes": []}})
        assert answer.json()["code"] == "format_unsupported"
    async with units.read(alice) as read:
        assert await read.session.scalar(select(func.count()).where(AgentRow.user_id == alice.user_id)) == 0


async def test_no_file_is_ever_an_error_of_ours_or_half_stored(front: Front, units: Units, alice: Actor):
    """engine:X4"""
    whole = agent("Top", [sub_agent("s", CHILD, n=1), node("odd", MISSING)], [], sub_graphs=[doubler(CHILD)])
    draw, stored, answers = random.Random(7), 0, Counter[int]()
    async with front.browser(alice) as browser:
        for _ in range(40):
            answer = await browser.post("/api/agents/import", json={"document": mutilated(draw, whole)})
            answers[answer.status_code] += 1
            async with units.read(alice) as read:
                now = await read.session.scalar(select(func.count()).where(AgentRow.user_id == alice.user_id)) or 0
            assert (now > stored) == (answer.status_code == 201), answer.text
            stored = now
    assert answers.keys() == {201, 422}
    assert min(answers.values()) > 4
