"""K4: a run is lived once more from its records."""

import asyncio

from hypothesis import assume, given
from hypothesis import strategies as st

from pilothouse.engine.entries import REHEARSAL, Entry, accepted
from pilothouse.engine.fork import read_past
from pilothouse.engine.plan import compile_plan
from pilothouse.engine.ports import Limits
from pilothouse.engine.records import RECORDS
from pilothouse.engine.replay import REPLAYS, script_of
from pilothouse.graph.document import Document
from pilothouse.graph.sub_agents import NO_MASKS
from tests.engine.test_recovery import QUICK, networks, play_through
from tests.engine.toys import Link, Played, Shelf, from_disk, graph, node, play, shelf

OUTSIDE = ("write", "slow", "slow_items")
WAITS = {"timer", "flaky"}  # what they come to needs more than their inputs: their blocks answer for that


def replay_of(doc: Document, log: list[Entry]) -> list[Entry]:
    """The log with which a replay begins."""
    past = read_past(compile_plan(doc, shelf().catalogue), log, NO_MASKS)
    first = accepted(7, log[0][2]["inputs"])
    first[2] |= {RECORDS: [record.as_json() for record in script_of(past)], REPLAYS: True, REHEARSAL: {}}
    return [from_disk(first)]


async def replayed(doc: Document, played: Played) -> tuple[Played, Shelf]:
    blocks = shelf()
    return await play(doc, blocks, log=replay_of(doc, played.log)), blocks


async def test_k4_what_acts_or_reads_is_not_called_and_what_computes_is():
    doc = graph(
        [
            node("all", "items", items=[3, 1, 2]),
            node("read", "slow"),
            node("act", "write"),
            node("echo", "echo"),
            node("out", "output", name="out"),
        ],
        "all.item -> read.value",
        "read.out -> act.value",
        "act.out -> echo.value",
        "echo.out -> out.value",
    )
    played = await play(doc, shelf())
    again, blocks = await replayed(doc, played)
    assert again.run.outputs == played.run.outputs == {"out": [3, 1, 2]}
    assert all(not blocks.get(name).calls for name in OUTSIDE)
    assert len(blocks.get("echo").calls) == 3
    assert again.run.stats()["recorded"] == 6


async def test_k4_values_meet_as_they_met_then():
    """Two sources of different speed feed one pin: who came first then comes first again."""
    doc = graph(
        [
            node("late", "slow", value=2),
            node("soon", "slow", value=5),
            node("all", "items", items=["a", "b"]),
            node("pair", "pair"),
            node("out", "output", name="out"),
        ],
        "late.out -> pair.a",
        "soon.out -> pair.a",
        "all.item -> pair.b",
        "pair.out -> out.value",
    )
    played = await play(doc, shelf())
    assert played.run.outputs == {"out": [[5, "a"], [2, "b"]]}
    again, _ = await replayed(doc, played)
    assert again.run.outputs == played.run.outputs


async def test_k4_a_block_that_was_held_back_between_its_values_is_held_back_again():
    """Two that give many values feed one pin; on a busy machine they took turns."""
    doc = graph(
        [
            node("all", "items", items=list(range(6))),
            node("more", "items", items=list("abcdef")),
            node("echo", "echo"),
            node("out", "output", name="out"),
        ],
        "all.item -> echo.value",
        "more.item -> echo.value",
        "echo.out -> out.value",
    )
    played = await play(doc, shelf(), limits=Limits(slice_s=0))
    assert played.run.outputs != (await play(doc, shelf(), limits=Limits(slice_s=60))).run.outputs
    again, _ = await replayed(doc, played)
    assert again.run.outputs == played.run.outputs


@st.composite
def races(draw: st.DrawFn) -> Document:
    """Sources of any speed that feed the same pins: what they compute depends on who came first."""
    nodes = [node(f"s{index}", "slow", value=draw(st.integers(0, 9))) for index in range(draw(st.integers(1, 5)))]
    nodes += [node("x", "slow"), node("y", "echo"), node("pair", "pair"), node("out", "output", name="out")]
    links: dict[tuple[str, str, str, str], Link] = {}
    for source in nodes[:-4]:
        target, pin = draw(st.sampled_from([("x", "value"), ("y", "value"), ("pair", "a"), ("pair", "b")]))
        made = Link(source.id, "out", target, pin)
        links[made.key] = made
    inner = [("x", "pair", "a"), ("y", "pair", "b"), ("y", "pair", "a"), ("x", "y", "value")]
    for source, target, pin in draw(st.lists(st.sampled_from(inner), unique=True)):
        made = Link(source, "out", target, pin)
        links[made.key] = made
    ends = [Link(name, "out", "out", "value") for name in ("x", "y", "pair")]
    return graph(nodes, *links.values(), *ends)


@QUICK
@given(races())
def test_k4_a_replay_of_a_race_ends_as_the_race_did(doc: Document):
    played = asyncio.run(play(doc, shelf()))
    again, blocks = asyncio.run(replayed(doc, played))
    assert again.run.outputs == played.run.outputs
    assert again.run.status == played.run.status
    assert not blocks.get("slow").calls


@QUICK
@given(networks(), st.lists(st.integers(1, 12), max_size=3))
def test_k4_a_replay_equals_the_original_over_any_crash(doc: Document, cuts: list[int]):
    assume(not WAITS & {node.block for node in doc.nodes})
    run, log = asyncio.run(play_through(doc, []))
    ended, whole = asyncio.run(play_through(doc, cuts, replay_of(doc, log)))
    assert ended.outputs == run.outputs
    assert ended.status == run.status
    acted = [entry for entry in whole if entry[0] == "s" and entry[5] is not None and len(entry) == 6]
    assert all(ended.plan.nodes[int(entry[3])].block not in OUTSIDE for entry in acted)
