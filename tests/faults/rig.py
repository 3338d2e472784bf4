"""An installation of real processes that a test may kill, with a client that remembers what was acknowledged."""

import asyncio
import signal
import time
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import httpx2

from pilothouse.base.reader import Reader
from tests.faults.agents import every
from tests.faults.clients import Client
from tests.faults.effects import EffectServer, effect_server
from tests.faults.history import History
from tests.faults.place import Person, Place, furnish
from tests.faults.processes import Died, Launcher, Process
from tests.faults.scale import SEED

READY_SECONDS = 40.0


@dataclass(slots=True)
class Rig:
    """Everything that a fault test has in its hands."""

    place: Place
    people: list[Person]
    effects: EffectServer
    reader: Reader
    history: History
    launcher: Launcher
    client: Client
    processes: dict[str, Process] = field(default_factory=dict[str, Process])

    @property
    def embedded(self) -> bool:
        return self.place.embedded

    @property
    def workers(self) -> list[Process]:
        """The processes that take jobs."""
        return [process for process in self.processes.values() if process.words[0] in {"serve", "worker"}]

    async def start(self, name: str, *, failpoint: str | None = None, wait: bool = True, **extra: str) -> Process:
        """Start `serve`, `api` or a worker (any other name), again if it ran before."""
        words = [name if name in {"serve", "api", "scheduler"} else "worker"]
        process = self.processes[name] = Process(self.launcher, name, words, self.place.folder)
        armed = {"FAILPOINT": failpoint} if failpoint else {}
        known = await self._worker_ids()
        process.start(self.place.environment(**armed, **extra))
        self.history.note("start", process=name, pid=process.pid, failpoint=failpoint)
        if wait:
            await self.ready(process, known)
        return process

    async def start_all(self) -> None:
        if self.embedded:
            await self.start("serve")
            return
        await self.start("api")
        for name in ("one", "two"):
            await self.start(name)

    async def ready(self, process: Process, known: set[str] | None = None) -> None:
        """Wait until it serves or works. Raises `Died` when it ends first."""
        deadline = time.monotonic() + READY_SECONDS
        while time.monotonic() < deadline:
            if not process.alive:
                raise Died(f"{process.name} ended with {process.code}: {process.said()}")
            if await self._is_ready(process, known or set()):
                return
            await asyncio.sleep(0.02)
        raise TimeoutError(f"{process.name} is not ready: {process.said()}")

    async def _is_ready(self, process: Process, known: set[str]) -> bool:
        if process.words[0] == "worker":
            fresh = await self._worker_ids() - known
            process.worker_id = fresh.pop() if fresh else None
            return process.worker_id is not None
        try:
            return (await self.client.http.get("/health/ready")).status_code == 200
        except httpx2.TransportError:
            return False

    async def _worker_ids(self) -> set[str]:
        if self.embedded:
            return set()
        return {row[0] for row in await self.reader.rows("select id from workers")}

    async def stop(self, process: Process, seconds: float = 30) -> int | None:
        """SIGTERM, and its exit code."""
        process.signal(signal.SIGTERM)
        assert await process.gone(seconds), f"{process.name} does not end: {process.said()}"
        return process.code

    async def quiet(self, seconds: float = 60) -> None:
        """Wait until no job is left."""
        deadline = time.monotonic() + seconds
        while rows := await self.reader.rows("select id, state, attempt, owner from jobs limit 5"):
            if time.monotonic() > deadline:
                raise TimeoutError(f"jobs left after {seconds} s: {rows}")
            await asyncio.sleep(0.05)

    async def unfinished(self) -> int:
        """How many jobs there are."""
        return (await self.reader.rows("select count(*) from jobs"))[0][0]

    async def has_suspects(self, deaths: int) -> bool:
        """Whether a job may have seen so many deaths in a row without finishing a step, counting the next one.

        From the third on such jobs have to take turns, which takes longer than orphans may otherwise wait. Those whose
        owner is dead count like queued ones: the next victim may get them any moment.
        """
        alive = {process.worker_id for process in self.workers if process.alive}
        sql = "select state, owner, attempt from jobs where state in ('queued', 'running') and attempt >= ?1 - 1"
        return any(
            state == "queued" or attempt >= deaths or not (self.embedded or owner in alive)
            for state, owner, attempt in await self.reader.rows(sql, deaths)
        )

    async def held_by(self, process: Process) -> int:
        """How many jobs are in the hands of this process."""
        sql = "select count(*) from jobs where state='running'"
        rows = self.reader.rows
        found = await (rows(sql) if self.embedded else rows(f"{sql} and owner=?1", process.worker_id or ""))
        return found[0][0]

    @property
    def profile(self) -> str:
        return "embedded" if self.embedded else "scaled"


@asynccontextmanager
async def open_rig(
    launcher: Launcher,
    place: Place,
    *,
    seed: int = SEED,
    people: int = 1,
    drops: float = 0.0,
) -> AsyncGenerator[Rig]:
    """Furnish a place; the test starts the processes. All of them are gone when the block ends."""
    async with AsyncExitStack() as stack:
        effects = await stack.enter_async_context(effect_server(drops=drops, seed=seed))
        place = _allowing(place, effects)
        guests = await furnish(place, every(effects.url, place.folder / "probe.txt"), people=people)
        history = History(seed)
        client = await stack.enter_async_context(Client.open(place.port, guests[0], history))
        rig = Rig(place, guests, effects, place.reader(), history, launcher, client)
        stack.push_async_callback(rig.reader.close)
        stack.push_async_callback(_end_all, rig)
        yield rig


def _allowing(place: Place, effects: EffectServer) -> Place:
    """Blocks may reach the effect server, which is on this machine."""
    extra = {**place.extra, "EGRESS_ALLOW": f"127.0.0.1:{effects.port}"}
    return replace(place, extra=extra)


async def _end_all(rig: Rig) -> None:
    for process in rig.processes.values():
        process.signal(signal.SIGCONT)
        await process.kill()


def probe_lines(place: Place) -> list[tuple[str, int]]:
    """The steps that probed, as (run, step), in order."""
    path: Path = place.folder / "probe.txt"
    if not path.exists():
        return []
    return [(words[0], int(words[1])) for words in (line.split() for line in path.read_text().splitlines())]
