"""How each failpoint is met: by load alone, or by something that has to happen first.

Each stage arms one process, brings it to its end there, and answers it dead.
"""

import asyncio
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from random import Random
from typing import TypeAlias

from tests.faults.processes import Died, Process
from tests.faults.rig import Rig
from tests.faults.scale import LEASE_SECONDS

Stage: TypeAlias = Callable[[Rig, str, Random], Awaitable[Process]]


async def arm(rig: Rig, name: str, failpoint: str) -> Process:
    """Put a process in place that will die there, maybe before it is ready; all others run."""
    for process in list(rig.processes.values()):
        if process.name == name and process.alive:
            await rig.stop(process)
        elif process.name != name and not process.alive:
            await rig.start(process.name)
    try:
        return await rig.start(name, failpoint=failpoint)
    except Died:
        return rig.processes[name]


def worker_of(rig: Rig) -> str:
    return "serve" if rig.embedded else "one"


async def under_load(rig: Rig, failpoint: str, random: Random) -> Process:
    """Start runs until the process meets its end."""
    name = "api" if failpoint == "accepted_not_rung" and not rig.embedded else worker_of(rig)
    victim = await arm(rig, name, f"{failpoint}:{random.randint(1, 4)}")
    death = asyncio.create_task(victim.gone(30))
    agents = ["nested"] * 6 + ["effects"] * 2 if failpoint == "child_admitted" else None
    while not death.done():
        await rig.client.start_some(random, 8, agents)
        await asyncio.wait([death], timeout=0.4)
    return victim


async def after_another_death(rig: Rig, failpoint: str, random: Random) -> Process:
    """The one that gives a dead worker's jobs back dies before it rings for them."""
    if rig.embedded:
        await arm(rig, "serve", "lease_lost")  # which it cannot meet
        await rig.client.start_some(random, 12, ["steady", "effects", "probes"])
        await rig.processes["serve"].kill()
        return await arm(rig, "serve", failpoint)
    victim = await arm(rig, "one", failpoint)
    async with asyncio.timeout(20):
        while not await rig.held_by(rig.processes["two"]):  # the victim may have got all that came so far
            await rig.client.start_some(random, 12, ["steady"])
    await rig.processes["two"].kill()
    await alone(rig, victim, LEASE_SECONDS + 10)
    return victim


async def with_timers(rig: Rig, failpoint: str, random: Random) -> Process:
    """The one that found a timer due dies before it wakes the run."""
    victim = await arm(rig, worker_of(rig), failpoint)
    await rig.client.start_some(random, 6, ["timers"])
    async with asyncio.timeout(10):
        while victim.alive and not await rig.reader.rows("select 1 from jobs where state='waiting'"):
            await asyncio.sleep(0.01)
    await alone(rig, victim, 10)
    return victim


async def alone(rig: Rig, victim: Process, seconds: float) -> None:
    """Stop all others for a while: one of them might be the first to sweep."""
    others = [process for process in rig.processes.values() if process is not victim]
    for process in others:
        process.signal(signal.SIGSTOP)
    await victim.gone(seconds)
    for process in others:
        process.signal(signal.SIGCONT)


async def after_a_long_sleep(rig: Rig, failpoint: str, random: Random) -> Process:
    """A worker that slept past its lease dies at the moment it finds out."""
    victim = await arm(rig, "one", failpoint)
    while not await rig.held_by(victim):
        await rig.client.start_some(random, 8, ["steady", "effects", "probes"])
    victim.signal(signal.SIGSTOP)
    await asyncio.sleep(LEASE_SECONDS + 1)
    victim.signal(signal.SIGCONT)
    await victim.gone(10)
    return victim


def send_fact(rig: Rig, run_id: str, **settings: str) -> int:
    """Send `go` to a run from another process; answers how that ended."""
    words = [sys.executable, "-m", "tests.faults.send_fact", rig.people[0].user_id, run_id, "go"]
    return subprocess.run(words, env=rig.place.environment(**settings), check=False, timeout=60).returncode


# The sender of a fact is no process of the installation: it has a test of its own.
STAGES: dict[str, Stage] = {
    "accepted_not_rung": under_load,
    "rung_not_claimed": under_load,
    "claimed_nothing_flushed": under_load,
    "before_flush_commit": under_load,
    "after_flush_commit": under_load,
    "effect_done_not_journaled": under_load,
    "child_admitted": under_load,
    "before_settle": under_load,
    "after_settle": under_load,
    "before_suspend": under_load,
    "after_suspend": under_load,
    "timer_due": with_timers,
    "requeued_not_rung": after_another_death,
    "lease_lost": after_a_long_sleep,
}
NOT_EMBEDDED = {"lease_lost"}  # the directory's lock is no lease: there is nothing to lose in a single process
