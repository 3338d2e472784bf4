"""The cases: what is measured, and the bars of ruling 17."""

import asyncio
import time
import uuid
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import httpx2

from bench.agents import chain, fan_out
from bench.callers import one_by_one
from bench.load import Load, pss_mb, put_load
from bench.report import Report, middle
from bench.site import Site, baseline, embedded, process, scaled, until_open
from pilothouse.kit.json import JsonObject
from tests.faults.place import embedded_place, furnish

ROUNDS = 5
SECONDS = 3


async def b11(report: Report, folder: Path, *, scaled: bool) -> None:
    """Ten pure steps over HTTP with an API key, durable, the result awaited."""
    name = "b11_scaled" if scaled else "b11_embedded"
    hello, runs, left = await _alternate(folder, _site(folder, scaled))
    rate, base = middle([load.rate for load in runs]), middle([load.rate for load in hello])
    report.say(f"{name}_hello", base, "req/s")
    report.say(f"{name}_hello_cpu", middle([load.cpu_ms for load in hello]), "ms/req")
    report.say(f"{name}_rate", rate, "runs/s")
    bar, goal = (0.06, 0.10) if scaled else (0.10, 0.15)
    report.at_least(f"{name}_ratio", rate / base, "x hello", bar, goal)
    cpu = middle([load.cpu_ms for load in runs])
    if scaled:  # of two processes; the ruling has a bar for one
        report.say(f"{name}_cpu", cpu, "ms/run")
    else:
        report.at_most(f"{name}_cpu", cpu, "ms/run", 1.0, 0.7)
    report.say(f"{name}_p50", middle([load.p50_ms for load in runs]), "ms")
    report.at_most(f"{name}_p99", middle([load.p99_ms for load in runs]), "ms", 60)
    report.at_most(f"{name}_errors", sum(load.errors for load in runs), "errors", 0)
    report.at_most(f"{name}_unfinished", left, "runs", 0)


def _site(folder: Path, wide: bool) -> AbstractAsyncContextManager[Site]:
    return (scaled if wide else embedded)(folder, {"ten": chain(10)})


async def _alternate(folder: Path, opening: AbstractAsyncContextManager[Site]) -> tuple[list[Load], list[Load], int]:
    """Rounds of load on the baseline and on us, in turns, so that both see the same machine."""
    hello: list[Load] = []
    runs: list[Load] = []
    async with baseline(folder) as (ask, pid), opening as site:
        ours = site.start_run("ten", {"x": "hi"})
        await put_load(ours, site.pids, seconds=1)  # warm
        for _ in range(ROUNDS):
            hello.append(await put_load(ask, [pid], seconds=SECONDS))
            runs.append(await put_load(ours, site.pids, seconds=SECONDS))
        await asyncio.sleep(1)
        left = await _unfinished(site)
    return hello, runs, left


async def _unfinished(site: Site) -> int:
    """Runs that are not complete in the journal: no final row, or a log that does not end with its end."""
    reader = site.place.reader()
    rows = await reader.rows(
        "select count(*) from runs r left join segments s on s.log_id=r.id and s.last=r.head"
        " where r.status is null or r.status <> 'completed' or s.last is null or s.body not like '%\"z\"%'"
    )
    await reader.close()
    return rows[0][0]


async def b12(report: Report, folder: Path, *, wide: bool) -> None:
    """100 sequential pure steps (and 40: engine:B1), accept and settle committed."""
    async with (scaled if wide else embedded)(folder, {"hundred": chain(100), "forty": chain(40)}) as site:
        hundred = middle(await one_by_one(site, "hundred", {"x": "hi"}, times=100))
        forty = middle(await one_by_one(site, "forty", {"x": "hi"}, times=100))
    profile = "scaled" if wide else "embedded"
    report.say(f"b12_{profile}_run", hundred, "ms")
    report.at_most(f"b12_{profile}_step", hundred / 100, "ms/step", 0.1, 0.05)
    report.at_most(f"b1_{profile}_run", forty, "ms", 25, 10)


async def b13(report: Report, folder: Path, *, wide: bool) -> None:
    """A fan-out of 200 through two branches and a join."""
    async with (scaled if wide else embedded)(folder, {"fan": fan_out()}) as site:
        inputs: JsonObject = {"items": list(range(200))}
        wanted: JsonObject = {"y": [3 * item + 1 for item in range(200)]}
        took = middle(await one_by_one(site, "fan", inputs, times=100, gives=wanted))
    report.at_most(f"b13_{'scaled' if wide else 'embedded'}_run", took, "ms", 25, 12)


async def b14(report: Report, folder: Path) -> None:
    """From exec to ready on the third start; memory 30 s later, and after a first turn of the offline pilot."""
    with embedded_place(folder, LOG_LEVEL="warning") as place:
        person = (await furnish(place, {}))[0]
        for start in (1, 2, 3):
            async with process(["pilothouse", "serve"], place.environment(), folder / "serve.log") as pid:
                took = await until_open(place.port)
                if start == 3:
                    report.at_most("b14_start", took, "s", 3, 2)
                    await asyncio.sleep(30)
                    report.at_most("b14_pss", pss_mb(pid), "MB", 200)
                    took = await _first_turn(place.port, person.key)
                    report.say("b14_first_turn", took, "ms")
                    report.at_most("b14_pss_after_a_turn", pss_mb(pid), "MB", 280)


async def _first_turn(port: int, key: str) -> float:
    """From the message to the end of the stream, in milliseconds; the agent library is imported on the way."""
    headers = {"Authorization": f"Bearer {key}"}
    address = f"http://127.0.0.1:{port}/api/v1/chat/sessions"
    async with httpx2.AsyncClient(headers=headers, trust_env=False, timeout=30) as client:
        session = (await client.post(address, json={})).json()["id"]
        start = time.perf_counter()
        message = {"message": "help", "message_id": str(uuid.uuid4())}
        answer = await client.post(f"{address}/{session}/stream", json=message)
        if answer.status_code != 200 or "[DONE]" not in answer.text:
            raise RuntimeError(answer.text)
    return (time.perf_counter() - start) * 1000
