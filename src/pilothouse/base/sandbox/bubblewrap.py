"""The walls: how bubblewrap is called, and whether it can be used on this machine."""

import asyncio
import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pilothouse.base.sandbox.child import Child
from pilothouse.base.sandbox.job import Limits
from pilothouse.base.sandbox.languages import PATH

# What of the system is shown inside, read-only. Not all of /usr: people keep applications and their settings there.
SYSTEM = (
    *("bin", "sbin", "lib", "lib32", "lib64", "libx32", "libexec", "share", "include"),
    *("local/bin", "local/lib", "local/share", "local/include"),
)
TOP = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
OF_ETC = ("alternatives", "ld.so.cache", "R", "java", "java-11-openjdk", "java-17-openjdk", "java-21-openjdk")
NOBODY = 65534
HOW_TO_GET = "On Debian and Ubuntu: apt-get install bubblewrap"
PROBE_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Walls:
    """How to call it here."""

    bwrap: str
    version: str
    before: tuple[str, ...]  # who calls it: nobody, when we are root
    hidden: tuple[str, ...]  # places under what is shown that must not be
    closes_namespaces: bool

    def command(self, files: Mapping[str, int], limits: Limits, refused: int | None = None) -> list[str]:
        """Everything up to the program. `files` of `/job` and the filter of calls are read from descriptors."""
        words = [*self.before, self.bwrap, "--unshare-all", "--unshare-user", "--die-with-parent", "--new-session"]
        words += ["--disable-userns"] if self.closes_namespaces else []
        words += ["--seccomp", str(refused)] if refused is not None else []
        words += ["--clearenv", "--uid", "1000", "--gid", "1000", "--hostname", "sandbox", "--cap-drop", "ALL"]
        words += [*_system(), *(word for place in self.hidden for word in ("--tmpfs", place))]
        words += ["--proc", "/proc", "--dev", "/dev", *_room("/dev/shm", limits.work // 4), "--remount-ro", "/dev"]
        words += [*_room("/work", limits.work), *_room("/tmp", limits.work), *_room("/out", 1024 * 1024)]
        for name, descriptor in files.items():
            words += ["--perms", "0444", "--file", str(descriptor), f"/job/{name}"]
        words += ["--remount-ro", "/", "--chdir", "/work"]
        for name, value in _ENVIRONMENT.items():
            words += ["--setenv", name, value]
        return [*words, "--"]


_ENVIRONMENT = {
    "PATH": PATH,
    "HOME": "/work",
    "TMPDIR": "/tmp",
    "LANG": "C.UTF-8",
    "USER": "sandbox",
    "PYTHONUNBUFFERED": "1",
}


def limits_command(limits: Limits, seconds: float) -> list[str]:
    """Limits that the kernel holds, for each process of the program."""
    bounds = {
        "data": limits.memory,
        "nproc": limits.processes,
        "nofile": limits.files,
        "fsize": limits.work,
        "cpu": int(seconds) + 1,
        "core": 0,
        "msgqueue": 0,
        "memlock": 0,
    }
    return ["nice", "-n", "10", "prlimit", *(f"--{name}={value}" for name, value in bounds.items()), "--"]


def _room(place: str, size: int) -> list[str]:
    return ["--size", str(size), "--tmpfs", place]


def _system() -> Iterable[str]:
    for name in SYSTEM:
        yield from ("--ro-bind-try", f"/usr/{name}", f"/usr/{name}")
    for name in TOP:
        top = Path("/") / name
        if top.is_symlink():
            yield from ("--symlink", os.readlink(top), str(top))
        elif top.is_dir():
            yield from ("--ro-bind", str(top), str(top))
    for name in OF_ETC:
        yield from ("--ro-bind-try", f"/etc/{name}", f"/etc/{name}")


async def find_walls(*private: Path) -> Walls | str:
    """How to call it, or in a sentence why it cannot be used. `private` places are shown to no program."""
    programs = {name: shutil.which(name) for name in ("bwrap", "setpriv", "prlimit", "tar")}
    if programs["bwrap"] is None:
        return f"bubblewrap is not installed. {HOW_TO_GET}"
    lacking = [name for name in ("prlimit", "tar", *(("setpriv",) if os.geteuid() == 0 else ())) if not programs[name]]
    if lacking:
        return f"The sandbox needs {' and '.join(lacking)}, which are not installed."
    bwrap = programs["bwrap"]
    before = _as_nobody(str(programs["setpriv"])) if os.geteuid() == 0 else ()
    _, version = await _say([bwrap, "--version"])
    _, options = await _say([bwrap, "--help"])
    walls = Walls(bwrap, version.split()[-1], before, tuple(_hidden(private)), "--disable-userns" in options)
    code, said = await _say([*walls.command({}, Limits()), "prlimit", "--nproc=2", "true"])
    if code == 0:
        return walls
    return f"bubblewrap is installed, and this machine does not let it work: {said.strip()[-200:] or f'exit {code}'}."


def _as_nobody(setpriv: str) -> tuple[str, ...]:
    """Root is let through walls that hold everybody else, and the kernel does not count its processes."""
    return (setpriv, f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--inh-caps=-all", "--")


def _hidden(private: Iterable[Path]) -> Iterable[str]:
    shown = [Path("/usr") / name for name in SYSTEM]
    for place in (each.resolve() for each in private):
        if place.is_dir() and any(place.is_relative_to(each) for each in shown):
            yield str(place)


async def _say(words: list[str]) -> tuple[int, str]:
    """What a program of bubblewrap says, with nothing of ours in its environment."""
    child = Child.start(words, subprocess.DEVNULL)
    try:
        async with asyncio.timeout(PROBE_SECONDS):
            said = b"".join([await stream.read() for stream in await child.streams()])
            return await child.wait(), said.decode(errors="replace")
    except TimeoutError:
        return -1, f"no answer in {PROBE_SECONDS:.0f} s"
    finally:
        await child.close()
