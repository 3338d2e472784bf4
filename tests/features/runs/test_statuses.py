"""S1, S4, S5: the only ways in which a run and its steps change. Any other touches no row and is refused."""

from collections.abc import Awaitable, Callable
from itertools import product
from typing import Any

import pytest

from pilothouse.base.committer import Refused, WriteSet
from pilothouse.base.jobs.cancels import CANCEL_JOB
from pilothouse.base.jobs.claims import CLAIM_JOBS, RELEASE_JOB, Claimed
from pilothouse.base.jobs.moves import WAKE_JOB, micros
from pilothouse.base.reader import Reader
from pilothouse.engine.entries import accepted
from pilothouse.engine.plan import compile_plan
from pilothouse.engine.run import IllegalMove, Run
from pilothouse.engine.state import Step
from pilothouse.features.runs.writes import (
    KIND,
    Caps,
    Ending,
    NewRun,
    Rest,
    Segment,
    admit_run,
    lanes_of,
    settle_run,
    suspend_run,
)
from pilothouse.graph.parse import parse
from pilothouse.kit.ids import new_id
from pilothouse.kit.json import dumps
from tests.base.ports import AnyCommitter, committing, reading
from tests.features.runs import graphs
from tests.features.runs.stand import Stand

FINAL = ("completed", "completed_with_errors", "failed", "cancelled")
STATUSES = ("queued", "running", "waiting", *FINAL)
ALLOWED = {
    *(("queued", to) for to in ("running", "failed", "cancelled")),
    *(("running", to) for to in ("waiting", "queued", *FINAL)),
    *(("waiting", to) for to in ("queued", "failed", "cancelled")),
}


class OneRun:
    """A run's rows, moved by the very statements that the motor lands."""

    def __init__(self, committer: AnyCommitter, reader: Reader) -> None:
        self.committer, self.reader = committer, reader
        self.id, self.user, self.agent, self.owner = new_id(), new_id(), new_id(), new_id()
        self.lanes = lanes_of(self.user, self.agent)

    async def status(self) -> str:
        sql = "select coalesce(r.status, j.state) from runs r left join jobs j on j.id=r.id where r.id=?1"
        return (await self.reader.rows(sql, self.id))[0][0]

    async def rows(self) -> list[tuple[Any, ...]]:
        sql = "select r.head, r.status, j.state, j.fence from runs r left join jobs j on j.id=r.id where r.id=?1"
        return await self.reader.rows(sql, self.id)

    async def held(self) -> Claimed:
        """As whoever owns it, or last did, knows it."""
        rows = await self.reader.rows("select fence from jobs where id=?1", self.id)
        return Claimed(self.id, KIND, self.user, *self.lanes, rows[0][0] if rows else 1, 1, None, None)

    async def become(self, status: str) -> None:
        now = micros()
        first = dumps(accepted(now, {}))
        run = NewRun(self.id, self.user, self.agent, 1, "api", "{}", False, now, first)
        await self.committer.land(admit_run(run, Caps(9, 9), owner=None, reply_to=None))
        if status != "queued":
            await MOVES["running"](self)
        if status not in ("queued", "running"):
            await MOVES[status](self)

    async def claim(self) -> None:
        (claimed,) = await self.committer.land(WriteSet(((CLAIM_JOBS, (self.owner, (self.id,))),)))
        if not claimed:
            raise Refused("claim")

    async def to_queue(self) -> None:
        job = await self.held()
        (released,) = await self.committer.land(WriteSet(((RELEASE_JOB, (job.id, job.fence, 0, False)),)))
        wake = (WAKE_JOB, (job.id, job.top, job.lane, micros(), False))
        (woken,) = await self.committer.land(WriteSet((wake,), locks=(job.top,)))
        if not (released or woken):
            raise Refused("queue")

    async def suspend(self) -> None:
        job, head = await self.held(), (await self.rows())[0][0]
        segment = Segment(head + 1, head + 1, '[["p",1,null]]')
        await self.committer.land(suspend_run(job, segment, Rest("{}", None, 1, micros())))

    async def settle(self, status: str) -> None:
        job, head = await self.held(), (await self.rows())[0][0]
        if status in ("failed", "cancelled") and await self.status() in ("queued", "waiting"):
            take = (CANCEL_JOB, (job.id, *self.lanes, micros(), self.owner))  # as cancelling and poison do
            (job,) = await self.committer.land(WriteSet((take,), locks=(job.top,)))
        ending = Ending(status, None, "{}", "{}", 1, micros())
        segment = Segment(head + 1, head + 1, '[["z",1]]')
        await self.committer.land(settle_run(job, segment, ending, slept=True))


def _settling(status: str) -> Callable[[OneRun], Awaitable[None]]:
    return lambda run: run.settle(status)


MOVES: dict[str, Callable[[OneRun], Awaitable[None]]] = {
    "queued": OneRun.to_queue,
    "running": OneRun.claim,
    "waiting": OneRun.suspend,
    **{status: _settling(status) for status in FINAL},
}


@pytest.mark.parametrize("before", STATUSES)
async def test_s1_only_the_listed_changes_touch_a_row(database_url: str, before: str):
    async with committing(database_url) as committer, reading(database_url) as reader:
        for after in STATUSES:
            run = OneRun(committer, reader)
            await run.become(before)
            assert await run.status() == before
            if (before, after) in ALLOWED:
                await MOVES[after](run)
                assert await run.status() == after
            else:
                rows = await run.rows()
                with pytest.raises(Refused):
                    await MOVES[after](run)
                assert await run.rows() == rows, (before, after)


def _core(status: str) -> Run:
    """A run of the core in that status; it waits for a fact."""
    run = Run(compile_plan(parse(graphs.waits_for("go")), graphs.CATALOGUE)).fold([accepted(1, {})])
    if status == "queued":
        return run
    run.begin(2)
    if status in ("completed", "completed_with_errors"):
        step = run.ready[0]
        run.start(step, 3)
        run.finish(step, 4, {"code": "x", "message": "x", "detail": None} if status != "completed" else None)
    else:
        step = run.ready[0]
        run.start(step, 3)
        run.wait(step, graphs.PAUSE, 4)
    _CORE_MOVES.get(status, lambda _: None)(run)
    assert run.status == status
    return run


_CORE_MOVES: dict[str, Callable[[Run], None]] = {
    "running": lambda run: run.begin(9),
    "waiting": lambda run: run.suspend(9, None),
    "completed": lambda run: run.end(9),
    "completed_with_errors": lambda run: run.end(9),
    "failed": lambda run: run.fail("poison", "x", 9),
    "cancelled": lambda run: run.cancel(9),
}


@pytest.mark.parametrize(("before", "after"), [*product(FINAL, _CORE_MOVES)])
def test_s1_a_final_run_of_the_core_moves_no_more(before: str, after: str):
    run = _core(before)
    shot = run.snapshot()
    with pytest.raises(IllegalMove):
        _CORE_MOVES[after](run)
    assert run.snapshot() == shot


@pytest.mark.parametrize("before", ["queued", "running", "waiting"])
def test_s1_the_core_waits_only_when_it_runs_and_nothing_is_left_to_do(before: str):
    run = _core(before)
    if before == "running":
        run.suspend(9, None)
        assert run.status == "waiting"
        return
    with pytest.raises(IllegalMove):
        run.suspend(9, None)


@pytest.mark.parametrize("end", ["failed", "cancelled"])
def test_s5_a_final_run_has_no_step_that_is_not(end: str):
    run = _core("waiting")
    _CORE_MOVES[end](run)
    assert [len(steps) for steps in (run.steps, run.ready, run.running, run.waiting)] == [0, 0, 0, 0]
    assert run.stats()["steps"] == {"cancelled": 1}


STEP_MOVES: dict[str, Callable[[Run, Step], object]] = {
    "start": lambda run, step: run.start(step, 9),
    "output": lambda run, step: run.output(step, "fact", 1, 9),
    "finish": lambda run, step: run.finish(step, 9),
    "wait": lambda run, step: run.wait(step, graphs.PAUSE, 9),
    "retry": lambda run, step: run.retry(step, {"code": "x", "message": "x"}, 10, 9),
    "resume": lambda run, step: run.resume(step, 1, 9),
}
STEP_STATUSES = ("ready", "running", "waiting", "completed", "open")
STEP_ALLOWED = {
    *(("ready", move) for move in ("start",)),
    *(("running", move) for move in ("output", "finish", "wait", "retry")),
    *(("waiting", move) for move in ("resume",)),
}


@pytest.mark.parametrize(("status", "move"), [*product(STEP_STATUSES, STEP_MOVES)])
def test_s4_a_step_changes_only_as_it_may(status: str, move: str):
    run = Run(compile_plan(parse(graphs.waits_for("go")), graphs.CATALOGUE)).fold([accepted(1, {})])
    run.begin(2)
    step = run.ready[0]
    if status != "ready":
        run.start(step, 3)
    if status == "waiting":
        run.wait(step, graphs.PAUSE, 4)
    if status == "completed":
        run.finish(step, 4)
    if status == "open":
        run = Run(compile_plan(parse(graphs.two_pins()), graphs.CATALOGUE)).fold([accepted(1, {})])
        run.begin(2)
        run.start(run.ready[0], 3)
        run.output(next(iter(run.running.values())), "sum", 1, 4)
        (step,) = [found for found in run.steps.values() if found.status == "open"]
    if (status, move) in STEP_ALLOWED:
        STEP_MOVES[move](run, step)
        return
    shot = run.snapshot()
    with pytest.raises(IllegalMove):
        STEP_MOVES[move](run, step)
    assert run.snapshot() == shot


async def test_s5_run_and_steps_settle_in_one_transaction(stand: Stand):
    """What a reader sees of a run that has ended never holds a step that has not."""
    run = await stand.start(await stand.agent(graphs.timer(3600)))
    await stand.reaches(run["id"], "waiting")
    await stand.ann.http.post(f"/api/v1/runs/{run['id']}/cancel")
    rows = await stand.rows(
        "select r.status, r.head, max(s.last), count(j.id) from runs r join segments s on s.log_id=r.id"
        " left join jobs j on j.id=r.id where r.id=?1 group by r.status, r.head",
        run["id"],
    )
    assert [(row[0], row[1] == row[2], row[3]) for row in rows] == [("cancelled", True, 0)]
    steps = (await stand.ann.http.get(f"/api/v1/runs/{run['id']}/steps")).json()["items"]
    assert [step["status"] for step in steps] == ["cancelled"]
