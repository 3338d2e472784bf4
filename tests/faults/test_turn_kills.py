"""autopilot:11.1, 11.2, 11.3: killed with many turns in flight; each ends as one that nobody disturbed.

The model is a provider on loopback that thinks, speaks and makes parallel calls over several rounds. Some calls have
effects that may not be repeated: those end as `interrupted`, and nothing of them is done a second time. Some turns
wait for a run or for a session below, of which there is one in the end; in some the user speaks, and is heard once.
"""

import asyncio
import signal
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from random import Random

import pytest

from tests.faults.errands import Errands
from tests.faults.minds import open_mind
from tests.faults.orphans import Orphans
from tests.faults.place import Place
from tests.faults.processes import Launcher, Process
from tests.faults.report import record
from tests.faults.rig import Rig, open_rig
from tests.faults.scale import FULL, JOBS_IN_FLIGHT, KILLS_PER_FAILPOINT, ORPHAN_SECONDS, PARTS, SEED, TURN_KILLS
from tests.faults.turn_stages import MAX_UNFINISHED, MIXED, NOT_EMBEDDED, STAGES, bury, turns_of

PEOPLE = 5 if FULL else 4  # each has at most five turns that run
# Dies with a call that was made and must not be made again; the other places are met in `test_turns` at each test.
AT_EACH_TEST = ["turn_tool_done"]


@asynccontextmanager
async def open_errands(launcher: Launcher, place: Place, seed: int, *plans: str) -> AsyncGenerator[Errands]:
    """An installation at work, that knows what undisturbed turns of these plans come to."""
    async with open_mind(place) as (mind, place), open_rig(launcher, place, seed=seed, people=PEOPLE) as rig:
        await rig.start_all()
        errands = Errands(rig, mind)
        await errands.learn(*plans)
        yield errands


@pytest.mark.parametrize("part", range(PARTS))
async def test_random_kills_with_turns_in_flight_lose_and_repeat_nothing(
    quick_launcher: Launcher, place: Place, part: int
):
    """11.1, 11.2, 11.3: at least eight of them in the hands of the process that dies."""
    random = Random(SEED + part)
    async with open_errands(quick_launcher, place, SEED + part, *set(MIXED)) as errands:
        rig, kills = errands.rig, 0
        earlier: list[Orphans] = []
        recoveries: list[asyncio.Task[None]] = []
        while kills < -(-TURN_KILLS // PARTS):
            victim = random.choice(rig.workers)
            await load(errands, victim, random)
            await asyncio.sleep(random.uniform(0, 0.5))
            await victim.kill()
            orphans = await bury(errands, victim)
            orphans.follow(earlier)
            kills += orphans.in_flight >= JOBS_IN_FLIGHT  # fewer, and it was one too many
            await rig.start(victim.name)
            if rig.embedded:
                orphans.from_now()
            recoveries.append(asyncio.create_task(watch(rig, orphans)))
            if rig.embedded:
                await asyncio.wait(recoveries[-1:])  # nobody else could go on with them after the next kill
            if any(task.done() and task.exception() for task in recoveries):
                break  # what was done so far is judged all the same
        late = await asyncio.gather(*recoveries, return_exceptions=True)
        await settle(errands)
        for failure in filter(None, late):
            raise failure


async def load(errands: Errands, victim: Process, random: Random) -> None:
    """Give the victim eight turns, and let those that were hit before finish a round."""
    async with asyncio.timeout(90):
        while (short := await turns_of(errands.rig, victim) < JOBS_IN_FLIGHT) or await errands.rig.has_suspects(3):
            if short and await errands.rig.unfinished() < MAX_UNFINISHED:
                await errands.send_some(random, 6, MIXED)
            await asyncio.sleep(0.05)


async def watch(rig: Rig, orphans: Orphans) -> None:
    times = await orphans.recovered(ORPHAN_SECONDS)
    if orphans.in_flight >= JOBS_IN_FLIGHT:
        record("turn_kill", profile=rig.profile, in_flight=orphans.in_flight, seconds=times, waited=orphans.waited)


async def settle(errands: Errands) -> None:
    """Let everything come to its end, and judge it."""
    await errands.send_unacknowledged()
    await errands.ended()
    await errands.stop_runs()
    await errands.rig.quiet()
    await errands.judge()


@pytest.mark.later("scaled")
@pytest.mark.parametrize("part", range(KILLS_PER_FAILPOINT))
async def test_turns_killed_at_any_place_end_like_undisturbed_ones(launcher: Launcher, place: Place, part: int):
    """11.1, 11.2, 11.3"""
    random = Random(SEED + part)
    plans = [*set(MIXED), *(["parking"] if FULL else [])]
    async with open_errands(launcher, place, SEED + part, *plans) as errands:
        rig = errands.rig
        for name in STAGES if FULL else AT_EACH_TEST:
            if rig.embedded and name in NOT_EMBEDDED:
                continue
            victim, orphans = await STAGES[name](errands, name, random)
            assert victim.code == -signal.SIGKILL, f"{name} was not met: {victim.said()}"
            record("turn_failpoint", name=name, profile=rig.profile)
            await recover(errands, victim, orphans)
        await settle(errands)


async def recover(errands: Errands, victim: Process, orphans: Orphans) -> None:
    """Time the turns of the dead, and let each finish a round. Scaled, the living go on with them, if there are any."""
    rig = errands.rig
    if rig.embedded or victim.name == "api" or not rig.processes["two"].alive:
        for process in list(rig.processes.values()):
            if not process.alive:
                await rig.start(process.name)
        orphans.from_now()
    times = await orphans.recovered(ORPHAN_SECONDS)
    record("turn_recovery", profile=rig.profile, seconds=times, waited=orphans.waited)
    await errands.send_unacknowledged()
    async with asyncio.timeout(60):
        while await rig.has_suspects(2):
            await asyncio.sleep(0.05)
