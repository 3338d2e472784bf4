"""engine:Z3, F20: a database, a broker or Redis that goes away and comes back."""

import asyncio
import json
import time
from collections.abc import AsyncGenerator
from pathlib import Path
from random import Random

import pytest

from tests.conftest import MakePostgres, MakeRabbitMQ, MakeRedis
from tests.faults.checker import Checker
from tests.faults.place import Place
from tests.faults.processes import Launcher
from tests.faults.report import record
from tests.faults.rig import Rig, open_rig
from tests.faults.scale import FULL, SEED

pytestmark = pytest.mark.scaled


async def test_without_a_database_callers_are_told_to_come_back_and_all_goes_on_by_itself(
    launcher: Launcher, tmp_path: Path, private_postgres: MakePostgres, broker_url: str, redis_url: str
):
    server = private_postgres()
    place = Place(tmp_path, database_url=server.url, broker_url=broker_url, redis_url=redis_url)
    async with open_rig(launcher, place, drops=0.05) as rig:
        await rig.start_all()
        checker = Checker(rig)
        await checker.learn()
        await rig.client.start_some(Random(SEED), 16)

        server.kill()
        answer = await rig.client.ask("pure", 1)
        assert answer.status_code == 503
        assert int(answer.headers["retry-after"]) >= 1
        assert answer.json()["code"] == "unavailable"
        await asyncio.sleep(1)
        server.start()

        began = time.monotonic()
        async with asyncio.timeout(15):
            while await rig.client.start("pure", 1) is None:
                await asyncio.sleep(0.1)
        record("figure", name="accepts again after the database is back", profile="scaled", value=since(began))
        await rig.quiet()
        await checker.judge()
        assert all(process.alive for process in rig.processes.values())


@pytest.mark.later
async def test_without_a_broker_runs_are_accepted_and_found_within_two_seconds(
    launcher: Launcher, tmp_path: Path, scaled: Place, private_rabbitmq: MakeRabbitMQ
):
    broker = private_rabbitmq()
    place = Place(scaled.folder, database_url=scaled.database_url, broker_url=broker.url, redis_url=scaled.redis_url)
    async with open_rig(launcher, place) as rig:
        await rig.start_all()
        checker = Checker(rig)
        await checker.learn()

        broker.kill()
        run_ids = await rig.client.start_some(Random(SEED), 12)
        assert len(run_ids) == 12
        times = [await started_after(rig, run_id) for run_id in run_ids]
        record("figure", name="started without a broker", profile="scaled", value=f"worst {max(times):.2f} s")
        assert max(times) <= 2.0
        await rig.quiet()
        await checker.judge()

        if FULL:  # a killed quorum queue takes its time to come back
            broker.start()
            await rang(rig)


async def test_without_redis_streams_go_on_from_the_log(launcher: Launcher, scaled: Place, private_redis: MakeRedis):
    redis = private_redis()
    place = Place(scaled.folder, database_url=scaled.database_url, broker_url=scaled.broker_url, redis_url=redis.url)
    async with open_rig(launcher, place) as rig:
        await rig.start_all()
        run_id = await rig.client.start("steady", 1)
        assert run_id is not None
        events: list[dict[str, object]] = []
        async with asyncio.timeout(30):
            async for event in stream(rig, run_id):
                events.append(event)
                if len(events) == 3:
                    redis.kill()
        assert [event["id"] for event in events] == list(range(1, len(events) + 1))
        assert events[-1]["type"] == "run.finished"

        waited = await rig.client.http.post(
            f"/api/v1/agents/{rig.people[0].agents['pure']}/runs",
            json={"inputs": {"n": 1}},
            headers={"Prefer": "wait=10"},
        )
        assert waited.status_code == 200
        assert waited.json()["outputs"] == {"result": [7]}
        redis.start()
        await rig.quiet()


async def stream(rig: Rig, run_id: str) -> AsyncGenerator[dict[str, object]]:
    """A run's events as a browser gets them."""
    async with rig.client.http.stream("GET", f"/api/v1/runs/{run_id}/events") as answer:
        async for line in answer.aiter_lines():
            if line.startswith("data:"):
                yield json.loads(line.removeprefix("data:"))


async def started_after(rig: Rig, run_id: str) -> float:
    """Seconds from the acceptance of a run to its first entry by a worker."""
    async with asyncio.timeout(30):
        while not (rows := await rig.reader.rows("select body from segments where log_id=?1 and first=2", run_id)):
            await asyncio.sleep(0.02)
    accepted = (await rig.reader.rows("select created_at from runs where id=?1", run_id))[0][0]
    return (json.loads(rows[0][0])[0][1] - accepted) / 1_000_000


async def rang(rig: Rig) -> None:
    """The bell works again by itself: runs start sooner than any idle pull could find them."""
    began, soon = time.monotonic(), 0
    deadline = began + 120
    while time.monotonic() < deadline:
        run_id = await rig.client.start("pure", 1)
        assert run_id is not None
        soon = soon + 1 if await started_after(rig, run_id) < 0.3 else 0
        if soon == 5:
            record("figure", name="heard again after the broker is back", profile="scaled", value=since(began))
            return
        await asyncio.sleep(0.3)
    raise AssertionError("the broker is back and nobody hears it")


def since(began: float) -> str:
    return f"{time.monotonic() - began:.2f} s"
