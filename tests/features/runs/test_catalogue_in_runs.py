"""Blocks of the catalogue inside real runs: what their examples cannot show."""

import asyncio
from datetime import UTC, datetime
from typing import cast

from pilothouse.base.jobs.moves import micros
from pilothouse.blocks.context import Http
from pilothouse.blocks.registry import Registry
from pilothouse.engine.drive import drive
from pilothouse.engine.entries import accepted
from pilothouse.engine.plan import compile_plan
from pilothouse.engine.run import Run
from pilothouse.features.runs.memory import RunMemories
from pilothouse.features.runs.stage import Stage
from pilothouse.graph.parse import parse
from pilothouse.kit.json import JsonObject
from tests.engine.toys import Lease as NoLease
from tests.engine.toys import MemoryJournal
from tests.features.runs import graphs
from tests.features.runs.graphs import graph, link, node
from tests.features.runs.stand import Stand

CLOCK = "716a67b3-6760-42e7-86dc-18645c6e00fc"

SWITCH = "8eccb23d-a775-44a3-9b78-5b8631490c17"
EXTRACT = "3146e4fe-2cdd-4f29-bd12-0c9d5bb4deb0"


async def test_the_clock_is_that_of_the_person(stand: Stand):
    await stand.tell("update users set timezone='Asia/Tokyo' where id=:id", id=stand.ann.actor.user_id)
    form: JsonObject = {"discriminator": "strftime", "format": "%z", "use_user_timezone": True}
    document = graph(
        "Clock",
        [node("now", CLOCK, trigger="go", format_type=form), node("o", graphs.OUTPUT, name="zone")],
        [link("now", "date_time", "o", "value")],
    )
    before = datetime.now(UTC)
    run = await stand.run(document)
    assert run["outputs"] == {"zone": ["+0900"]}
    assert before <= datetime.fromisoformat(run["ended_at"])


async def played(document: JsonObject, payload: JsonObject | None) -> Run:
    """A run without a database; its blocks must need none."""
    registry = Registry()
    entry = accepted(micros(), {}, payload=payload)
    run = Run(compile_plan(parse(document), registry)).fold([entry])
    stage = Stage(registry, cast(Http, None), cast(RunMemories, None))
    journal = MemoryJournal([entry], None)
    await drive(run, "run", stage, journal, NoLease(), clock=micros, cancelled=asyncio.Event())
    return run


HOOKED = graph(
    "Hooked",
    [
        node("hook", graphs.TRIGGER, constants={"team": "a"}),
        node("id", graphs.OUTPUT, name="id"),
        node("team", graphs.OUTPUT, name="team"),
    ],
    [link("hook", "payload_#_id", "id", "value"), link("hook", "constants_#_team", "team", "value")],
)


async def test_a_trigger_starts_with_its_payload_and_not_without():
    """F2 with the generic webhook trigger."""
    run = await played(HOOKED, {"id": 7})
    assert (run.status, run.outputs) == ("completed", {"id": [7], "team": ["a"]})
    assert (await played(HOOKED, None)).outputs == {}


async def test_only_the_branch_of_the_case_goes_on():
    document = graph(
        "Switches",
        [
            node("s", SWITCH, value="b", cases={"a": 1, "b": None}),
            node("a", graphs.OUTPUT, name="a"),
            node("b", graphs.OUTPUT, name="b"),
            node("else", graphs.OUTPUT, name="else"),
        ],
        [
            link("s", "matched_#_a", "a", "value"),
            link("s", "matched_#_b", "b", "value"),
            link("s", "default", "else", "value"),
        ],
    )
    assert (await played(document, None)).outputs == {"b": ["b"]}


async def test_every_match_is_an_item_of_its_own_for_the_next_node():
    document = graph(
        "Matches",
        [
            node("m", EXTRACT, text="a1 b2 c3", pattern=r"\w\d", find_all=True),
            node("one", graphs.OUTPUT, name="one"),
            node("n", graphs.OUTPUT, name="n"),
        ],
        [link("m", "positive", "one", "value"), link("m", "matched_count", "n", "value")],
    )
    assert (await played(document, None)).outputs == {"one": ["a1", "b2", "c3"], "n": [3]}
