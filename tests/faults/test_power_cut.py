"""engine:Z5: the power goes at a random moment: whatever had been acknowledged by then is there and completes.

A process that is killed leaves behind all that it wrote; a power cut also takes what was written and not yet synced.
So the copy is made of a frozen installation, and the tail of its write-ahead log that nobody had been told of is torn.
That whatever somebody had been told of is synced by then, `test_durable_answers` shows from the kernel's side.
"""

import asyncio
import os
import shutil
import signal
import subprocess
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from scripts.programs import free_port
from scripts.servers import Postgres
from tests.conftest import MakePostgres
from tests.databases import tell
from tests.faults.agents import MIXED
from tests.faults.checker import Checker
from tests.faults.clients import Client
from tests.faults.history import Ack, History
from tests.faults.place import Place
from tests.faults.processes import Launcher, Process
from tests.faults.report import record
from tests.faults.rig import Rig, open_rig
from tests.faults.scale import FULL, SEED

CUTS = 25 if FULL else 2
DATABASE_CUTS = 3


async def test_a_power_cut_takes_nothing_that_was_acknowledged(launcher: Launcher, embedded: Place, tmp_path: Path):
    random = Random(SEED)
    async with open_rig(launcher, embedded) as rig:
        await rig.start_all()
        await Checker(rig).learn()
        torn = 0
        for number in range(CUTS):
            sender = asyncio.create_task(keep_sending(rig, random))
            await asyncio.sleep(random.uniform(0.1, 0.8))
            acks, copy, lost = await cut(rig, random, tmp_path / f"cut{number}")
            torn += lost
            sender.cancel()
            await asyncio.wait([sender])
            await after_the_cut(launcher, rig, Place(copy, extra=rig.place.extra), acks)
        assert torn > 0
        said = f"{CUTS}, {torn} bytes of unsynced log torn off: every acknowledged run came to what it comes to without"
        record("figure", name="Z5 power cuts", profile="embedded", value=said)


async def cut(rig: Rig, random: Random, folder: Path) -> tuple[list[Ack], Path, int]:
    """What had been acknowledged, a copy as a power cut would leave it, and how many bytes were torn off.

    Everything acknowledged at the first freeze had been synced. What was appended after it may not have been, as long
    as no checkpoint came between: that would have synced it first.
    """
    data, server = rig.place.data, rig.processes["serve"]
    database, wal = data / "pilothouse.db", data / "pilothouse.db-wal"
    while True:
        acks = list(rig.history.acks.values())
        freeze(server)
        synced, before = end_of(wal), database.stat().st_mtime_ns
        server.signal(signal.SIGCONT)
        await asyncio.sleep(random.uniform(0.005, 0.05))
        freeze(server)
        try:
            written = end_of(wal)
            if written > synced and database.stat().st_mtime_ns == before:
                shutil.copytree(data, folder / "data", ignore=shutil.ignore_patterns("*-shm"))
                kept = random.randrange(synced, written)  # in the middle of a frame, mostly
                os.truncate(folder / "data" / wal.name, kept)
                return acks, folder, written - kept
        finally:
            server.signal(signal.SIGCONT)
        await asyncio.sleep(0.02)


def end_of(wal: Path) -> int:
    """Where a write-ahead log ends: the file stays long when SQLite begins it anew, under another salt."""
    log = wal.read_bytes()
    frame = 24 + int.from_bytes(log[8:12])
    salt, at = log[16:24], 32
    while log[at + 8 : at + 16] == salt:
        at += frame
    return at


def freeze(process: Process) -> None:
    process.signal(signal.SIGSTOP)
    until_stopped(process.pid)


def until_stopped(pid: int) -> None:
    """A write that is under way is finished first."""
    while "T (stopped)" not in Path(f"/proc/{pid}/status").read_text():
        os.sched_yield()


@pytest.mark.scaled
@pytest.mark.later
async def test_a_power_cut_of_the_database_takes_nothing_that_was_acknowledged(
    launcher: Launcher, tmp_path: Path, private_postgres: MakePostgres, broker_url: str, redis_url: str
):
    random = Random(SEED)
    server = private_postgres()
    place = Place(tmp_path, database_url=server.url, broker_url=broker_url, redis_url=redis_url)
    async with open_rig(launcher, place) as rig:
        await write_only_the_log(server)
        await rig.start_all()
        await Checker(rig).learn()
        torn = 0
        for _ in range(DATABASE_CUTS):
            sender = asyncio.create_task(keep_sending(rig, random))
            await asyncio.sleep(random.uniform(0.5, 1.5))
            acks, spare, lost = await cut_database(rig, server, random)
            torn += lost
            sender.cancel()
            await asyncio.wait([sender])
            try:
                spare.start()
                other = replace(rig.place, folder=spare.folder, port=free_port(), database_url=spare.url)
                await after_the_cut(launcher, rig, other, acks)
            finally:
                spare.remove()
        await rig.quiet()
        assert torn > 0
        said = f"{DATABASE_CUTS}, {torn} bytes of log torn off: every acknowledged run came to what it comes to without"
        record("figure", name="Z5 power cuts of the database", profile="scaled", value=said)


async def write_only_the_log(server: Postgres) -> None:
    """Let nothing but its write-ahead log reach the disk: then the disk of any moment is a part of that log."""
    calm = {"checkpoint_timeout": "1h", "bgwriter_lru_maxpages": "0", "autovacuum": "off", "wal_recycle": "off"}
    for name, value in calm.items():
        await tell(server.url, f"alter system set {name} = '{value}'")
    await tell(server.url, "checkpoint")
    await tell(server.url, "select pg_reload_conf()")


async def cut_database(rig: Rig, server: Postgres, random: Random) -> tuple[list[Ack], Postgres, int]:
    """What had been acknowledged, a server with what a power cut would leave, and how many bytes were torn off.

    Everything acknowledged before we ask how far the log is synced had been synced. What was appended after that was
    not for a while, and nothing else was written meanwhile.
    """
    control = server.folder / "data" / "global" / "pg_control"
    while True:
        acks, before = list(rig.history.acks.values()), control.stat().st_mtime_ns
        [(name, synced)] = await rig.reader.rows(
            "select file_name, file_offset from pg_walfile_name_offset(pg_current_wal_flush_lsn())"
        )
        await asyncio.sleep(random.uniform(0.005, 0.05))
        spare = copy_frozen(server)
        if control.stat().st_mtime_ns == before and (
            torn := tear(spare.folder / "data" / "pg_wal", name, synced, random)
        ):
            return acks, spare, torn
        spare.remove()


def tear(wal: Path, name: str, synced: int, random: Random) -> int:
    """Take away an end of what was logged behind this place, mostly in the middle of a record; how many bytes."""
    files = sorted(path for path in wal.iterdir() if len(path.name) == len(name) and path.name >= name)
    logs = [path.read_bytes() for path in files]
    begins, whole = len(logs[0]), b"".join(logs)
    written = len(whole.rstrip(b"\0"))
    if written <= synced:
        return 0
    kept = random.randrange(synced, written)
    for number, path in enumerate(files):
        start = min(max(kept - number * begins, 0), begins)
        with path.open("r+b") as log:
            log.seek(start)
            log.write(bytes(begins - start))
    return written - kept


def copy_frozen(server: Postgres) -> Postgres:
    """A server that finds what this one had on its disk in one moment."""
    spare = Postgres(server.folder.with_name(f"{server.folder.name}-{free_port()}"))
    frozen: list[int] = []
    try:
        freeze_pid(server.pid, frozen)  # first: it would bear more
        for pid in children_of(server.pid):
            freeze_pid(int(pid), frozen)
        spare.folder.mkdir(parents=True)
        subprocess.run(["cp", "-a", str(server.folder / "data"), str(spare.folder / "data")], check=True)
        (spare.folder / "data" / "postmaster.pid").unlink()
    finally:
        for pid in frozen:
            os.kill(pid, signal.SIGCONT)
    return spare


def freeze_pid(pid: int, frozen: list[int]) -> None:
    os.kill(pid, signal.SIGSTOP)
    frozen.append(pid)
    until_stopped(pid)


def children_of(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


async def keep_sending(rig: Rig, random: Random) -> None:
    while True:
        await rig.client.start_some(random, 4, MIXED)


async def after_the_cut(launcher: Launcher, rig: Rig, place: Place, acks: list[Ack]) -> None:
    """Start on the copy, wait until each acknowledged run has ended there, and judge what they came to."""
    assert acks
    place = replace(place, port=free_port())
    reader = place.reader()
    history = History(SEED, acks={ack.run_id: ack for ack in acks}, keys=set(rig.history.keys))
    async with Client.open(place.port, rig.people[0], history) as client:
        copy = Rig(place, rig.people, rig.effects, reader, client.history, launcher, client)
        try:
            await copy.start_all()
            await copy.quiet()
            checker = Checker(copy)
            await checker.learn()  # known by now
            await checker.judge(is_copy=True)
        finally:
            for process in copy.processes.values():
                await process.kill()
            await reader.close()
