"""What happens when a run changes hands, or cannot go on at all."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, ParamSpec, cast

import pytest

from pilothouse.base.committer import Refused, WriteSet
from pilothouse.base.jobs.cancels import CANCEL_JOB
from pilothouse.base.jobs.claims import CLAIM_JOBS, Claimed
from pilothouse.base.jobs.lease import Lease, LeaseLost
from pilothouse.base.jobs.moves import micros
from pilothouse.base.jobs.worker import MAX_ATTEMPTS, Hold
from pilothouse.base.telemetry import REGISTRY
from pilothouse.blocks.context import Http
from pilothouse.blocks.registry import Registry
from pilothouse.engine.drive import drive
from pilothouse.engine.entries import accepted
from pilothouse.engine.plan import compile_plan
from pilothouse.engine.ports import Outcome, RunStuck
from pilothouse.engine.run import Run
from pilothouse.features.runs.memory import RunMemories
from pilothouse.features.runs.stage import Stage
from pilothouse.features.runs.writes import lanes_of
from pilothouse.graph.parse import parse
from pilothouse.kit.ids import new_id
from tests.base.waiting import until
from tests.engine.toys import Lease as NoLease
from tests.engine.toys import MemoryJournal
from tests.features.runs import graphs
from tests.features.runs.stand import Stand

P = ParamSpec("P")


async def claim_waiting(stand: Stand, run_id: str) -> Hold:
    """Take a waiting run out of everybody's hands, as a worker that nobody knows would."""
    await stand.tell("update jobs set state='queued', due_at=0, moved_at=:now where id=:id", id=run_id, now=2**60)
    committer = stand.house.api.committer
    worker = stand.house.worker.worker
    assert worker is not None
    answers = await committer.land(WriteSet(((CLAIM_JOBS, (worker.id, (run_id,))),)))
    job: Claimed = answers[0][0]
    return Hold(job, Lease(None))


async def test_a_run_cancelled_while_it_falls_asleep_ends(small: Stand):
    """The mark is in the row, but the worker has not heard of it."""
    agent = await small.agent(graphs.timer(3600))
    run = await small.start(agent)
    await small.reaches(run["id"], "waiting")
    hold = await claim_waiting(small, run["id"])
    params = (run["id"], *lanes_of(small.ann.actor.user_id, agent), micros(), new_id())
    answers = await small.house.api.committer.land(WriteSet(((CANCEL_JOB, params),)))
    assert answers == [None]  # somebody runs it
    assert not hold.cancelled.is_set()
    async with asyncio.timeout(5):
        await small.house.worker.motor.advance(hold)
    assert (await small.get(run["id"]))["status"] == "cancelled"


def stuck_at_first(work: Callable[P, Awaitable[Outcome]]) -> Callable[P, Awaitable[Outcome]]:
    stuck = [RunStuck()]

    async def call(*args: P.args, **more: P.kwargs) -> Outcome:
        if stuck:
            raise stuck.pop()
        return await work(*args, **more)

    return call


async def test_a_run_that_does_nothing_is_counted_and_taken_up_anew(stand: Stand, monkeypatch: pytest.MonkeyPatch):
    """engine:D6"""
    monkeypatch.setattr("pilothouse.features.runs.motor.drive", stuck_at_first(drive))
    before = REGISTRY.get_sample_value("pilothouse_runs_stuck_total") or 0
    run = await stand.run(graphs.greeting(), who="Ann")
    assert (run["status"], run["outputs"]) == ("completed", {"greeting": ["Hello Ann!"]})
    assert REGISTRY.get_sample_value("pilothouse_runs_stuck_total") == before + 1
    assert stand.house.worker.motor.limits.stuck_s == 60


async def test_a_run_whose_log_cannot_be_read_ends_as_poison(stand: Stand):
    run = await stand.start(await stand.agent(graphs.timer(3600)))
    head = (await stand.reaches(run["id"], "waiting"))["last_event_id"]
    await stand.tell("delete from snapshots where log_id=:id", id=run["id"])
    await stand.tell("update segments set body='[[\"?\"]]' where log_id=:id and first > 1", id=run["id"])
    hold = await claim_waiting(stand, run["id"])
    await stand.house.worker.motor.advance(Hold(hold.job._replace(attempt=MAX_ATTEMPTS + 1), Lease(None)))
    ended = await stand.get(run["id"])
    assert (ended["status"], ended["reason"]["code"], ended["last_event_id"]) == ("failed", "poison", head + 1)


async def test_a_child_whose_log_cannot_be_read_tells_its_parent(stand: Stand):
    parent = await stand.start(await stand.agent(graphs.calls(await stand.agent(graphs.timer(3600)), "tick")))
    child = ""

    async def asleep() -> bool:
        nonlocal child
        rows = await stand.rows("select id from runs where parent_id=?1", parent["id"])
        child = rows[0][0] if rows else ""
        return bool(rows) and (await stand.get(child))["status"] == "waiting"

    await until(asleep)
    await stand.tell("delete from snapshots where log_id=:id", id=child)
    await stand.tell("update segments set body='[[\"?\"]]' where log_id=:id", id=child)
    hold = await claim_waiting(stand, child)
    await stand.house.worker.motor.advance(Hold(hold.job._replace(attempt=MAX_ATTEMPTS + 1), Lease(None)))
    ended = await stand.reaches(parent["id"], "completed", "completed_with_errors", "failed")
    assert "wrong" in ended["outputs"]


async def test_a_poisonous_run_keeps_what_it_had(stand: Stand):
    document: Any = graphs.timer(3600)
    document["nodes"] += [graphs.node("n", graphs.NUMBER, name="n"), graphs.node("early", graphs.OUTPUT, name="early")]
    document["links"].append(graphs.link("n", "result", "early", "value"))
    run = await stand.start(await stand.agent(document), n=5)
    await stand.reaches(run["id"], "waiting")
    hold = await claim_waiting(stand, run["id"])
    await stand.house.worker.motor.advance(Hold(hold.job._replace(attempt=MAX_ATTEMPTS + 1), Lease(None)))
    ended = await stand.get(run["id"])
    assert (ended["status"], ended["reason"]["code"], ended["outputs"]) == ("failed", "poison", {"early": [5]})
    assert ended["stats"]["steps"] == {"cancelled": 1, "completed": 2}


async def test_a_worker_that_lost_the_run_writes_nothing(stand: Stand):
    run = await stand.start(await stand.agent(graphs.timer(3600)))
    await stand.reaches(run["id"], "waiting")
    hold = await claim_waiting(stand, run["id"])
    await stand.tell("update jobs set fence=fence+1, state='waiting', owner=null where id=:id", id=run["id"])
    before = await stand.rows("select first, last, body from segments where log_id=?1 order by first", run["id"])
    with pytest.raises((Refused, LeaseLost)):
        await stand.house.worker.motor.advance(hold)
    after = await stand.rows("select first, last, body from segments where log_id=?1 order by first", run["id"])
    assert after == before
    await stand.ann.http.post(f"/api/v1/runs/{run['id']}/cancel")
    await until(lambda: _ended(stand, run["id"]))


async def _ended(stand: Stand, run_id: str) -> bool:
    return (await stand.get(run_id))["status"] == "cancelled"


async def test_a_block_switched_off_under_way_ends_the_run():
    entry = accepted(micros(), {"n": 1})
    run = Run(compile_plan(parse(graphs.adder()), Registry(test_blocks=True))).fold([entry])
    stage = Stage(Registry(test_blocks=True, disabled=[graphs.ADD]), cast(Http, None), cast(RunMemories, None))
    journal = MemoryJournal([entry], None)
    await drive(run, "run", stage, journal, NoLease(), clock=micros, cancelled=asyncio.Event())
    assert run.reason is not None
    assert (run.status, run.reason["code"]) == ("failed", "disabled_block")
