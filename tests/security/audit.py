"""Watches what this process does to its host: programs started, code made, files opened, connections made (S3).

An audit hook cannot be taken out again, so there is one, and it looks away unless something watches.
"""

import inspect
import os
import sys
import sysconfig
import threading
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from tests.lines import RENEWER

MAKES_CODE = {"exec", "compile"}
FORBIDDEN = {
    *("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "pty.spawn"),
    *("pickle.find_class", "ctypes.dlopen"),
}
# Who may make code: imports; SQLAlchemy, from its own classes; and the sandboxed templates, whose language has no way
# to name a Python object.
MAY_MAKE_CODE = ("<frozen importlib", "/sqlalchemy/", "/jinja2/")


class Watch:
    """What was seen."""

    def __init__(self, *allowed: Path) -> None:
        self.hits: list[str] = []
        self.connections: list[str] = []
        self._allowed = (*_places_of_code(), *(str(place.resolve()) for place in allowed))

    def see(self, event: str, args: tuple[Any, ...]) -> None:
        if threading.current_thread().name == RENEWER:
            return
        if event in FORBIDDEN or (event in MAKES_CODE and not _made_by_those_who_may()):
            self.hits.append(f"{event} {args}"[:300])
        elif event == "open" and isinstance(args[0], str | bytes) and not self._is_ours(os.fsdecode(args[0])):
            self.hits.append(f"open {args[0]!r} {args[1]}")
        elif event == "socket.connect":
            self.connections.append(str(args[1]))

    def _is_ours(self, path: str) -> bool:
        return os.path.realpath(path).startswith(self._allowed)


def _made_by_those_who_may() -> bool:
    frame = inspect.currentframe()
    while frame is not None:
        name = frame.f_code.co_filename
        if any(place in name for place in MAY_MAKE_CODE):
            return True
        frame = frame.f_back
    return False


@cache
def _places_of_code() -> tuple[str, ...]:
    """Where Python and its libraries, our code and the time zones lie: read, never written by what we do."""
    ours = Path(__file__).resolve().parents[2]
    found = {
        *sysconfig.get_paths().values(),
        sys.prefix,
        sys.base_prefix,
        str(ours),
        "/usr/share/zoneinfo",
        "/dev/null",
    }
    return tuple(sorted(os.path.realpath(place) for place in found))


_watching: list[Watch] = []


@cache
def _install() -> None:
    def hook(event: str, args: tuple[Any, ...]) -> None:
        if _watching:
            _watching[-1].see(event, args)

    sys.addaudithook(hook)


@contextmanager
def watching(watch: Watch) -> Generator[None]:
    """Look for as long as this lasts."""
    _install()
    _watching.append(watch)
    try:
        yield
    finally:
        _watching.remove(watch)
