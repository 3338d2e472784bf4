"""S6: programs that want out, or more than they may have. Whatever they try, they are contained, within bounds."""

import asyncio
import os
import secrets
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from pilothouse.base.sandbox import Job, Limits, Outcome, Sandboxes, Walls
from pilothouse.base.sandbox.calls import refused_calls
from pilothouse.base.sandbox.tree import memory_of
from tests.base.waiting import until
from tests.sandboxing import need_walls

MB = 1024 * 1024
CANARY = "s6-canary-8d1f"
SMALL = Limits(memory=256 * MB, work=8 * MB, output=256 * 1024, processes=48)


@pytest.fixture
async def walls() -> Walls:
    return await need_walls()


@pytest.fixture
async def sandboxes(walls: Walls, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[Sandboxes]:
    monkeypatch.setenv("PILOTHOUSE_ENCRYPTION_KEYS", CANARY)
    opened = Sandboxes(walls, tmp_path, SMALL)
    yield opened
    opened.close()


async def attempt(sandboxes: Sandboxes, code: str, *, language: str = "python", seconds: float = 60) -> Outcome:
    return await sandboxes.run(Job(language, code, seconds))


async def test_nothing_of_ours_is_in_any_environment(sandboxes: Sandboxes):
    """S6: `/proc/*/environ`"""
    found = await attempt(
        sandboxes,
        "import glob\n"
        "for path in glob.glob('/proc/*/environ') + glob.glob('/proc/*/cmdline'):\n"
        "    print(open(path, errors='replace').read())\n",
    )
    assert found.code == 0
    assert "PATH=" in found.stdout
    assert CANARY not in found.stdout
    assert "PILOTHOUSE" not in found.stdout


async def test_no_process_of_the_machine_is_seen_or_signalled(sandboxes: Sandboxes):
    """S6: signals to the outside, ptrace"""
    mine = os.getpid()
    found = await attempt(
        sandboxes,
        "import os, glob\n"
        f"def signal(pid):\n    try:\n        os.kill(pid, 0)\n        return 'reached'\n"
        "    except OSError as fault:\n        return type(fault).__name__\n"
        f"os.kill(-1, 0)\n"
        f"[signal({mine}) if {mine} > 100 else 'ProcessLookupError', len(glob.glob('/proc/[0-9]*')) < 12]",
    )
    assert found.result is not None, found.stderr
    assert found.result["json"] == ["ProcessLookupError", True]


@pytest.mark.parametrize(
    "path",
    ["/etc/shadow", "/etc/passwd", "/root", "/home", "/sys/kernel", "/var/lib", "/proc/1/root/etc/passwd", "/run"],
)
async def test_the_files_of_the_machine_are_not_there(sandboxes: Sandboxes, path: str):
    found = await attempt(sandboxes, f"ls {path}", language="bash")
    assert found.code != 0
    assert "No such file" in found.stderr or "Permission denied" in found.stderr


async def test_our_own_files_are_not_there(sandboxes: Sandboxes, tmp_path: Path):
    secret = tmp_path / "secret"
    secret.write_text(CANARY)
    for path in (secret, Path(__file__), Path(sys.prefix) / "bin" / "python"):
        found = await attempt(sandboxes, f"cat '{path}' || cat '/proc/1/cwd/{path}'", language="bash")
        assert found.code != 0
        assert CANARY not in found.stdout


@pytest.mark.parametrize(
    "command",
    [
        "mount -t tmpfs none /work",
        "mount -o remount,rw /usr",
        "umount /proc",
        "unshare -Ur id",
        "unshare -m id",
        "chroot / id",
        "mknod /work/disk b 8 0",
        "touch /usr/bin/x",
        "touch /job/main.sh",
        "touch /etc/x",
        "touch /x",
        "echo x > /job/main.sh",
        "echo -1000 > /proc/self/oom_score_adj",
        "echo core > /proc/sys/kernel/core_pattern",
        "ulimit -u unlimited",
        "ulimit -v unlimited; prlimit --nproc=100000 --pid $$",
        "kill -9 1 && sleep 1 && kill -0 1 && exit 1",
        "su -c id",
        "dmesg",
        "nsenter -t 1 -m id",
        "cat /proc/kcore",
        "cat /dev/mem",
    ],
)
async def test_a_shell_gets_no_further_rights(sandboxes: Sandboxes, command: str):
    """S6: mounts, hook writes, limits"""
    found = await attempt(sandboxes, command, language="bash")
    assert found.code not in (0, None), found.stdout


@pytest.mark.parametrize("host", ["1.1.1.1", "169.254.169.254", "10.0.0.1", "127.0.0.1", "::1"])
async def test_nobody_is_reached_by_network(sandboxes: Sandboxes, host: str):
    """S6: metadata address; what listens on our loopback is not on theirs"""
    server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server:
        found = await attempt(sandboxes, f"import socket\nsocket.create_connection(('{host}', {port}), 5)")
    assert found.code == 1
    assert "Errno" in found.stderr or "timed out" in found.stderr


async def test_names_are_not_resolved(sandboxes: Sandboxes):
    found = await attempt(sandboxes, "import socket\nsocket.getaddrinfo('example.com', 443)")
    assert found.code == 1


async def test_a_symlink_out_leads_nowhere(sandboxes: Sandboxes, tmp_path: Path):
    """S6: symlink writes, also into a folder that is kept"""
    target = tmp_path / "target"
    target.write_text("as it was")
    kept = sandboxes.create("run", "step")
    for code in (f"ln -s {tmp_path} out; ln -s / root", "echo changed > out/target; cp /job/main.sh root/x; ls root/"):
        found = await sandboxes.run_in("run", kept, Job("bash", code, 60))
    assert "No such file" in found.stderr
    assert target.read_text() == "as it was"
    assert sorted(name.rpartition(".")[2] for name in os.listdir(tmp_path)) == ["tar", "target"]


async def test_a_fork_bomb_is_contained(sandboxes: Sandboxes):
    """S6"""
    found = await attempt(sandboxes, "bomb() { bomb | bomb & }; bomb; sleep 60", language="bash", seconds=2)
    assert found.stopped in ("time", "memory") or found.code not in (0, None)


async def test_only_so_many_processes_run_at_once(sandboxes: Sandboxes):
    code = (
        "import os, time\nn = 0\n"
        "try:\n    while True:\n"
        "        if os.fork() == 0:\n            time.sleep(60)\n            os._exit(0)\n"
        "        n += 1\n"
        "except BlockingIOError:\n    print(n)\n"
    )
    found = await attempt(Sandboxes(await need_walls(), Path("/nowhere"), Limits(processes=20)), code)
    assert 10 < int(found.stdout) < 20
    assert found.code == 0


async def test_a_memory_hog_is_ended(sandboxes: Sandboxes):
    """S6: one process that takes too much"""
    found = await attempt(sandboxes, "block = bytearray(b'x') * (400 * 1024 * 1024)")
    assert found.code == 1
    assert "MemoryError" in found.stderr


@pytest.mark.parametrize(
    "code",
    [
        "import os, time\nfor _ in range(8):\n    if os.fork() == 0:\n"
        "        held = bytearray(b'x') * (60 * 1024 * 1024)\n        time.sleep(60)\ntime.sleep(60)",
        "import mmap, time\nheld = mmap.mmap(-1, 400 << 20)\nfor _ in range(400):\n    held.write(b'x' * (1 << 20))\n"
        "time.sleep(60)",
    ],
    ids=["by many processes", "by shared memory"],
)
async def test_memory_is_counted_over_all_that_it_started(sandboxes: Sandboxes, code: str):
    """S6"""
    assert (await attempt(sandboxes, code)).stopped == "memory"


@pytest.mark.parametrize(
    "code",
    [
        "import os\nos.memfd_create('held')",
        "import ctypes\nassert ctypes.CDLL(None).shmget(0, 1000, 0o1600) >= 0",
        "import ctypes\nassert ctypes.CDLL(None).ptrace(0, 0, 0, 0) >= 0",
        "import ctypes\nassert ctypes.CDLL(None).unshare(0x10000000) >= 0",
        "import ctypes\nassert ctypes.CDLL(None).syscall(425, 1, 0) >= 0",
        "import ctypes\nassert ctypes.CDLL(None).syscall(0x40000000 + 319, 0, 0) >= 0",
    ],
    ids=["memfd_create", "shmget", "ptrace", "unshare", "io_uring", "other numbers"],
)
async def test_some_calls_do_not_exist(sandboxes: Sandboxes, code: str):
    """S6: memory that nobody counts, ptrace, and parts of the kernel that a program has no use for"""
    found = await attempt(sandboxes, code)
    assert found.code == 1
    assert "AssertionError" in found.stderr or "not implemented" in found.stderr


def test_an_unknown_machine_has_no_filter_of_calls():
    assert refused_calls("riscv64") == b""
    assert len(refused_calls("x86_64")) % 8 == 0
    assert refused_calls("aarch64") != refused_calls("x86_64")


@pytest.mark.parametrize("place", ["/work", "/tmp", "/dev/shm"])
async def test_a_disk_filler_fills_its_own_folder(sandboxes: Sandboxes, place: str):
    """S6: many files, and one large one"""
    code = f"cd {place}; for n in $(seq 40); do head -c 1000000 /dev/zero > f$n || exit 9; done"
    found = await attempt(sandboxes, code, language="bash")
    assert found.code == 9
    assert "No space left" in found.stderr


async def test_an_output_flood_is_cut_off(sandboxes: Sandboxes):
    """S6"""
    found = await attempt(sandboxes, "yes", language="bash")
    assert found.stopped == "output"
    assert len(found.stdout) == SMALL.output


async def test_time_is_up_for_everything_that_it_started(sandboxes: Sandboxes):
    """S6: an orphan in another session, with its standard output closed"""
    mark = _mark()
    code = f"setsid sh -c 'exec 0<&- 1>&- 2>&-; exec sleep {mark}' & sleep 60"
    found = await attempt(sandboxes, code, language="bash", seconds=1)
    assert found.stopped == "time"
    await until(_nobody_sleeps(mark), 30)


async def test_nothing_outlives_a_program_that_ended(sandboxes: Sandboxes):
    mark = _mark()
    code = f"setsid sh -c 'exec 0<&- 1>&- 2>&-; exec sleep {mark}' & echo done"
    found = await attempt(sandboxes, code, language="bash")
    assert (found.code, found.stdout) == (0, "done\n")
    await until(_nobody_sleeps(mark), 30)


async def test_whoever_gives_up_takes_it_along(sandboxes: Sandboxes):
    mark = _mark()
    doing = asyncio.create_task(attempt(sandboxes, f"sleep {mark}", language="bash"))
    await until(_somebody_sleeps(mark), 30)
    doing.cancel()
    await asyncio.gather(doing, return_exceptions=True)
    await until(_nobody_sleeps(mark), 30)


async def test_it_dies_with_the_server(walls: Walls, tmp_path: Path):
    """S6: an orphan after `kill -9` of the process that started it"""
    mark = _mark()
    code = (
        "import asyncio\nfrom pathlib import Path\nfrom pilothouse.base.sandbox import Job, find_walls, Sandboxes\n"
        "async def act():\n    walls = await find_walls()\n"
        f"    await Sandboxes(walls, Path({str(tmp_path)!r})).run(Job('bash', 'sleep {mark}', 600))\n"
        "asyncio.run(act())\n"
    )
    server = subprocess.Popen([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": "src"})
    try:
        await until(_somebody_sleeps(mark), 60)
    finally:
        server.send_signal(signal.SIGKILL)
        await asyncio.to_thread(server.wait)
    await until(_nobody_sleeps(mark), 30)


async def test_what_it_hands_back_is_not_believed(sandboxes: Sandboxes):
    """A result that is none, and an archive full of lies, change nothing here."""
    kept = sandboxes.create("run", "step")
    for code in (
        "mkdir -p /out; echo '[1' > /out/result.json; mkdir result.json; touch ../out/other",
        "ln -s /etc/passwd /out/result.json; mkfifo pipe; ln main.sh hard; truncate -s 7M sparse",
    ):
        found = await sandboxes.run_in("run", kept, Job("bash", code, 60, wants_files=True))
        assert found.result is None
        assert {file.path for file in found.files} <= {"sparse"}


def test_memory_of_a_process_that_is_gone_is_none():
    assert memory_of(2**22 + 1) == 0


def _mark() -> int:
    """Seconds that no other test on this machine sleeps."""
    return secrets.randbelow(10**8) + 10**8


def _commands() -> list[bytes]:
    found: list[bytes] = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found.append(path.read_bytes())
        except OSError:
            continue  # it ended while we looked
    return found


def _somebody_sleeps(mark: int):
    async def look() -> bool:
        return f"sleep\0{mark}\0".encode() in _commands()

    return look


def _nobody_sleeps(mark: int):
    async def look() -> bool:
        return f"sleep\0{mark}\0".encode() not in _commands()

    return look
