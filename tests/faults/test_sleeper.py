"""engine:Z4, F3: a worker that was stopped past its lease finds its jobs in other hands."""

import asyncio
import signal
import time
from collections import Counter
from random import Random

import pytest

from tests.faults.checker import Checker, read_logs
from tests.faults.place import Place
from tests.faults.processes import Launcher, Process
from tests.faults.report import record
from tests.faults.rig import Rig, open_rig, probe_lines
from tests.faults.scale import SEED, SLEEP_SECONDS

pytestmark = pytest.mark.scaled


async def test_a_worker_that_slept_past_its_lease_writes_nothing_and_starts_no_effect(
    launcher: Launcher, scaled: Place
):
    async with open_rig(launcher, scaled) as rig:
        await rig.start("api")
        sleeper = await rig.start("one")
        checker = Checker(rig)
        await checker.learn()
        await rig.client.start_some(Random(SEED), 16, ["steady", "effects", "probes", "timers"])
        await until_held(rig, sleeper)
        sleeper.signal(signal.SIGSTOP)
        stopped = time.monotonic()
        held = await rig.held_by(sleeper)
        assert held > 0

        await rig.start("two")
        await rig.quiet()
        await asyncio.sleep(stopped + SLEEP_SECONDS - time.monotonic())
        before = await seen(rig)
        slept = time.monotonic() - stopped
        sleeper.signal(signal.SIGCONT)
        await asyncio.sleep(2)

        assert await seen(rig) == before
        await rig.stop(rig.processes["two"])
        await rig.client.start_some(Random(SEED), 4)
        await rig.quiet()  # it works again, under another name
        await checker.judge()
        said = f"{slept:.0f} s with {held} jobs in its hands: no entry and no effect of its own afterwards"
        record("figure", name="Z4 a worker was stopped", profile="scaled", value=said)


@pytest.mark.later
async def test_a_worker_that_wakes_among_those_who_took_over_repeats_nothing(launcher: Launcher, scaled: Place):
    async with open_rig(launcher, scaled) as rig:
        await rig.start_all()
        checker = Checker(rig)
        await checker.learn()
        await rig.client.start_some(Random(SEED), 20, ["steady", "effects", "probes"])
        sleeper = rig.processes["one"]
        await until_held(rig, sleeper)
        sleeper.signal(signal.SIGSTOP)
        async with asyncio.timeout(20):
            while await rig.held_by(sleeper):
                await asyncio.sleep(0.02)
        sleeper.signal(signal.SIGCONT)  # others have just begun
        await rig.quiet()
        await checker.judge()


async def seen(rig: Rig) -> tuple[dict[str, int], Counter[str], int]:
    """All that could have changed: logs, effects, probes."""
    heads = {run_id: len(log.entries) for run_id, log in (await read_logs(rig)).items()}
    return heads, Counter(rig.effects.asked), len(probe_lines(rig.place))


async def until_held(rig: Rig, process: Process) -> None:
    """Wait until it has some jobs in its hands; another worker may have got all that came so far."""
    async with asyncio.timeout(20):
        while await rig.held_by(process) < 4:
            await rig.client.start_some(Random(SEED), 4, ["steady"])
            await asyncio.sleep(0.1)
