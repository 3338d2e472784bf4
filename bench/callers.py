"""Callers of a running installation, and what they see: how long, how soon, at what cost."""

import asyncio
import json
import time

from bench.load import Ask
from bench.site import Site
from bench.wire import Answer, lines_to
from pilothouse.kit.json import JsonObject

IDLE_LOOK_SECONDS = 0.005  # part of what is measured


async def one_by_one(
    house: Site, agent: str, inputs: JsonObject, *, times: int, gives: JsonObject | None = None
) -> list[float]:
    """How long single runs took, one after another, in milliseconds."""
    ask = house.start_run(agent, inputs)
    took: list[float] = []
    async with lines_to(ask) as (lines, request):
        for _ in range(times):
            start = time.perf_counter()
            answer = await lines.call(request)
            took.append((time.perf_counter() - start) * 1000)
            run = _expect(answer, 200).json()
            if run["status"] != "completed" or (gives is not None and run["outputs"] != gives):
                raise RuntimeError(answer.body.decode())
    return took


async def through(house: Site, agent: str, inputs: JsonObject) -> float:
    """Seconds from a run's acceptance to its end, by its own clock; for runs that outlast any caller."""
    ask = house.accept_run(agent, inputs)
    run_id = str((await _call(ask, 201)).json()["id"])
    await until_idle(house)
    run = (await _call(Ask(f"{house.url}/api/v1/runs/{run_id}", headers=ask.headers), 200)).json()
    if run["status"] != "completed":
        raise RuntimeError(json.dumps(run)[:2000])
    reader = house.place.reader()
    [(created_at, ended_at)] = await reader.rows("select created_at, ended_at from runs where id=?1", run_id)
    await reader.close()
    return (ended_at - created_at) / 1_000_000


async def work_times(house: Site, since: int) -> list[float]:
    """From the first step to the end of each run accepted since then, in milliseconds."""
    reader = house.place.reader()
    rows = await reader.rows("select ended_at - started_at from runs where created_at>=?1", since)
    await reader.close()
    return [took / 1000 for (took,) in rows]


async def send_steadily(ask: Ask, rate: int, seconds: int) -> None:
    """So many requests a second, whether or not the ones before have been answered."""
    async with lines_to(ask) as (lines, request):

        async def send() -> None:
            _expect(await lines.call(request), 201)

        start = time.perf_counter()
        sent: list[asyncio.Task[None]] = []
        for number in range(rate * seconds):
            await asyncio.sleep(max(0.0, start + number / rate - time.perf_counter()))
            sent.append(asyncio.create_task(send()))
        await asyncio.gather(*sent)


async def start_times(house: Site, since: int) -> list[float]:
    """Milliseconds from acceptance to the first step, of every run since then."""
    reader = house.place.reader()
    rows = await reader.rows(
        "select r.created_at, s.body from runs r join segments s on s.log_id=r.id and s.first=2 where r.created_at>=?1",
        since,
    )
    await reader.close()
    starts = ((created_at, json.loads(body)) for created_at, body in rows)
    return [
        (next(entry[1] for entry in entries if entry[0] == "s") - created_at) / 1000 for created_at, entries in starts
    ]


async def until_idle(house: Site, seconds: float = 300) -> None:
    """Wait until no job is left."""
    reader = house.place.reader()
    deadline = time.monotonic() + seconds
    while await reader.rows("select 1 from jobs limit 1"):
        if time.monotonic() > deadline:
            raise TimeoutError(f"jobs left after {seconds} s")
        await asyncio.sleep(IDLE_LOOK_SECONDS)
    await reader.close()


async def _call(ask: Ask, status: int) -> Answer:
    async with lines_to(ask) as (lines, request):
        return _expect(await lines.call(request), status)


def _expect(answer: Answer, status: int) -> Answer:
    if answer.status != status:
        raise RuntimeError(f"{answer.status}: {answer.body.decode()}")
    return answer
