"""engine:Z1, F1: killed at random moments with at least eight jobs in flight, over and over.

Any process is killed: those that work, and the one that answers, whose callers ask again under the same keys.
"""

import asyncio
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

DOOR = "api"  # takes no jobs
MAX_UNFINISHED = 60
PATIENCE_SECONDS = 30.0
ASKED_AT_A_KILL = 12  # about a third of a second long


@pytest.mark.parametrize("part", range(PARTS))
async def test_random_kills_lose_and_repeat_nothing(quick_launcher: Launcher, place: Place, part: int):
    """In parts, which can go on beside each other: most of the time is spent waiting for leases to run out."""
    random = Random(SEED + part)
    async with open_rig(quick_launcher, place, seed=SEED + part, drops=0.05) as rig:
        await rig.start_all()
        checker = Checker(rig)
        await checker.learn()
        rig.client.patience = PATIENCE_SECONDS
        kills = 0
        earlier: list[Orphans] = []
        recoveries: list[asyncio.Task[None]] = []
        while kills < -(-RANDOM_KILLS // PARTS):
            victim = random.choice(list(rig.processes.values()))
            await load(rig, victim, random)
            orphans = await kill(checker, victim, random, earlier)
            kills += victim.name == DOOR or orphans.in_flight >= JOBS_IN_FLIGHT  # fewer: one too many
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


async def kill(checker: Checker, victim: Process, random: Random, earlier: list[Orphans]) -> Orphans:
    """Kill it while runs are asked for, and start it again; answers the jobs that it left behind."""
    rig, asked_again = checker.rig, checker.rig.client.asked_again
    asking = asyncio.create_task(ask_on(rig, random))
    await asyncio.sleep(random.uniform(0, 0.3))
    await victim.kill()
    orphans = await orphans_of(rig, victim)
    orphans.follow(earlier)
    rig.history.note("kill", process=victim.name, orphans=sorted(orphans.heads))
    in_flight = await rig.unfinished()
    await checker.freeze()
    await rig.start(victim.name)
    if rig.embedded:
        orphans.from_now()
    await asking
    if victim.name == DOOR:
        again = rig.client.asked_again - asked_again
        record("door_kill", profile=rig.profile, in_flight=in_flight, asked_again=again)
    return orphans


async def watch(rig: Rig, orphans: Orphans) -> None:
    times = await orphans.recovered(ORPHAN_SECONDS)
    if orphans.in_flight >= JOBS_IN_FLIGHT:
        record("kill", profile=rig.profile, in_flight=orphans.in_flight, seconds=times, waited=orphans.waited)


async def ask_on(rig: Rig, random: Random) -> None:
    """Ask for runs one after the other while the victim dies; who gets no answer asks again under the same key."""
    async with asyncio.TaskGroup() as tasks:
        for _ in range(ASKED_AT_A_KILL):
            tasks.create_task(rig.client.start_some(random, 1))
            await asyncio.sleep(0.02)


async def load(rig: Rig, victim: Process, random: Random) -> None:
    """Give the victim eight jobs, or others if it takes none, and let those that were hit before finish a step.

    Not more than can run at a time: the rest would pile up behind the caps and take minutes to end.
    """
    async with asyncio.timeout(60):
        while (short := await jobs_of(rig, victim) < JOBS_IN_FLIGHT) or await rig.has_suspects(3):
            if short and await rig.unfinished() < MAX_UNFINISHED:
                await rig.client.start_some(random, 12, ["steady"] * 10 + MIXED)
            await asyncio.sleep(0.05)


async def jobs_of(rig: Rig, process: Process) -> int:
    return await (rig.unfinished() if process.name == DOOR else rig.held_by(process))
