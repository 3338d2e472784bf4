"""How processes and runs end: poison, an orderly stop, a cancel."""

import asyncio
import signal
from random import Random

import pytest

from tests.faults.checker import Checker, read_runs
from tests.faults.place import Place
from tests.faults.processes import Launcher
from tests.faults.report import record
from tests.faults.rig import Rig, open_rig
from tests.faults.scale import SEED


@pytest.mark.later("scaled")
async def test_a_run_that_kills_its_worker_ends_as_poison_and_spares_the_others(launcher: Launcher, place: Place):
    """F8."""
    async with open_rig(launcher, place) as rig:
        await rig.start_all()
        checker = Checker(rig)
        await checker.learn()
        await rig.client.start_some(Random(SEED), 8, ["steady", "effects"])
        await rig.client.start("poison", 1)  # embedded, it kills whoever would have acknowledged it
        sql = "select id from runs where agent_id=?1"
        bomb = (await rig.reader.rows(sql, rig.people[0].agents["poison"]))[0][0]
        deaths = await supervise(rig, bomb)
        record("figure", name="workers that a poison run killed", profile=rig.profile, value=deaths)

        run = await rig.client.ended(bomb)
        assert (run["status"], run["reason"]["code"]) == ("failed", "poison")
        assert deaths == 5
        await rig.quiet()
        await checker.judge()


async def supervise(rig: Rig, run_id: str) -> int:
    """Start what died, as any supervisor does, until this run has ended; answers how often."""
    deaths = 0
    async with asyncio.timeout(100):
        while not await rig.reader.rows("select 1 from runs where id=?1 and status is not null", run_id):
            for process in list(rig.processes.values()):
                if not process.alive:
                    deaths += 1
                    await rig.start(process.name, wait=False)
            await asyncio.sleep(0.05)
    for process in rig.processes.values():
        await rig.ready(process)
    return deaths


async def test_an_orderly_stop_under_load_loses_no_work(launcher: Launcher, place: Place):
    """F29: each process in turn, while runs come in."""
    random = Random(SEED)
    async with open_rig(launcher, place) as rig:
        await rig.start_all()
        checker = Checker(rig)
        await checker.learn()
        for name in list(rig.processes):
            await rig.client.start_some(random, 16)
            assert await rig.stop(rig.processes[name]) == 0
            await checker.freeze()
            assert not rig.embedded or not await rig.reader.rows("select 1 from jobs where state='running'")
            await rig.start(name)
        await rig.quiet()
        await checker.judge()


async def test_runs_can_be_cancelled_wherever_they_are(launcher: Launcher, place: Place):
    """F5: running, held back by a cap, asleep; and queued where nobody works."""
    async with open_rig(launcher, place) as rig:
        await rig.start_all()
        running = [await begin(rig, "sleeper") for _ in range(25)]
        held = [await begin(rig, "sleeper") for _ in range(3)]
        asleep = await begin(rig, "long_timer")
        async with asyncio.timeout(20):
            while await states(rig) != {"running": 25, "held": 3, "waiting": 1}:
                await asyncio.sleep(0.05)

        for run_id in (held[1], asleep, running[0]):
            assert (await rig.client.cancel(run_id))["cancelled"] is True
            assert (await rig.client.ended(run_id, 4))["status"] == "cancelled"
        async with asyncio.timeout(5):  # the place went to one that was held
            while await states(rig) != {"running": 25, "held": 1}:
                await asyncio.sleep(0.05)
        assert (await rig.client.cancel(asleep))["cancelled"] is False
        for run_id in (*running[1:], held[0], held[2]):
            await rig.client.cancel(run_id)
        await rig.quiet(10)
        await Checker(rig).judge()


@pytest.mark.scaled
async def test_queued_runs_are_cancelled_without_any_worker(launcher: Launcher, scaled: Place):
    """Even when a sweeper takes the job from the hands of who ends it."""
    async with open_rig(launcher, scaled) as rig:
        await rig.start("api")
        await rig.start("scheduler")
        run_ids = [await begin(rig, "pure") for _ in range(20)]
        assert await states(rig) == {"queued": 20}
        cancelled = await asyncio.gather(*(rig.client.cancel(run_id) for run_id in run_ids))
        assert all(answer["cancelled"] for answer in cancelled)
        assert "cancelled" in {answer["run"]["status"] for answer in cancelled}
        await rig.start("one")  # for those that changed hands
        await rig.quiet()
        assert {run["status"] for run in (await read_runs(rig)).values()} == {"cancelled"}
        await Checker(rig).judge()


@pytest.mark.later("scaled")
async def test_a_cancel_survives_the_death_of_who_took_it(launcher: Launcher, place: Place):
    async with open_rig(launcher, place) as rig:
        await rig.start_all()
        run_id = await begin(rig, "sleeper")
        async with asyncio.timeout(10):
            while await states(rig) != {"running": 1}:
                await asyncio.sleep(0.02)
        for worker in rig.workers:
            worker.signal(signal.SIGSTOP)
        if rig.embedded:
            ask = asyncio.create_task(rig.client.cancel(run_id))
            rig.workers[0].signal(signal.SIGCONT)
            await ask
        else:
            await rig.client.cancel(run_id)
        for worker in rig.workers:
            worker.signal(signal.SIGCONT)
            await worker.kill()
        await rig.start(rig.workers[0].name)
        assert (await rig.client.ended(run_id, 15))["status"] == "cancelled"
        await rig.quiet()
        await Checker(rig).judge()


async def begin(rig: Rig, agent: str) -> str:
    run_id = await rig.client.start(agent, 1)
    assert run_id is not None
    return run_id


async def states(rig: Rig) -> dict[str, int]:
    return dict(await rig.reader.rows("select state, count(*) from jobs group by state"))
