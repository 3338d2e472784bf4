"""Real processes of ours: each in its own group, with a log, ended only by the pid that was recorded."""

import asyncio
import atexit
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Protocol

ROOT = Path(__file__).resolve().parents[2]


class Died(Exception):
    """A process ended before it was ready."""


class Launcher(Protocol):
    """Starts processes and knows how they ended."""

    def launch(self, words: Sequence[str], environment: Mapping[str, str], log: Path) -> int: ...

    def ended(self, pid: int) -> int | None:
        """The exit code; negative for a signal; None while it runs."""
        ...

    def close(self) -> None: ...


class Plain:
    """`python -m pilothouse ...`, as an operator starts it, maybe under a program that watches it."""

    def __init__(self, watcher: Sequence[str] = ()) -> None:
        self._watcher = watcher
        self._running: dict[int, subprocess.Popen[bytes]] = {}

    def launch(self, words: Sequence[str], environment: Mapping[str, str], log: Path) -> int:
        with log.open("ab") as out:
            process = subprocess.Popen(
                [*self._watcher, sys.executable, "-m", "pilothouse", *words],
                cwd=log.parent,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,
            )
        self._running[process.pid] = process
        return process.pid

    def ended(self, pid: int) -> int | None:
        return self._running[pid].poll()

    def close(self) -> None:
        """Nothing of its own to end."""


class Nursery:
    """Forks from a process that has everything imported."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.nursery"],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._mouth, self._ear = self._process.stdin, self._process.stdout
        self._heard = b""
        self._ended: dict[int, int] = {}
        self._born: list[int] = []

    def launch(self, words: Sequence[str], environment: Mapping[str, str], log: Path) -> int:
        ask = {"words": list(words), "environment": dict(environment), "log": str(log)}
        self._mouth.write(json.dumps(ask).encode() + b"\n")
        self._mouth.flush()
        while not self._born:
            self._hear(patience=30)
        return self._born.pop()

    def ended(self, pid: int) -> int | None:
        self._hear(patience=0)
        return self._ended.get(pid)

    def close(self) -> None:
        self._mouth.close()
        self._process.wait()
        self._ear.close()

    def _hear(self, *, patience: float) -> None:
        if not select.select([self._ear], [], [], patience)[0]:
            return
        self._heard += os.read(self._ear.fileno(), 65536)
        *lines, self._heard = self._heard.split(b"\n")
        for line in lines:
            said: dict[str, Any] = json.loads(line)
            if "born" in said:
                self._ended.pop(said["born"], None)  # numbers of processes come round again
                self._born.append(said["born"])
            elif "ended" in said:
                self._ended[said["ended"]] = said["code"]


@cache
def one_nursery() -> Nursery:
    """The same for every folder of tests; it ends with the process that runs them."""
    nursery = Nursery()
    atexit.register(nursery.close)
    return nursery


class Process:
    """One process of ours."""

    def __init__(self, launcher: Launcher, name: str, words: Sequence[str], folder: Path) -> None:
        self.name = name
        self.words = words
        self.log = folder / f"{name}.log"
        self.pid = 0
        self.worker_id: str | None = None  # what it signs claims with, when it works
        self.died_at = 0.0  # wall clock
        self._launcher = launcher

    def start(self, environment: Mapping[str, str]) -> None:
        self.pid = self._launcher.launch(self.words, environment, self.log)

    @property
    def code(self) -> int | None:
        return self._launcher.ended(self.pid)

    @property
    def alive(self) -> bool:
        return self.pid != 0 and self.code is None

    def signal(self, number: signal.Signals) -> None:
        if self.alive:
            os.kill(self.pid, number)

    async def kill(self) -> None:
        """SIGKILL, at `died_at`."""
        self.died_at = time.time()
        self.signal(signal.SIGKILL)
        await self.gone(10)

    async def gone(self, seconds: float) -> bool:
        """Whether it ends within this time; notes when."""
        deadline = time.monotonic() + seconds
        while self.alive:
            if time.monotonic() > deadline:
                return False
            await asyncio.sleep(0.01)
        self.died_at = self.died_at or time.time()
        return True

    def said(self) -> str:
        """The end of its log."""
        return self.log.read_text(errors="replace")[-4000:] if self.log.exists() else ""
