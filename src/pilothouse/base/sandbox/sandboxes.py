"""The sandbox of a process: programs behind walls, a few at a time."""

import asyncio
import os
from pathlib import Path
from typing import Literal

from pilothouse.base.sandbox.bubblewrap import Walls, find_walls
from pilothouse.base.sandbox.errors import SandboxTooFull, SandboxUnusable
from pilothouse.base.sandbox.job import Job, Limits, Outcome
from pilothouse.base.sandbox.keeping import Shelf
from pilothouse.base.sandbox.running import run

OFF = "The sandbox is switched off (PILOTHOUSE_SANDBOX=off)."


class Sandboxes:
    """One per process. Without walls it refuses: nothing is ever run outside of them."""

    def __init__(self, walls: Walls | str, folder: Path, limits: Limits | None = None, most: int | None = None) -> None:
        self.reason = walls if isinstance(walls, str) else None  # why it cannot be used
        self._walls = walls
        self._limits = limits or Limits()
        self._shelf = Shelf(folder)
        self._places = asyncio.Semaphore(most or max(2, os.cpu_count() or 1))
        self._shelf.open()

    def close(self) -> None:
        self._shelf.close()

    async def run(self, job: Job) -> Outcome:
        """In a sandbox of its own, which is gone afterwards. Raises `SandboxUnusable` and `LanguageMissing`."""
        return await self._run(job)

    def create(self, owner: str, key: str) -> str:
        """A sandbox to be kept. Raises `SandboxUnusable` and `TooManySandboxes`."""
        self._usable()
        return self._shelf.create(owner, key)

    async def run_in(self, owner: str, sandbox_id: str, job: Job) -> Outcome:
        """In one that is kept; a program that is stopped leaves it as it was.

        Raises `SandboxGone` and `SandboxTooFull` too.
        """
        async with self._shelf.alone(sandbox_id):
            kept = await asyncio.to_thread(self._shelf.take, owner, sandbox_id)
            outcome = await self._run(job, kept, keeps=True)
            if outcome.code is not None and not outcome.archive:
                raise SandboxTooFull
            if outcome.archive:
                await asyncio.to_thread(self._shelf.put, owner, sandbox_id, outcome.archive)
            self._shelf.renew(owner, sandbox_id)
            return outcome

    def dispose(self, owner: str, sandbox_id: str) -> None:
        self._shelf.dispose(owner, sandbox_id)

    async def _run(self, job: Job, kept: bytes = b"", *, keeps: bool = False) -> Outcome:
        walls = self._usable()
        async with self._places:
            return await run(walls, job, self._limits, kept, keeps=keeps)

    def _usable(self) -> Walls:
        if isinstance(self._walls, str):
            raise SandboxUnusable(self._walls)
        return self._walls


async def open_sandboxes(wanted: Literal["auto", "bubblewrap", "off"], data_dir: Path) -> Sandboxes:
    """What `PILOTHOUSE_SANDBOX` asks for, as far as this machine has it; the data directory is shown to no program."""
    walls = OFF if wanted == "off" else await find_walls(data_dir)
    return Sandboxes(walls, data_dir / "sandboxes")
