"""How each failpoint of a turn is met: by errands alone, or by something that has to happen first.

Each stage arms one process, brings it to its end there, and answers it dead with the turns that it left behind.
"""

import asyncio
import signal
import time
from collections.abc import Awaitable, Callable
from random import Random
from typing import TypeAlias

from pilothouse.base.failpoints import FAILPOINTS, TURN_FAILPOINTS
from tests.faults.errands import Errands
from tests.faults.orphans import Orphans, turn_orphans_of
from tests.faults.processes import Process
from tests.faults.rig import Rig
from tests.faults.scale import FULL, LEASE_SECONDS
from tests.faults.stages import alone, arm, worker_of

Stage: TypeAlias = Callable[[Errands, str, Random], Awaitable[tuple[Process, Orphans]]]

MAX_UNFINISHED = 24 if FULL else 18
MIXED, SLEEPING = ["tools", "tools", "tools", "run", "delegating", "followed"], ["run", "delegating"]
PATIENCE_SECONDS = 60.0


async def turns_of(rig: Rig, process: Process) -> int:
    """How many turns this process works on."""
    sql, rows = "select count(*) from jobs where kind='turn.advance' and state='running'", rig.reader.rows
    return (await (rows(sql) if rig.embedded else rows(f"{sql} and owner=?1", process.worker_id or "")))[0][0]


async def bury(errands: Errands, victim: Process) -> Orphans:
    """The turns that were in the hands of the dead, and what of them was finished."""
    orphans = await turn_orphans_of(errands.rig, victim)
    errands.rig.history.note("kill", process=victim.name, orphans=sorted(orphans.heads))
    await errands.freeze(list(orphans.heads))
    return orphans


async def under_load(errands: Errands, failpoint: str, random: Random) -> tuple[Process, Orphans]:
    """Send people on errands until the process meets its end."""
    rig = errands.rig
    name = "api" if failpoint == "accepted_not_rung" and not rig.embedded else worker_of(rig)
    plans = SLEEPING if failpoint in OF_SLEEPERS else MIXED
    victim = await arm(rig, name, f"{failpoint}:{random.randint(1, 4)}")
    death = asyncio.create_task(victim.gone(PATIENCE_SECONDS))
    while not death.done():
        if await rig.unfinished() < MAX_UNFINISHED:
            await errands.send_some(random, 4, plans)
        await asyncio.wait([death], timeout=0.3)
    return victim, await bury(errands, victim)


async def with_parked_work(errands: Errands, failpoint: str, random: Random) -> tuple[Process, Orphans]:
    """Turns whose calls do not wait for the end of a run."""
    victim = await arm(errands.rig, worker_of(errands.rig), failpoint)
    death = asyncio.create_task(victim.gone(PATIENCE_SECONDS))
    while not death.done():
        await errands.send(errands.rig.people[0], "parking")
        await asyncio.wait([death], timeout=2)
    return victim, await bury(errands, victim)


async def when_due(errands: Errands, failpoint: str, random: Random) -> tuple[Process, Orphans]:
    """The one that found that a turn has slept long enough dies before it wakes it."""
    rig = errands.rig
    victim = await arm(rig, worker_of(rig), failpoint)
    asleep = "select 1 from jobs where kind='turn.advance' and state='waiting' and due_at > 0"
    async with asyncio.timeout(PATIENCE_SECONDS):
        while victim.alive:  # another may have been the first to look
            await errands.send(rig.people[0], "parking")
            while victim.alive and not await rig.reader.rows(asleep):
                await asyncio.sleep(0.01)
            await alone(rig, victim, LEASE_SECONDS / 2)
    return victim, await bury(errands, victim)


async def after_another_death(errands: Errands, failpoint: str, random: Random) -> tuple[Process, Orphans]:
    """The one that gives a dead worker's turns back dies before it rings for them."""
    rig = errands.rig
    victim = await arm(rig, worker_of(rig), "lease_lost" if rig.embedded else failpoint)  # which it cannot meet there
    first = victim if rig.embedded else rig.processes["two"]
    await hand_some_to(errands, first, random)
    await first.kill()
    orphans = await bury(errands, first)
    if rig.embedded:
        return await arm(rig, "serve", failpoint), orphans
    await alone(rig, victim, LEASE_SECONDS + 10)
    orphans.heads |= (await bury(errands, victim)).heads
    return victim, orphans


async def after_a_long_sleep(errands: Errands, failpoint: str, random: Random) -> tuple[Process, Orphans]:
    """A worker that slept past its lease dies at the moment it finds out; another went on with its turns meanwhile."""
    victim = await arm(errands.rig, "one", failpoint)
    await hand_some_to(errands, victim, random)
    victim.signal(signal.SIGSTOP)
    stopped_at = time.time()
    orphans = await bury(errands, victim)
    orphans.since = stopped_at
    await asyncio.sleep(LEASE_SECONDS + 1)
    victim.signal(signal.SIGCONT)
    await victim.gone(10)
    return victim, orphans


async def hand_some_to(errands: Errands, process: Process, random: Random) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while await turns_of(errands.rig, process) < 4:
            if await errands.rig.unfinished() < MAX_UNFINISHED:
                await errands.send_some(random, 4, MIXED)
            await asyncio.sleep(0.1)


OF_SLEEPERS = {"before_suspend", "after_suspend", "turn_woken"}
# Of the steps of a run, and of who tells a run.
NOT_OF_TURNS = {"effect_done_not_journaled", "child_admitted", "fact_sent_not_woken"}
NOT_EMBEDDED = {"lease_lost"}
STAGES: dict[str, Stage] = {
    **{name: under_load for name in (*FAILPOINTS, *TURN_FAILPOINTS) if name not in NOT_OF_TURNS},
    "timer_due": when_due,
    "requeued_not_rung": after_another_death,
    "lease_lost": after_a_long_sleep,
    "turn_parked": with_parked_work,
}
