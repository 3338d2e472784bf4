"""Thousands of jobs held in one lane are no reason to look long for the next one in another."""

import json
import sqlite3
from collections.abc import Sequence
from typing import Any

import pytest

from pilothouse.base.committer import WriteSet
from pilothouse.base.jobs.lanes import NEXT_HELD
from pilothouse.base.jobs.moves import ADMIT_JOB
from pilothouse.base.jobs.tables import jobs, lanes
from pilothouse.base.postgres import connect, dsn_of
from pilothouse.base.statements import insert_into
from tests.base.jobs.desk import Desk
from tests.base.ports import committing, path_of, reading

HELD = 2_000
TOP = "run/u1"
INSERT_LANE = insert_into(lanes, "key", "cap", "used")
INSERT_JOB = insert_into(
    jobs, "id", "kind", "lane", "top_lane", "user_id", "state", "fence", "attempt", "due_at", "moved_at"
)


async def crowd(url: str) -> None:
    """One lane is full with many behind it, the top lane has a place left, and one job waits in another lane."""
    names = [(f"{nth:08}", f"{TOP}/a") for nth in range(HELD)] + [("99999999", f"{TOP}/b")]
    rows = [(job_id, "test.work", lane, TOP, "u1", "held", 0, 0, 0, 0) for job_id, lane in names]
    full: Sequence[Any] = [(TOP, 10, 9), (f"{TOP}/a", 5, 5), (f"{TOP}/b", 5, 4)]
    async with committing(url) as committer:
        await committer.land(WriteSet(tuple((INSERT_LANE, row) for row in full)))
        for row in rows:
            committer.submit(WriteSet(((INSERT_JOB, row),)))


async def test_the_place_goes_to_the_job_whose_lane_has_room(database_url: str):
    await crowd(database_url)
    async with committing(database_url) as committer, reading(database_url) as reader:
        desk = Desk(committer, reader)
        ask = desk.admission(agent="c", top_cap=11, cap=1)  # the top lane's cap is raised
        await committer.land(WriteSet(((ADMIT_JOB, tuple(ask)),), locks=(ask.top, ask.lane or "")))

        assert (await desk.row("99999999"))["state"] == "queued"
        assert (await desk.states())["held"] == HELD


@pytest.mark.scaled
async def test_postgres_steps_over_the_lane_without_reading_it(postgres_url: str):
    await crowd(postgres_url)
    connection = await connect(dsn_of(postgres_url))
    rows = await connection.fetch(f"explain (analyze, format json) {NEXT_HELD.replace('?1', repr(TOP))}")
    connection.terminate()

    assert _rows_read(json.loads(rows[0][0])[0]["Plan"]) < 50


def _rows_read(plan: dict[str, Any]) -> int:
    own = (plan["Actual Rows"] + plan.get("Rows Removed by Filter", 0)) * plan["Actual Loops"]
    return own + sum(_rows_read(part) for part in plan.get("Plans", []))


async def test_sqlite_steps_over_the_lane_without_reading_it(sqlite_url: str):
    await crowd(sqlite_url)
    steps = 0

    def count() -> int:
        nonlocal steps
        steps += 1
        return 0

    connection = sqlite3.connect(path_of(sqlite_url))
    connection.set_progress_handler(count, 10)
    found = connection.execute(NEXT_HELD, (TOP,)).fetchall()
    connection.close()

    assert found == [("99999999", f"{TOP}/b")]
    assert steps * 10 < HELD
