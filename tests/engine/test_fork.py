"""K2, K3: what a run that goes on from a step of another takes over, and what it does again."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilothouse.engine.entries import Entry, accepted
from pilothouse.engine.fork import Forked, Past, StepUnreached, fork, read_past
from pilothouse.engine.plan import compile_plan
from pilothouse.engine.run import Run
from pilothouse.graph.document import Document
from pilothouse.graph.json_schema import as_object
from pilothouse.graph.sub_agents import NO_MASKS
from pilothouse.kit.json import JsonObject, dumps, loads
from tests.engine.test_recovery import QUICK, networks, play_through
from tests.engine.toys import Played, Shelf, from_disk, graph, node, play, shelf


def past_of(doc: Document, log: list[Entry]) -> Past:
    return read_past(compile_plan(doc, shelf().catalogue), log, NO_MASKS)


def forked(
    doc: Document, past: Past, chosen: int, edits: JsonObject | None = None, newer: Document | None = None
) -> tuple[list[Entry], Forked]:
    """The log with which the new run begins, as it will be read from the disk."""
    first = accepted(7, past.log[0][2]["inputs"])
    plan = compile_plan(newer or doc, shelf().catalogue)
    made = fork(past, chosen, plan, first, NO_MASKS, edits, newer=newer is not None)
    return [from_disk(entry) for entry in [first, *made.entries]], made


async def fork_and_play(
    doc: Document, played: Played, chosen: int, edits: JsonObject | None = None, newer: Document | None = None
) -> tuple[Played, Shelf]:
    blocks = shelf()
    log, _ = forked(doc, past_of(doc, played.log), chosen, edits, newer)
    return await play(newer or doc, blocks, log=log), blocks


def step_of(played: Played, node_id: str, nth: int = 0) -> int:
    return played.started(node_id)[nth][2]


FAN = graph(
    [
        node("all", "items", items=[1, 2, 3]),
        node("act", "write"),
        node("other", "write", value="x"),
        node("out", "output", name="out"),
        node("side", "output", name="side"),
    ],
    "all.item -> act.value",
    "act.out -> out.value",
    "other.out -> side.value",
)


async def test_k2_only_the_chosen_step_and_what_follows_from_it_run_again():
    played = await play(FAN, shelf())
    again, blocks = await fork_and_play(FAN, played, step_of(played, "act", 1))
    assert again.run.outputs == played.run.outputs
    assert len(blocks.get("write").calls) == 1
    assert len(blocks.get("output").calls) == 1
    assert blocks.get("items").calls == []
    assert again.run.stats()["recorded"] == 7


async def test_k2_edited_inputs_are_those_of_the_chosen_step_alone():
    played = await play(FAN, shelf())
    again, blocks = await fork_and_play(FAN, played, step_of(played, "act", 1), {"value": 20})
    assert again.run.outputs == {"side": ["x"], "out": [1, 20, 3]}
    assert [entry[5] for entry in again.started("act") if entry[5]] == [{"value": 1}, {"value": 20}, {"value": 3}]
    assert len(blocks.get("write").calls) == 1


async def test_k2_a_chosen_step_that_is_cut_off_keeps_its_edited_inputs():
    played = await play(FAN, shelf())
    log, _ = forked(FAN, past_of(FAN, played.log), step_of(played, "act", 1), {"value": 20})
    plan = compile_plan(FAN, shelf().catalogue)
    run = Run.restore(plan, as_object(loads(dumps(Run(plan).fold(log).snapshot()))))
    run.begin(9)
    assert run.start(run.ready[0], 9) == {"value": 20}


async def test_k2_what_stands_behind_the_chosen_step_finds_its_record_when_its_turn_comes():
    """Each item meets its own square; only the pair with the edited one is made anew."""
    doc = graph(
        [
            node("all", "items", items=["a", "b", "c"]),
            node("act", "write"),
            node("pair", "pair"),
            node("out", "output", name="out"),
        ],
        "all.item -> act.value",
        "all.item -> pair.a",
        "act.out -> pair.b",
        "pair.out -> out.value",
    )
    played = await play(doc, shelf())
    again, blocks = await fork_and_play(doc, played, step_of(played, "act", 1), {"value": "B"})
    assert again.run.outputs == {"out": [["a", "a"], ["b", "B"], ["c", "c"]]}
    assert len(blocks.get("pair").calls) == 1
    assert len(blocks.get("write").calls) == 1


async def test_k2_a_failed_step_can_be_given_better_inputs():
    doc = graph(
        [node("in", "input", name="x"), node("n", "boom"), node("safe", "write"), node("out", "output", name="out")],
        "in.result -> n.value",
        "in.result -> safe.value",
        "n.error -> out.value",
    )
    played = await play(doc, shelf(), {"x": 1})
    again, blocks = await fork_and_play(doc, played, step_of(played, "n"), {"value": 5})
    assert again.run.outputs == {"out": ["boom 5"]}
    assert blocks.get("write").calls == []


async def test_k3_in_another_version_only_nodes_with_equal_block_and_inputs_are_taken_over():
    older = graph(
        [
            node("in", "input", name="x"),
            node("same", "write"),
            node("changed", "write"),
            node("pair", "pair"),
            node("out", "output", name="out"),
        ],
        "in.result -> same.value",
        "in.result -> changed.value",
        "same.out -> pair.a",
        "changed.out -> pair.b",
        "pair.out -> out.value",
    )
    played = await play(older, shelf(), {"x": 4})
    newer = graph(
        [*(n for n in older.nodes if n.id != "changed"), node("changed", "collect", b=1)],
        *older.links[:1],
        "in.result -> changed.a",
        *older.links[2:],
    )
    again, blocks = await fork_and_play(older, played, step_of(played, "pair"), None, newer)
    assert again.run.outputs == {"out": [[4, {"b": 1, "a": 4}]]}
    assert blocks.get("write").calls == []
    assert len(blocks.get("collect").calls) == 1


async def test_k3_an_effect_whose_inputs_are_others_in_that_version_is_said_to_be_done_again():
    played = await play(FAN, shelf())
    changed = [node("other", "write", value="y") if each.id == "other" else each for each in FAN.nodes]
    newer = graph(changed, *FAN.links)
    chosen = step_of(played, "out")
    _, made = forked(FAN, past_of(FAN, played.log), chosen, None, newer)
    assert {step.node.id for step in made.again} == {"out", "other", "side"}
    assert "other" not in {step.node.id for step in made.reused}
    again, _ = await fork_and_play(FAN, played, chosen, None, newer)
    assert again.run.outputs["side"] != played.run.outputs["side"]


async def test_k3_a_step_that_nothing_leads_to_is_said_so():
    played = await play(FAN, shelf())
    newer = graph([node("all", "items", items=[]), *FAN.nodes[1:]], *FAN.links)
    with pytest.raises(StepUnreached):
        forked(FAN, past_of(FAN, played.log), step_of(played, "act", 1), {"value": 2}, newer)


@QUICK
@given(networks(), st.data())
def test_k2_a_fork_of_any_graph_gives_the_same_and_runs_only_what_depends_on_the_step(
    doc: Document, data: st.DataObject
):
    """The blocks are deterministic, so a fork without edits must end as the run that it goes back to."""
    run, log = asyncio.run(play_through(doc, []))
    past = past_of(doc, log)
    chosen = data.draw(st.sampled_from(sorted(past.steps)))
    begun, made = forked(doc, past, chosen)
    touched = past.lineage.touched(chosen)
    assert {step.id for step in made.again} <= touched

    cuts = data.draw(st.lists(st.integers(1, 12), max_size=3))
    ended, whole = asyncio.run(play_through(doc, cuts, begun))
    assert ended.outputs == run.outputs
    assert ended.status == run.status
    executed = {entry[2] for entry in whole if entry[0] == "s" and entry[5] is not None and len(entry) == 6}
    assert len(executed) == len(made.again)
    copied = {entry[6] for entry in whole if entry[0] == "s" and len(entry) > 6}
    assert copied == {step.id for step in made.reused}
    again = Run(compile_plan(doc, shelf().catalogue)).fold(whole)
    assert loads(dumps(again.snapshot())) == loads(dumps(ended.snapshot()))
