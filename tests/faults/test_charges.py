"""engine:Z2, F4: a payment service whose answers get lost while workers die makes every charge, and makes it once."""

import asyncio
from random import Random

import pytest

from tests.faults.checker import Checker
from tests.faults.place import Place
from tests.faults.processes import Launcher
from tests.faults.report import record
from tests.faults.rig import Rig, open_rig
from tests.faults.scale import REPEATED_CHARGES, SEED

DEATHS = 25 if REPEATED_CHARGES >= 1_000 else 1
MAX_UNFINISHED = 60
PAYING = ["fan_out", "effects"]


@pytest.mark.alone
@pytest.mark.later("scaled")
async def test_a_charge_is_made_once_however_often_it_is_asked_for(launcher: Launcher, place: Place):
    random = Random(SEED)
    async with open_rig(launcher, place, drops=0.25) as rig:
        await rig.start_all()
        checker = Checker(rig)
        await checker.learn()
        for death in range(1, DEATHS + 1):
            await pay(rig, random, until=death * REPEATED_CHARGES // DEATHS)
            victim = random.choice(rig.workers)
            await victim.kill()
            rig.history.note("kill", process=victim.name)
            await checker.freeze()
            await rig.start(victim.name)
        await rig.quiet()
        await checker.judge()
        effects = rig.effects
        assert effects.repeated >= REPEATED_CHARGES
        said = f"{len(effects.acted)} charges, asked for {effects.repeated} times more than once"
        said += f" ({effects.dropped.total()} answers lost, {DEATHS} workers killed): each made once"
        record("figure", name="Z2 payments", profile=rig.profile, value=said)


async def pay(rig: Rig, random: Random, *, until: int) -> None:
    """Keep runs that charge going until so many charges were asked for again."""
    while rig.effects.repeated < until:
        if await rig.unfinished() < MAX_UNFINISHED:
            await rig.client.start_some(random, 12, PAYING)
        else:
            await asyncio.sleep(0.05)
