"""Runs of every shape: effects, starts, acknowledgements, wide and deep ones, on both profiles."""

import time
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path
from statistics import quantiles

from bench import site
from bench.agents import chain, effects, kilobytes, triggered
from bench.callers import one_by_one, send_steadily, start_times, through, until_idle, work_times
from bench.events import event, runs_unlike
from bench.facts import CORES, durable_commit_ms, postgres_commit_ms
from bench.load import Ask, Load, cpu_seconds, forget_peak, peak_mb, put_load
from bench.report import Report, middle
from bench.site import Site
from pilothouse.base.postgres import dsn_of
from pilothouse.kit.json import JsonObject

ROUNDS = 5
START_SECONDS = 4
PAYLOAD: JsonObject = {"id": 7, "action": "opened", "labels": ["a", "b"], "text": "x" * 500}


def open_site(
    folder: Path, wide: bool, documents: dict[str, JsonObject], *, people: int = 1, **settings: str
) -> AbstractAsyncContextManager[Site]:
    return (site.scaled if wide else site.embedded)(folder, documents, people=people, **settings)


def named(case: str, wide: bool) -> str:
    return f"{case}_scaled" if wide else f"{case}_embedded"


async def b2(report: Report, folder: Path, *, wide: bool) -> None:
    """40 effect steps one after another: each waits for the disk before it acts and after."""
    name = named("b2", wide)
    async with open_site(folder, wide, {"effects": effects(40)}) as house:
        url = house.place.database_url
        unit = durable_commit_ms() if url is None else await postgres_commit_ms(dsn_of(url))
        since = time.time_ns() // 1_000
        answered = middle(await one_by_one(house, "effects", {"x": 1}, times=30))
        took = middle(await work_times(house, since))
    report.say(f"{name}_u", unit, "ms")
    report.say(f"{name}_run", answered, "ms from the request to the answer")
    report.at_most(f"{name}_step", took / 40, "ms/step", 2 * unit + 0.5)


async def b3(report: Report, folder: Path, *, wide: bool) -> None:
    """From the acceptance to the first step, while runs come at a steady rate."""
    name, rate = named("b3", wide), 125 * CORES
    rounds: list[list[float]] = []
    async with open_site(folder, wide, {"four": chain(4)}) as house:
        await put_load(house.start_run("four", {"x": "hi"}), house.pids, seconds=1)  # warm
        await until_idle(house)
        before = cpu_seconds(house.pids)
        for _ in range(ROUNDS):
            since = time.time_ns() // 1_000
            await send_steadily(house.accept_run("four", {"x": "hi"}), rate, START_SECONDS)
            await until_idle(house)
            rounds.append(await start_times(house, since))
        used = cpu_seconds(house.pids) - before
    runs = sum(map(len, rounds))
    report.say(f"{name}_runs", runs, f"runs at {rate}/s")
    report.say(f"{name}_cpu", used / runs * 1000, "ms/run")
    report.at_most(f"{name}_p50", middle([middle(took) for took in rounds]), "ms", 10, 3)
    report.at_most(f"{name}_p99", middle([quantiles(took, n=100)[98] for took in rounds]), "ms", 50)


async def b4(report: Report, folder: Path, *, wide: bool) -> None:
    """A trigger with its payload and one block, acknowledged when committed; the rate is that of runs that are done."""
    name = named("b4", wide)
    rounds: list[Load] = []
    async with open_site(folder, wide, {"triggered": triggered()}) as house:
        ask = await event(house, "triggered", PAYLOAD)
        await _until_done(house, ask, seconds=1)  # warm
        for _ in range(ROUNDS):
            rounds.append(await _until_done(house, ask, seconds=3))
        unlike = await runs_unlike(house, steps=2)
    writes = 1000 / durable_commit_ms()  # SQLite has one writer, however many ask
    bar = 125 * CORES if wide else min(300, 0.35 * writes)
    report.at_least(f"{name}_rate", middle([load.rate for load in rounds]), "runs/s", bar, 500)
    report.say(f"{name}_cpu", middle([load.cpu_ms for load in rounds]), "ms/run")
    report.at_most(f"{name}_p99", middle([load.p99_ms for load in rounds]), "ms", 1000)
    report.at_most(f"{name}_errors", sum(load.errors for load in rounds), "errors", 0)
    report.at_most(f"{name}_unlike", unlike, "runs that did not do their two steps", 0)


async def _until_done(house: Site, ask: Ask, *, seconds: int) -> Load:
    """Load, and what it came to once every run had ended."""
    before, start = cpu_seconds(house.pids), time.perf_counter()
    load = await put_load(ask, house.pids, seconds=seconds)
    await until_idle(house)
    took, used = time.perf_counter() - start, cpu_seconds(house.pids) - before
    return replace(load, rate=load.requests / took, cpu_ms=used / load.requests * 1000)


async def b5(report: Report, folder: Path, *, wide: bool) -> None:
    """Four steps, and the caller waits."""
    name = named("b5", wide)
    async with open_site(folder, wide, {"four": chain(4)}) as house:
        took = await one_by_one(house, "four", {"x": "hi"}, times=300)
    report.at_most(f"{name}_p50", middle(took), "ms", 25)
    report.at_most(f"{name}_p99", quantiles(took, n=100)[98], "ms", 100)


async def b6(report: Report, folder: Path, *, wide: bool) -> None:
    """10,000 items of a kilobyte through three nodes into a join."""
    name = named("b6", wide)
    async with open_site(folder, wide, {"kilobytes": kilobytes()}) as house:
        await one_by_one(house, "kilobytes", {"items": list(range(10))}, times=3)
        worker = house.pids[-1]
        before = forget_peak(worker)
        took = [await through(house, "kilobytes", {"items": list(range(10_000))}) for _ in range(ROUNDS)]
        grown = peak_mb(worker) - before
    report.at_most(f"{name}_run", middle(took), "s", 20, 10)
    report.at_most(f"{name}_memory", grown, "MB more", 100, 50)
