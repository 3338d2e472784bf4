"""A fresh installation: an empty home, the command that everyone starts with, and what it left on disk."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx2

from tests.app.commands import ROOT, Served

LISTENING = "0A"  # as the kernel writes it


@dataclass(slots=True)
class Installation:
    """A home that only Pilothouse lives in."""

    home: Path
    logs: Path  # outside of the home: what a terminal shows is no file of ours
    served: Served

    @property
    def data(self) -> Path:
        return self.home / ".local" / "share" / "pilothouse"

    @property
    def setup_token(self) -> str:
        return self.served.await_words(r"#token=\S+").removeprefix("#token=")

    def client(self, **headers: str) -> httpx2.Client:
        return httpx2.Client(base_url=self.served.url, headers=headers, timeout=30, trust_env=False)

    def files(self) -> Iterator[Path]:
        return (path for path in self.home.rglob("*") if path.is_file())

    def holding(self, secret: str) -> list[str]:
        """The files of the home that hold this."""
        return [str(path.relative_to(self.home)) for path in self.files() if secret.encode() in path.read_bytes()]

    def log_lines(self) -> list[str]:
        """What was logged, without what was said to the person at the terminal."""
        return [line for line in self.served.said().splitlines() if line.startswith("{")]


def start(home: Path, logs: Path) -> Installation:
    """`pilothouse serve`, as after an install, but on any free port and telling all it can tell."""
    log = logs / f"serve-{len(list(logs.iterdir()))}.log"
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "PYTHONPATH": str(ROOT / "src"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PILOTHOUSE_LOG_FORMAT": "json",
        "PILOTHOUSE_LOG_LEVEL": "debug",
    }
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "pilothouse", "serve", "--port", "0"],
            cwd=home,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            umask=0o022,
        )
    served = Served(process, log)
    served.await_words("is ready")
    return Installation(home, logs, served)


def listening(pid: int) -> list[tuple[str, int]]:
    """The addresses and ports that a process listens on, as the kernel tells."""
    inodes = {os.readlink(f"/proc/{pid}/fd/{name}") for name in os.listdir(f"/proc/{pid}/fd")}
    found: list[tuple[str, int]] = []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            words = line.split()
            if words[3] == LISTENING and f"socket:[{words[9]}]" in inodes:
                address, port = words[1].split(":")
                found.append((address, int(port, 16)))
    return found
