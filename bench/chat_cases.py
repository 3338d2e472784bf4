"""AutoPilot's streams: how soon a turn is heard while many listen, what a delta costs, what a listener keeps."""

import asyncio
import time
from pathlib import Path
from statistics import quantiles

from bench.load import cpu_seconds, pss_mb
from bench.report import Report, middle
from bench.run_cases import named, open_site
from bench.site import Site, process, until_open
from bench.talker import WARM_UP
from bench.talks import Told, allow_many_files, listening, make_sessions, speak_steadily
from scripts.programs import free_port
from tests.base.waiting import until
from tests.faults.place import Place

READERS = 1_000
TURNS_A_SECOND, SECONDS = 10, 20
TALKS, DELTAS_A_SECOND, TALK_SECONDS = 50, 20, 20
SETTLE_SECONDS = 5.0  # until what opening has cost is over
PEOPLE = 10  # five turns of each may run


async def b15(report: Report, folder: Path, *, wide: bool) -> None:
    """From the message to its turn's first event, while many sessions have a reader each and nothing to tell it."""
    name = named("b15", wide)
    allow_many_files()
    async with open_site(folder, wide, {}, people=PEOPLE) as house:
        idle = await make_sessions(house, READERS)
        fresh = await make_sessions(house, TURNS_A_SECOND * (SECONDS + 2))
        warm = TURNS_A_SECOND * 2
        async with listening(house, idle) as listeners:
            await speak_steadily(house, fresh[:warm], TURNS_A_SECOND, "help", Told())  # loads the agent library
            report.say(f"{name}_idle_cpu", await _idle_cpu(house), "% of a core for the readers alone")
            told, before = Told(), cpu_seconds(house.pids)
            await speak_steadily(house, fresh[warm:], TURNS_A_SECOND, "help", told)
            used = cpu_seconds(house.pids) - before
            lost = sum(listener.lost for listener in listeners)
    report.say(f"{name}_turns", len(told.first_ms), f"turns at {TURNS_A_SECOND}/s, {len(listeners)} readers")
    report.say(f"{name}_turn_cpu", used / len(told.first_ms) * 1000, "ms/turn, readers included")
    report.say(f"{name}_p50", middle(told.first_ms), "ms")
    report.at_most(f"{name}_p95", quantiles(told.first_ms, n=20)[18], "ms", 50)
    report.at_most(f"{name}_lost", lost, "readers", 0)


async def _idle_cpu(house: Site) -> float:
    await asyncio.sleep(SETTLE_SECONDS)
    before, start = cpu_seconds(house.pids), time.perf_counter()
    await asyncio.sleep(SETTLE_SECONDS)
    return (cpu_seconds(house.pids) - before) / (time.perf_counter() - start) * 100


async def b16(report: Report, folder: Path, *, wide: bool) -> None:
    """Many turns at once whose model never stops talking: what a delta costs, and how old it is when it is read."""
    name, port = named("b16", wide), free_port()
    words = ["bench.talker", str(port), str(DELTAS_A_SECOND), str(TALK_SECONDS)]
    settings = {"OPENAI_BASE_URL": f"http://127.0.0.1:{port}/v1", "OPENAI_API_KEY": "k"}
    settings |= {"CHAT_MODEL": "openai/clock", "CHAT_TITLE_MODEL": "offline"}
    async with (
        process(words, Place(folder).environment(), folder / "talker.log"),
        open_site(folder, wide, {}, people=PEOPLE, **settings) as house,
    ):
        await until_open(port)
        first, *sessions = await make_sessions(house, TALKS + 1)
        await speak_steadily(house, [first], TALKS, WARM_UP, Told())
        told = Told()
        talking = asyncio.create_task(speak_steadily(house, sessions, TALKS, "go on", told))
        await until(lambda: told.talking == TALKS, 60)
        since, before = time.monotonic(), cpu_seconds(house.pids)
        await asyncio.sleep(TALK_SECONDS / 2)
        window, used = (since, time.monotonic()), cpu_seconds(house.pids) - before
        await talking
    _tell_talks(report, name, told, window, used)


def _tell_talks(report: Report, name: str, told: Told, window: tuple[float, float], used: float) -> None:
    since, end = window
    seconds = end - since
    frames = sum(since <= heard < end for heard in told.frames)
    ages = [(heard - said) * 1000 for heard, said in told.pieces if since <= heard < end]
    report.at_most(f"{name}_missing", TALKS * TALK_SECONDS * DELTAS_A_SECOND - len(told.pieces), "deltas", 0)
    report.say(f"{name}_deltas", len(ages) / seconds, f"deltas/s of {TALKS * DELTAS_A_SECOND}")
    report.say(f"{name}_events", frames / seconds, "events/s read")
    report.say(f"{name}_cpu", used / seconds * 100, "% of a core")
    report.say(f"{name}_event_cpu", used / frames * 1000, "ms/event")
    report.say(f"{name}_age_p50", middle(ages), "ms from the model to the reader")
    report.at_most(f"{name}_age_p95", quantiles(ages, n=20)[18], "ms", 250)


async def b17(report: Report, folder: Path, *, wide: bool) -> None:
    """What a reader on an idle session keeps of the memory of the process that answers it."""
    name = named("b17", wide)
    allow_many_files()
    async with open_site(folder, wide, {}, people=PEOPLE) as house:
        door = house.pids[0]
        idle = await make_sessions(house, READERS)
        async with listening(house, idle[:50]):
            await asyncio.sleep(1)  # what any reader makes the process load is not counted
        await asyncio.sleep(SETTLE_SECONDS)
        before = pss_mb(door)
        async with listening(house, idle):
            await asyncio.sleep(2 * SETTLE_SECONDS)
            after = pss_mb(door)
    report.say(f"{name}_pss", after, f"MB with {READERS} readers, {before:.1f} without")
    report.say(f"{name}_reader", (after - before) * 1024 / READERS, "KB/reader")
