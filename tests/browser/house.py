"""A real `pilothouse serve` with an empty data directory, on a port of its own."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from scripts.programs import free_port
from tests.app.commands import ROOT, Served

EMAIL = "ada@example.com"
PASSWORD = "correct horse battery"


@dataclass
class House:
    """One installation. It can be killed and started again on the same port and data."""

    folder: Path
    port: int = field(default_factory=free_port)
    served: Served | None = None
    variables: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}"

    def start(self) -> None:
        """Serve, and wait until it says that it is ready."""
        self.folder.mkdir(parents=True, exist_ok=True)
        log = self.folder / "serve.log"
        with log.open("wb") as out:
            process = subprocess.Popen(
                [sys.executable, "-m", "pilothouse", "serve", "--port", str(self.port)],
                cwd=self.folder,
                env={
                    "PATH": os.environ["PATH"],
                    "HOME": str(self.folder),
                    "PYTHONPATH": str(ROOT / "src"),
                    "PILOTHOUSE_DATA_DIR": str(self.folder / "data"),
                    **self.variables,
                },
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
            )
        self.served = Served(process, log)
        self.served.await_words("is ready")

    @property
    def link(self) -> str:
        """The one-time link that a start without an owner prints."""
        assert self.served is not None
        found = self.served.await_words(r"http://localhost:\d+/setup#token=\S+")
        assert re.search(rf":{self.port}/", found)
        return found

    def kill(self) -> None:
        """As a machine does that loses power."""
        if self.served is not None:
            self.served.kill()
            self.served = None
