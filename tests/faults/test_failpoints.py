"""engine:Z1, F1: killed at every named place, on both profiles, nothing acknowledged is lost or done twice."""

import asyncio
import signal
from random import Random

import pytest

from pilothouse.base.failpoints import FAILPOINTS
from tests.faults.checker import Checker
from tests.faults.orphans import Orphans, orphans_of
from tests.faults.place import Place
from tests.faults.processes import Launcher, Process
from tests.faults.report import record
from tests.faults.rig import Rig, open_rig
from tests.faults.scale import FULL, KILLS_PER_FAILPOINT, ORPHAN_SECONDS, SEED
from tests.faults.stages import NOT_EMBEDDED, STAGES, send_fact

BREATH = 2  # kills in a row; jobs that see a third death without having finished a step have to take turns
SENDER = "fact_sent_not_woken"


def test_every_failpoint_has_a_stage():
    assert {*STAGES, SENDER} == set(FAILPOINTS)


@pytest.mark.parametrize("part", range(KILLS_PER_FAILPOINT))
async def test_a_kill_at_any_place_loses_and_repeats_nothing(launcher: Launcher, place: Place, part: int):
    """engine:W4 too: a parent that dies after its child was admitted finds the same child, and starts no other."""
    random = Random(SEED + part)
    async with open_rig(launcher, place, seed=SEED + part, drops=0.05) as rig:
        names = [name for name in STAGES if not (rig.embedded and name in NOT_EMBEDDED)]
        await rig.start_all()
        checker = Checker(rig)
        await checker.learn()
        for number, failpoint in enumerate(names):
            victim = await STAGES[failpoint](rig, failpoint, random)
            assert victim.code == -signal.SIGKILL, f"{failpoint} was not met: {victim.said()}"
            rig.history.note("died", process=victim.name, failpoint=failpoint)
            record("failpoint", name=failpoint, profile=rig.profile)
            orphans = await orphans_of(rig, victim)
            await checker.freeze()
            if FULL or number % BREATH == BREATH - 1:
                await recover(rig, victim, orphans)
        for process in list(rig.processes.values()):
            if not process.alive:
                await rig.start(process.name)
        await rig.quiet()
        await checker.judge()


async def recover(rig: Rig, victim: Process, orphans: Orphans) -> None:
    """Time the jobs of the dead, and let each finish a step. Scaled, the living go on with them."""
    if rig.embedded:
        await rig.start(victim.name)
        orphans.from_now()
    elif not rig.processes["two"].alive:
        await rig.start("two")
    times = await orphans.recovered(ORPHAN_SECONDS)
    record("recovery", profile=rig.profile, seconds=times, waited=orphans.waited)
    async with asyncio.timeout(30):
        while await rig.has_suspects(2):
            await asyncio.sleep(0.05)


async def test_a_fact_whose_sender_died_before_the_ring_is_taken_once(launcher: Launcher, place: Place):
    async with open_rig(launcher, place) as rig:
        await rig.start_all()
        run_ids = [await rig.client.start("waits", n) for n in range(KILLS_PER_FAILPOINT)]
        for run_id in run_ids:
            assert run_id is not None
            await asleep(rig, run_id)
            assert send_fact(rig, run_id, FAILPOINT=SENDER) == -signal.SIGKILL
            record("failpoint", name=SENDER, profile=rig.profile)
            run = await rig.client.ended(run_id)
            assert run["outputs"] == {"result": [run["inputs"]["n"] + 2]}
        await rig.quiet()
        await Checker(rig).judge()


async def asleep(rig: Rig, run_id: str) -> None:
    async with asyncio.timeout(10):
        while not await rig.reader.rows("select 1 from jobs where id=?1 and state='waiting'", run_id):
            await asyncio.sleep(0.02)
