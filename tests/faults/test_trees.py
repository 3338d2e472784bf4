"""Runs inside runs: whole trees are cancelled at random moments, and many parents wait on one slot."""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

import pytest

from pilothouse.base.settings import Settings
from tests.databases import fresh_postgres, fresh_sqlite
from tests.faults.agents import EFFECT
from tests.faults.effects import EffectServer, effect_server
from tests.faults.report import record
from tests.faults.scale import SEED, TREE, TREES, WAITING_PARENTS
from tests.features.runs import graphs
from tests.features.runs.graphs import calls, graph, link, node
from tests.features.runs.stand import ORIGIN, Stand, open_installation, stamp
from tests.lines import new_prefix

FINAL = {"completed", "completed_with_errors", "failed", "cancelled"}


@asynccontextmanager
async def standing(request: pytest.FixtureRequest, folder: Path, profile: str, **more: Any) -> AsyncGenerator[Stand]:
    fixed: dict[str, Any] = {"public_url": ORIGIN, "test_blocks": True, "shutdown_grace_seconds": 0.5, **more}
    if profile == "embedded":
        with fresh_sqlite(folder) as url:
            await stamp(url)
            settings = Settings.model_validate({"data_dir": folder, **fixed})
            async with open_installation(settings) as opened, opened.stand() as stand:
                yield stand
        return
    lines = {"broker_url": request.getfixturevalue("broker_url"), "redis_url": request.getfixturevalue("redis_url")}
    lines["broker_prefix"] = new_prefix()
    with fresh_postgres() as url:
        await stamp(url)
        settings = Settings.model_validate({"data_dir": folder, "database_url": url, **lines, **fixed})
        async with open_installation(settings) as opened, opened.stand() as stand:
            yield stand


pytestmark = pytest.mark.alone
PROFILES = pytest.mark.parametrize("profile", ["embedded", pytest.param("scaled", marks=pytest.mark.scaled)])


def crowd(child: str, count: int, gives: str) -> graphs.JsonObject:
    """Runs `child` so many times at once, beside something that takes its time."""
    return graph(
        "Crowd",
        [
            node("n", graphs.NUMBER, name="n", value=0),
            node("items", graphs.STEP_THROUGH, items=list(range(count))),
            node("sub", graphs.CHILD, **graphs.order(child), inputs={}),
            node("slow", graphs.SLEEP, seconds=30),
            node("out", graphs.OUTPUT, name="out"),
        ],
        [link("items", "item", "sub", "n"), link("sub", gives, "out", "value")],
    )


def leaf(url: str) -> graphs.JsonObject:
    """Quick for small numbers; for a few it acts and spends for ever; for the rest it waits, and works then."""
    return graph(
        "Leaf",
        [
            node("n", graphs.NUMBER, name="n"),
            node("is_small", graphs.CONDITION, operator="<", value2=3),
            node("quick", graphs.OUTPUT, name="result"),
            node("is_doer", graphs.CONDITION, operator="<", value2=5),
            node("act", EFFECT, url=url),
            node("pay", graphs.SPEND),
            node("pause", graphs.SLEEP, seconds=0.1),
            node("wait", graphs.TIMER, seconds=20),
            node("work", graphs.SLEEP, seconds=20),
            node("late", graphs.OUTPUT, name="result"),
        ],
        [
            link("n", "result", "is_small", "value1"),
            link("is_small", "yes_output", "quick", "value"),
            link("is_small", "no_output", "is_doer", "value1"),
            link("is_doer", "yes_output", "act", "payload"),
            link("act", "payload", "pay", "value"),
            link("pay", "value", "pause", "value"),
            link("pause", "value", "act", "payload"),
            link("is_doer", "no_output", "wait", "input_message"),
            link("wait", "output_message", "work", "value"),
            link("work", "value", "late", "value"),
        ],
    )


Tree: TypeAlias = dict[str, tuple[str | None, int, str | None]]  # status, head and figures by run


async def tree_of(stand: Stand, root: str) -> Tree:
    sql = (
        "with recursive tree(id) as (select id from runs where id=?1 union all"
        " select r.id from runs r join tree t on r.parent_id=t.id)"
        " select r.id, r.status, r.head, r.stats from runs r join tree t on t.id=r.id"
    )
    return {row[0]: row[1:] for row in await stand.rows(sql, root)}


@asynccontextmanager
async def cancelling(
    request: pytest.FixtureRequest, folder: Path, profile: str, effects: EffectServer
) -> AsyncGenerator[Stand]:
    """With few places, so that some of a tree wait for theirs; blocks may reach the effect server."""
    reach = f"127.0.0.1:{effects.port}"
    async with standing(request, folder, profile, egress_allow=reach, max_parallel_runs=10, user_max_runs=20) as stand:
        yield stand


async def cancel_tree(stand: Stand, root: str, effects: EffectServer) -> tuple[float, Tree]:
    """Cancel and watch: answers how long the whole tree took to end, and what it was then."""
    asked = time.monotonic()
    answer = await stand.ann.http.post(f"/api/v1/runs/{root}/cancel")
    assert answer.status_code == 200, answer.text
    assert answer.json()["cancelled"] is True
    at_commit = tree = await tree_of(stand, root)
    while not all(status in FINAL for status, *_ in tree.values()):
        await asyncio.sleep(0.02)
        tree = await tree_of(stand, root)
    took, ended_at = time.monotonic() - asked, time.time()
    assert tree.keys() == at_commit.keys()
    assert tree[root][0] == "cancelled"
    assert {tree[run][0] for run, (status, *_) in at_commit.items() if status is None} <= {"cancelled"}
    await asyncio.sleep(0.3)  # three laps of those that act
    assert await tree_of(stand, root) == tree
    assert acts_after(effects, ended_at) == 0
    again = await stand.ann.http.post(f"/api/v1/runs/{root}/cancel")
    assert again.json()["cancelled"] is False
    return took, tree


def acts_after(effects: EffectServer, moment: float) -> int:
    return sum(at > moment for times in effects.times.values() for at in times)


@PROFILES
async def test_z6_a_cancelled_tree_ends_within_two_seconds_and_for_good(
    request: pytest.FixtureRequest, tmp_path: Path, profile: str
):
    """engine:Z6 at whatever moment; what was cancelled never completes, and nothing is done or spent for it after."""
    random, slowest, most, stopped = Random(SEED), 0.0, 0, 0
    async with effect_server() as effects, cancelling(request, tmp_path, profile, effects) as stand:
        small = await stand.agent(leaf(effects.url))
        branches = 3
        middle = await stand.agent(crowd(small, TREE // branches - 1, "result"))
        top = await stand.agent(crowd(middle, branches, "out"))
        for _ in range(TREES):
            run = await stand.start(top)
            await asyncio.sleep((0.3 + random.random()) * TREE / 30)
            took, tree = await cancel_tree(stand, run["id"], effects)
            slowest, most = max(slowest, took), max(most, len(tree))
            stopped += sum("acme" in (stats or "") for status, _, stats in tree.values() if status == "cancelled")
        name = f"Z6 seconds to cancel a tree, the slowest of {TREES} with up to {most} runs"
        record("figure", name=name, profile=profile, value=round(slowest, 2))
        assert slowest <= 2
        assert most > TREE // 2  # else little was tried
        assert stopped > 0  # that acted and spent
        assert await stand.rows("select count(*) from jobs") == [(0,)]
        used = await stand.rows("select sum(used) from lanes where key like ?1", "run/%")
        assert used[0][0] == 0


@PROFILES
async def test_w1_many_waiting_parents_on_one_slot_all_finish(
    request: pytest.FixtureRequest, tmp_path: Path, profile: str
):
    """engine:W1 a waiting run holds no worker, so that nesting cannot deadlock: all of them wait at once."""
    async with standing(request, tmp_path, profile, worker_concurrency=1) as stand:
        child = await stand.agent(graphs.waits_for("go"))
        parent = await stand.agent(calls(child, "said"))
        began = time.monotonic()
        for _ in range(WAITING_PARENTS):
            await stand.start(parent)
        asleep = "select count(*) from runs r join jobs j on j.id=r.id where r.agent_id=?1 and j.state='waiting'"
        for agent in (child, parent):
            await all_of(stand, asleep, agent, [(WAITING_PARENTS,)])
        for (run_id,) in await stand.rows("select id from runs where agent_id=?1", child):
            await stand.house.api.runs.send_fact(stand.ann.actor, run_id, "go", 1)
        ended = "select status, count(*) from runs where agent_id=?1 group by status"
        await all_of(stand, ended, parent, [("completed", WAITING_PARENTS)])
        took = time.monotonic() - began
        assert await stand.rows(ended, child) == [("completed", WAITING_PARENTS)]
    name = f"W1 seconds for {WAITING_PARENTS} parents on one slot"
    record("figure", name=name, profile=profile, value=round(took, 1))


async def all_of(stand: Stand, sql: str, agent: str, wanted: list[tuple[object, ...]]) -> None:
    """Wait until the runs of an agent are as they should be."""
    async with asyncio.timeout(60 + WAITING_PARENTS):
        while await stand.rows(sql, agent) != wanted:
            await asyncio.sleep(0.05)
