"""Changing a stored agent by operations: one new version, or nothing."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias, cast

import pytest

from pilothouse.base.actor import Actor
from pilothouse.base.work import Units
from pilothouse.features import agents
from pilothouse.features.agents.events import AgentFact, AgentSaved
from pilothouse.graph.catalogue import Catalogue
from pilothouse.graph.operations import OperationFailed
from pilothouse.kit.ids import AgentId
from pilothouse.kit.json import JsonObject
from tests.features.agents.graphs import TEMPLATE, greeter
from tests.features.agents.seen import ANY, On, Stale
from tests.graph.blocks import Raw

Edit: TypeAlias = Callable[..., Awaitable[agents.Edited]]

SHORTER: JsonObject = {"op": "set_input", "node": "fill", "field": "format", "value": "Hi {{ who }}"}
RENAME: JsonObject = {"op": "set_name", "value": "Renamed"}


@pytest.fixture
async def made(units: Units, alice: Actor, catalogue: Catalogue) -> agents.AgentGraph:
    async with units.write(alice) as work:
        return await agents.create_agent(work, catalogue, greeter())


@pytest.fixture
def edit(units: Units, alice: Actor, catalogue: Catalogue, made: agents.AgentGraph) -> Edit:
    async def edited(*operations: JsonObject, base: agents.Base = ANY, **how: Any) -> agents.Edited:
        async with units.write(alice) as work:
            return await agents.edit_agent(work, catalogue, AgentId(made.id), operations, base, **how)

    return edited


async def stored(units: Units, alice: Actor, agent_id: str) -> agents.AgentGraph:
    async with units.read(alice) as read:
        return await agents.get_agent(read, AgentId(agent_id))


async def test_an_edit_makes_one_version(
    edit: Edit, made: agents.AgentGraph, units: Units, alice: Actor, facts: list[AgentFact]
):
    """engine:P1, engine:P4"""
    add: JsonObject = {"op": "add_node", "block": TEMPLATE, "inputs": {"format": "x"}}
    done = await edit(SHORTER, add, {"op": "rename_node", "node": "@1", "name": "Second"}, base=On(1), note="Short")

    assert (done.saved, done.agent.version, done.agent.newest_version) == (True, 2, 2)
    assert dict(done.nodes) == {"@1": "fill_text_template"}
    assert [answer["ok"] for answer in done.ops] == [True] * 3
    assert await stored(units, alice, made.id) == done.agent
    assert facts[-1] == AgentSaved(made.id, made.user_id, 2)
    async with units.read(alice) as read:
        assert [version.note for version in await agents.list_versions(read, AgentId(made.id), 10)] == ["Short", None]


async def test_a_failing_operation_stores_nothing(edit: Edit, made: agents.AgentGraph, units: Units, alice: Actor):
    """engine:P1, engine:P7"""
    with pytest.raises(OperationFailed):
        await edit(SHORTER, {"op": "remove_node", "node": "ghost"})
    assert await stored(units, alice, made.id) == made


async def test_a_result_that_may_not_be_stored_is_refused(
    edit: Edit, made: agents.AgentGraph, units: Units, alice: Actor
):
    """engine:P6"""
    nameless: JsonObject = {"op": "unset_input", "node": "out", "field": "name"}
    with pytest.raises(agents.AgentInvalid) as refusal:
        await edit(SHORTER, nameless)
    issues = cast(list[Raw], refusal.value.facts["issues"])
    assert [issue["code"] for issue in issues] == ["name_missing"]
    assert await stored(units, alice, made.id) == made

    shown = await edit(SHORTER, nameless, save=False)
    assert (shown.saved, shown.report.valid) == (False, False)


async def test_a_preview_shows_the_result_and_stores_nothing(
    edit: Edit, made: agents.AgentGraph, units: Units, alice: Actor, facts: list[AgentFact]
):
    """engine:P6"""
    shown = await edit(SHORTER, save=False)
    assert (shown.saved, shown.report.valid) == (False, True)
    assert "Hi {{ who }}" in shown.agent.document
    assert await stored(units, alice, made.id) == made
    assert len(facts) == 1


async def test_an_edit_that_changes_nothing_makes_no_version(edit: Edit, facts: list[AgentFact]):
    """engine:R1"""
    same: JsonObject = {"op": "set_name", "value": "Greeter"}
    assert (await edit(same)).agent.version == 1
    assert (await edit(SHORTER, {**SHORTER, "value": "Hello {{ who }}!"})).agent.version == 1
    assert len(facts) == 1


async def test_a_stale_edit_is_told_what_changed(edit: Edit):
    """engine:P5"""
    await edit(RENAME)
    with pytest.raises(Stale) as conflict:
        await edit(SHORTER, base=On(1))
    assert conflict.value.facts == {
        "current_version": 2,
        "diff": {"metadata": {"name": {"from": "Greeter", "to": "Renamed"}}},
    }


async def test_a_stale_edit_is_applied_again_when_it_touches_nothing_that_changed(edit: Edit):
    """engine:P5"""
    await edit(RENAME)
    done = await edit(SHORTER, base=On(1), rebase=True)
    assert (done.agent.version, done.agent.name) == (3, "Renamed")
    assert "Hi {{ who }}" in done.agent.document
    with pytest.raises(Stale):
        await edit({"op": "set_name", "value": "Mine"}, base=On(1), rebase=True)
    with pytest.raises(Stale):
        await edit(SHORTER, base=On(9), rebase=True)


async def test_of_edits_at_once_on_one_base_those_that_rebase_all_win(edit: Edit, units: Units, alice: Actor):
    """engine:P5"""
    texts = ("set_name", "set_description", "set_instructions")
    await asyncio.gather(*(edit({"op": op, "value": op}, base=On(1), rebase=True) for op in texts))
    done = await edit(base=On(4))
    assert [done.agent.graph[key] for key in ("name", "description", "instructions")] == list(texts)


async def test_values_that_nest_too_deep_by_degrees_are_refused(edit: Edit, made: agents.AgentGraph):
    """engine:P6: what an edit makes must be a document that could have come from a file."""
    deep: JsonObject = {"op": "set_input", "node": "fill", "field": ["values", *"k" * 120], "value": 1}
    with pytest.raises(agents.AgentInvalid):
        await edit(deep)


async def test_a_difference_between_stored_versions_applies(
    edit: Edit, made: agents.AgentGraph, units: Units, alice: Actor, catalogue: Catalogue
):
    """engine:R3"""
    await edit(SHORTER, RENAME, {"op": "remove_node", "node": "times"})
    async with units.read(alice) as read:
        back = await agents.operations_between_versions(read, catalogue, AgentId(made.id), 2, 1, positions=True)
    done = await edit(*back)
    assert (done.agent.version, done.agent.content_hash) == (3, made.content_hash)


async def test_what_is_not_mine_cannot_be_edited(
    units: Units, bob: Actor, catalogue: Catalogue, made: agents.AgentGraph
):
    with pytest.raises(agents.AgentNotFound):
        async with units.write(bob) as work:
            await agents.edit_agent(work, catalogue, AgentId(made.id), [RENAME], ANY)
