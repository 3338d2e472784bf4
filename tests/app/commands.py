"""Runs the command line as a process of its own."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.base.waiting import stay_until

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 60


@dataclass(frozen=True)
class Answer:
    """What a command said."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        assert self.code == 0, self.err
        return json.loads(self.out)


@dataclass
class Cli:
    """One installation, spoken to from outside."""

    folder: Path
    forks: "Forks"
    variables: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def data_dir(self) -> Path:
        return self.folder / "data"

    def environment(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """Nothing of the tester's own but the path; and nothing that a subprocess would inherit by accident."""
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "PYTHONPATH": str(ROOT / "src"),
            "PILOTHOUSE_DATA_DIR": str(self.data_dir),
            **self.variables,
            **(more or {}),
        }

    def __call__(self, *words: str, said: str = "", **variables: str) -> Answer:
        """Run a command to its end, in a process of its own; `said` is its standard input."""
        ask = {"words": words, "environment": self.environment(variables), "folder": str(self.folder), "said": said}
        return self.forks.run(ask)

    def serve(self, *words: str, **variables: str) -> "Served":
        """Start a server on a free port and wait until it says that it is ready."""
        served = self.start(*(words or ("serve", "--port", "0")), **variables)
        served.await_words("is ready|Working")
        return served

    def start(self, *words: str, **variables: str) -> "Served":
        """Start a command that stays a while."""
        log = self.folder / f"{words[0]}-{time.time_ns()}.log"
        ask = {"words": words, "environment": self.environment(variables), "folder": str(self.folder), "log": str(log)}
        return Served(self.forks.start(ask), log)


class Forks:
    """Runs commands in forks of a process that has imported everything: a second saved for each of them."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.app.forks"],
            cwd=ROOT,
            env={"PATH": os.environ["PATH"], "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, ask: Mapping[str, object]) -> Answer:
        """One command, to its end."""
        return Answer(**self._ask(ask))

    def start(self, ask: Mapping[str, object]) -> "Fork":
        """One that stays."""
        return Fork(self, self._ask(ask)["pid"])

    def ended(self, pid: int) -> int | None:
        """The exit code, once; None while it runs."""
        return self._ask({"ended": pid})["code"]

    def _ask(self, ask: Mapping[str, object]) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(ask) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def close(self) -> None:
        self._process.communicate("", timeout=SECONDS)


@dataclass
class Fork:
    """A process that stays; as `subprocess.Popen`, of whose like security and the browser start theirs."""

    forks: Forks
    pid: int
    code: int | None = None

    def poll(self) -> int | None:
        if self.code is None:
            self.code = self.forks.ended(self.pid)
        return self.code

    def wait(self, seconds: float) -> int:
        return stay_until(self.poll, seconds, lambda: f"{self.pid} does not end")

    def send_signal(self, number: signal.Signals) -> None:
        if self.poll() is None:  # the number of one that has ended may be another's
            os.kill(self.pid, number)


@dataclass
class Served:
    """A process that stays until it is stopped."""

    process: "Fork | subprocess.Popen[bytes]"
    log: Path

    def said(self) -> str:
        return self.log.read_text()

    def await_words(self, pattern: str) -> str:
        def look() -> re.Match[str] | None:
            ended = self.process.poll() is not None
            found = re.search(pattern, self.said())
            assert found or not ended, self.said()
            return found

        return stay_until(look, SECONDS, self.said)[0]

    @property
    def url(self) -> str:
        return self.await_words(r"http://localhost:\d+")

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(SECONDS)

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(SECONDS)
