"""E2, E4, W6: a block that is gone since takes nothing from those who read, forget or cancel the runs that used it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from pilothouse.kit.ids import RunId
from tests.databases import fresh_postgres, fresh_sqlite
from tests.features.runs import graphs
from tests.features.runs.installations import settings_for
from tests.features.runs.stand import Person, Stand, open_installation, stamp
from tests.features.runs.test_retention import forget


class Before(NamedTuple):
    """What was there while the block was."""

    ended: str
    waiting: str
    told: list[str]  # of the first


async def read(stand: Stand, run_id: str) -> list[str]:
    paths = (run_id, f"{run_id}/events?follow=false", f"{run_id}/steps", f"compare?a={run_id}&b={run_id}")
    answers = [await stand.ann.http.get(f"/api/v1/runs/{path}") for path in paths]
    return [f"{answer.status_code} {answer.text}" for answer in answers]


async def live(stand: Stand) -> Before:
    agent = await stand.agent(graphs.waits_for("go"))
    ended, waiting = [(await stand.start(agent))["id"] for _ in range(2)]
    for run_id in (ended, waiting):
        await stand.reaches(run_id, "waiting")
    await stand.house.api.runs.send_fact(stand.ann.actor, RunId(ended), "go", 1)
    await stand.reaches(ended, "completed")
    await stand.run(graphs.timer(0))  # of blocks that stay
    return Before(ended, waiting, await read(stand, ended))


@asynccontextmanager
async def uninstalled(folder: Path, lines: dict[str, str]) -> AsyncGenerator[tuple[Stand, Before]]:
    """The same installation, opened again without the blocks of the tests."""
    with fresh_postgres() if lines else fresh_sqlite(folder) as url:
        await stamp(url)
        more = {"database_url": url, **lines} if lines else {}
        async with open_installation(settings_for(folder, **more)) as opened:
            stand = Stand(opened, await opened.person())
            before = await live(stand)
        async with open_installation(settings_for(folder, test_blocks=False, **more)) as opened:
            ann, clients = stand.ann, (stand.ann.http.headers, stand.ann.browser.headers)
            yield Stand(opened, Person(ann.actor, ann.key, *map(opened.client, clients))), before


async def test_e2_what_a_run_did_can_be_read_when_its_block_is_gone(tmp_path: Path, lines: dict[str, str]):
    """engine:E2"""
    async with uninstalled(tmp_path, lines) as (stand, before):
        assert await read(stand, before.ended) == before.told
        assert all(answer.startswith("200 ") for answer in before.told)


async def test_e4_a_block_that_is_gone_keeps_no_run_from_being_forgotten(tmp_path: Path, lines: dict[str, str]):
    """engine:E4: its own, nor those that come after it"""
    async with uninstalled(tmp_path, lines) as (stand, before):
        await forget(stand, 31)
        left = await stand.rows("select distinct log_id from segments")
        assert left == [(before.waiting,)]
        steps = (await stand.ann.http.get(f"/api/v1/runs/{before.ended}/steps")).json()["items"]
        assert [step["node_id"] for step in steps] == ["wait", "out"]
        await forget(stand, 91)
        assert await stand.rows("select id from runs") == [(before.waiting,)]


async def test_w6_a_run_whose_block_is_gone_is_cancelled_at_once(tmp_path: Path, lines: dict[str, str]):
    """engine:W6"""
    async with uninstalled(tmp_path, lines) as (stand, before):
        answer = await stand.ann.http.post(f"/api/v1/runs/{before.waiting}/cancel")
        assert answer.status_code == 200, answer.text
        run = answer.json()["run"]
        assert (run["status"], run["stats"]["steps"]) == ("cancelled", {"cancelled": 1})
        assert await stand.rows("select 1 from jobs") == []
