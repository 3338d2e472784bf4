"""Load by wrk, and what it cost the processes under it."""

import asyncio
import re
import shutil
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.report import NotMeasured
from scripts import packages

CPUCLOCK_SCHED = 2  # Linux: the clock of a process is named by its number and this kind
_UNITS = {"us": 0.001, "ms": 1.0, "s": 1000.0, "m": 60_000.0}


class ToolMissing(NotMeasured):
    """A tool that measures is not installed."""


@dataclass(frozen=True, slots=True)
class Load:
    """What one round of load came to."""

    requests: int
    rate: float
    p50_ms: float
    p99_ms: float
    errors: int
    cpu_ms: float  # of the given processes, per request


@dataclass(frozen=True, slots=True)
class Ask:
    """The request that is repeated."""

    url: str
    method: str = "GET"
    body: str = ""
    headers: tuple[tuple[str, str], ...] = ()


def cpu_seconds(pids: Sequence[int]) -> float:
    """User and system time of processes so far, by their own clocks: /proc counts in hundredths of a second only."""
    return sum(time.clock_gettime((~pid << 3) | CPUCLOCK_SCHED) for pid in pids)


def pss_mb(pid: int) -> float:
    """Memory of a process, what it shares counted by its part."""
    text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    found = re.search(r"^Pss:\s+(\d+) kB", text, re.M)
    return int(found[1]) / 1024 if found else 0.0


def forget_peak(pid: int) -> float:
    """Begin to watch the memory of a process anew; answers what it has now, in MB."""
    Path(f"/proc/{pid}/clear_refs").write_text("5")
    return _status_mb(pid, "VmRSS")


def peak_mb(pid: int) -> float:
    """The most that it had since `forget_peak`."""
    return _status_mb(pid, "VmHWM")


def _status_mb(pid: int, name: str) -> float:
    found = re.search(rf"^{name}:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text(), re.M)
    return int(found[1]) / 1024 if found else 0.0


async def put_load(ask: Ask, pids: Sequence[int], *, seconds: int, clients: int = 16) -> Load:
    """`wrk -t1 -c<clients>` for some seconds."""
    wrk = _wrk()
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write(f'wrk.method = "{ask.method}"\nwrk.body = [==[{ask.body}]==]\n')
        script.writelines(f'wrk.headers["{name}"] = "{value}"\n' for name, value in ask.headers)
        script.flush()
        before = cpu_seconds(pids)
        command = [wrk, "-t1", f"-c{clients}", f"-d{seconds}s", "--latency", "-s", script.name, ask.url]
        process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
        out, _ = await process.communicate()
        used = cpu_seconds(pids) - before
    return read_wrk(out.decode(), used)


def _wrk() -> str:
    try:
        if shutil.which("wrk") is None:
            packages.install("wrk")
    except packages.NotAllowed:
        raise ToolMissing("wrk is not installed (Debian: apt-get install wrk)") from None
    return shutil.which("wrk") or "wrk"


def read_wrk(text: str, cpu: float) -> Load:
    """The figures in wrk's report."""
    requests = _number(r"(\d+) requests in", text)
    errors = _number(r"Non-2xx or 3xx responses: (\d+)", text)
    for kind in ("connect", "read", "write", "timeout"):
        errors += _number(rf"Socket errors:.*{kind} (\d+)", text)
    rate = re.search(r"Requests/sec:\s+([\d.]+)", text)
    return Load(
        requests=requests,
        rate=float(rate[1]) if rate else 0.0,
        p50_ms=_duration("50%", text),
        p99_ms=_duration("99%", text),
        errors=errors,
        cpu_ms=cpu / requests * 1000 if requests else 0.0,
    )


def _number(pattern: str, text: str) -> int:
    found = re.search(pattern, text)
    return int(found[1]) if found else 0


def _duration(label: str, text: str) -> float:
    found = re.search(rf"{label}\s+([\d.]+)(us|ms|s|m)", text)
    return float(found[1]) * _UNITS[found[2]] if found else 0.0
