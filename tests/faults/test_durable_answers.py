"""engine:Z5: what is acknowledged is on the disk by then, as the kernel was asked, and not only in its memory."""

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path

from tests.base.waiting import until
from tests.faults.place import Place
from tests.faults.processes import Plain
from tests.faults.rig import Rig, open_rig
from tests.tracing import need_strace

RUNS = 4  # a log that begins anew is synced once whatever the database was told
CALLS = "pwrite64,fsync,fdatasync,read,readv,recvfrom,recvmsg,write,writev,sendto,sendmsg"
# What a line of the trace tells: the first that fits.
TOLD = {
    "asked": re.compile(r'\b(?:read|recv)\w*\(.*"POST /api/v1/agents/'),
    "answered": re.compile(r'\b(?:write|send)\w*\(.*"HTTP/1\.1 201 '),
    "wrote": re.compile(r"\bpwrite64\(\d+<[^>]*/pilothouse\.db-wal>"),
    "synced": re.compile(r"\bf(?:data)?sync\(\d+<[^>]*/pilothouse\.db-wal>"),
}
_PART = re.compile(r"^(\d+) +(?:<\.\.\. \w+ resumed>)?(.*?)(<unfinished \.\.\.>)?$")


def watching(log: Path) -> Plain:
    """Processes of which strace tells, from beside them: signals and deaths are their own."""
    few = ("--seccomp-bpf", "-s", "64", "-e", f"trace={CALLS}", "-e", "signal=none")
    return Plain([need_strace(), "-D", "-f", "-qq", "-y", *few, "-o", str(log)])


def whole(lines: list[str]) -> Iterator[str]:
    """The calls in the order in which they were over: one that others came between is told in two parts."""
    begun: dict[str, str] = {}
    for line in lines:
        if found := _PART.match(line):
            thread, part, unfinished = found.groups()
            begun[thread] = begun.get(thread, "") + part
            if not unfinished:
                yield begun.pop(thread)


def story(log: Path) -> list[str]:
    calls = whole(log.read_text(errors="replace").splitlines())
    told = (next((what for what, call in TOLD.items() if call.search(line)), None) for line in calls)
    return [what for what in told if what is not None]


async def asked_one_by_one(rig: Rig) -> None:
    """Nothing else is under way when the next is asked for."""
    for n in range(RUNS):
        assert await rig.client.start("pure", n) is not None
        await rig.quiet()


async def test_z5_an_answer_comes_after_the_log_was_synced(embedded: Place, tmp_path: Path):
    log = tmp_path / "calls"
    async with open_rig(watching(log), embedded) as rig:
        await rig.start("serve")
        await asked_one_by_one(rig)
        await until(lambda: asyncio.to_thread(lambda: story(log).count("answered") == RUNS), 20)
    told = " ".join(story(log))
    acknowledged = re.findall("asked (.*?) ?answered", told)
    assert len(acknowledged) == RUNS
    assert [between for between in acknowledged if not re.search("wrote synced", between)] == [], told
