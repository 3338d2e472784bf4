"""What a program asks of the kernel, seen by strace. On CI it must be there; elsewhere a machine without one skips."""

import asyncio
import os
import re
import sys
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from tests.programs import need_program

ROOT = Path(__file__).resolve().parents[1]
_MARK = 'chdir(".")'  # where the part that counts begins and ends
# A name is looked up by a connection or a datagram.
_CALLS = "connect,sendto,sendmsg,sendmmsg,bind,listen,execve,execveat,fork,vfork,clone,clone3,chdir"
_THREAD = re.compile(r"CLONE_THREAD|resumed>")  # threads of the database's driver are no processes
_SENDS = re.compile(r"\b(sendto|sendmsg|sendmmsg)\(")
_PORT = re.compile(r"\bconnect\(\d+, \{sa_family=AF_INET6?, sin6?_port=htons\((\d+)\).*(?:127\.0\.0\.1|::1)\"")


class Traced(NamedTuple):
    """A program that ended well: what it printed, and its calls between its two marks."""

    said: str
    calls: list[str]

    def besides(self, ports: Collection[int]) -> list[str]:
        """The calls but for connections to these ports of this machine."""
        seen = [(call, _PORT.search(call)) for call in self.calls]
        return [call for call, port in seen if not (port and int(port[1]) in ports)]


def need_strace() -> str:
    return need_program("strace", "strace", "what a program asks of the kernel")


async def traced(log: Path, *words: str) -> Traced:
    """Run Python with these words under a trace. It must call `os.chdir(".")` twice: around what counts."""
    process = await asyncio.create_subprocess_exec(
        *(need_strace(), "-f", "-qq", "-e", f"trace={_CALLS}", "-o", str(log), sys.executable, *words),
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    said, wrong = await asyncio.wait_for(process.communicate(), 300)
    assert process.returncode == 0, wrong.decode()[-4000:]
    lines = (await asyncio.to_thread(log.read_text)).splitlines()
    begin, end = (number for number, line in enumerate(lines) if _MARK in line)
    return Traced(said.decode(), [line for line in lines[begin + 1 : end] if _counts(line)])


def _counts(line: str) -> bool:
    """Not a thread, and not a byte to a peer that is connected already."""
    return not _THREAD.search(line) and not (_SENDS.search(line) and "sa_family" not in line)
