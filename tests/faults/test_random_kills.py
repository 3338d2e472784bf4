"""engine:Z1, F1: killed at random moments with at least eight jobs in flight, over and over."""

import asyncio
import time
from random import Random

import pytest

from tests.faults.agents import MIXED
from tests.faults.checker import Checker
from tests.faults.orphans import Orphans, orphans_of
from tests.faults.place import Place
from tests.faults.processes import Launcher, Process
from tests.faults.report import record
from tests.faults.rig import Rig, open_rig
from tests.faults.scale import JOBS_IN_FLIGHT, ORPHAN_SECONDS, PARTS, RANDOM_KILLS, SEED

MAX_UNFINISHED = 60


@pytest.mark.parametrize("part", range(PARTS))
async def test_random_kills_lose_and_repeat_nothing(quick_launcher: Launcher, place: Place, part: int):
    """In parts, which can go on beside each other: most of the time is spent waiting for leases to run out."""
    random = Random(SEED + part)
    async with open_rig(quick_launcher, place, seed=SEED + part, drops=0.05) as rig:
        await rig.start_all()
        checker = Checker(rig)
        await checker.learn()
        kills = 0
        earlier: list[Orphans] = []
        recoveries: list[asyncio.Task[None]] = []
        while kills < -(-RANDOM_KILLS // PARTS):
            victim = random.choice(rig.workers)
            await load(rig, victim, random)
            await asyncio.sleep(random.uniform(0, 0.3))
            await victim.kill()
            orphans = await orphans_of(rig, victim)
            for others in earlier:
                others.give_up(orphans)
            earlier.append(orphans)
            rig.history.note("kill", process=victim.name, orphans=sorted(orphans.heads))
            kills += len(orphans.heads) >= JOBS_IN_FLIGHT  # fewer, and it was one too many
            await checker.freeze()
            await rig.start(victim.name)
            if rig.embedded:
                orphans.since = time.time()
            recoveries.append(asyncio.create_task(watch(rig, orphans)))
            if rig.embedded:
                await asyncio.wait(recoveries[-1:])  # nobody else could go on with them after the next kill
            if any(task.done() and task.exception() for task in recoveries):
                break  # what was done so far is judged all the same
        late = await asyncio.gather(*recoveries, return_exceptions=True)
        await rig.quiet()
        await checker.judge()
        for failure in filter(None, late):
            raise failure


async def watch(rig: Rig, orphans: Orphans) -> None:
    in_flight = len(orphans.heads)
    times = await orphans.recovered(ORPHAN_SECONDS)
    if in_flight >= JOBS_IN_FLIGHT:
        record("kill", profile=rig.profile, in_flight=in_flight, recovery=times)


async def load(rig: Rig, victim: Process, random: Random) -> None:
    """Give the victim eight jobs, and let those that were hit before finish a step.

    Not more than can run at a time: the rest would pile up behind the caps and take minutes to end.
    """
    async with asyncio.timeout(60):
        while (short := await rig.held_by(victim) < JOBS_IN_FLIGHT) or await rig.has_suspects(3):
            if short and await rig.unfinished() < MAX_UNFINISHED:
                await rig.client.start_some(random, 12, ["steady"] * 10 + MIXED)
            await asyncio.sleep(0.05)
