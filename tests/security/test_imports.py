"""Hostile agents, imported under a trace of system calls: nothing is run, and nobody is called (S12)."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

STRACE = shutil.which("strace")
# `chdir` marks where the imports begin and end; threads of the database's driver are no processes.
_CALLS = "connect,bind,listen,execve,execveat,fork,vfork,clone,clone3,chdir"
_THREAD = re.compile(r"CLONE_THREAD|resumed>")

REFUSED = ", 'agent_invalid'" * 3 + ", 'format_unsupported'" + ", 'agent_invalid'" * 2 + "]"

_SCRIPT = """
import asyncio, os, sys
from pilothouse.base.actor import Actor
from pilothouse.base.database import Database
from pilothouse.base.work import Units
from pilothouse.blocks.registry import Registry
from pilothouse.features import agents
from pilothouse.kit.errors import Invalid
from pilothouse.kit.ids import UserId, new_id
from tests.graph.autogpt_files import doubler
from tests.security.hostile_agents import hostile_files


async def bring(units, alice, catalogue, file):
    try:
        async with units.write(alice) as work:
            return (await agents.import_agent(work, catalogue, file)).coverage.nodes
    except Invalid as refused:
        return refused.code


async def main():
    database, catalogue = Database(sys.argv[1], pool_size=1), Registry()
    units, alice = Units(database), Actor(UserId(new_id()))
    await bring(units, alice, catalogue, doubler())
    os.chdir(".")
    told = [await bring(units, alice, catalogue, file) for file in hostile_files()]
    os.chdir(".")
    await database.close()
    print(told)


asyncio.run(main())
"""


@pytest.mark.skipif(STRACE is None, reason="strace is not installed")
def test_s12_a_hostile_agent_runs_nothing_and_calls_nobody(sqlite_url: str, tmp_path: Path):
    """engine:X3"""
    log = tmp_path / "calls"
    command = [str(STRACE), "-f", "-qq", "-e", f"trace={_CALLS}", "-o", str(log), sys.executable, "-c", _SCRIPT]
    done = subprocess.run(
        [*command, sqlite_url],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={**os.environ, "PYTHONPATH": "src:."},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip().endswith("2, 3, 1" + REFUSED), done.stdout
    lines = log.read_text().splitlines()
    begin, end = (number for number, line in enumerate(lines) if "chdir(" in line)
    assert [line for line in lines[begin + 1 : end] if not _THREAD.search(line)] == []


def test_the_trace_would_see_a_program_and_a_connection(tmp_path: Path):
    """The test above can fail: the same trace of a script that does what no import may."""
    if STRACE is None:
        pytest.skip("strace is not installed")
    log = tmp_path / "calls"
    script = (
        "import socket, subprocess\n"
        "subprocess.run(['true'], check=True)\n"
        "socket.socket(socket.AF_UNIX).connect_ex('/no/such/place')\n"
    )
    command = [STRACE, "-f", "-qq", "-e", f"trace={_CALLS}", "-o", str(log), sys.executable, "-c", script]
    subprocess.run(command, check=True, timeout=120)
    seen = log.read_text()
    assert seen.count("execve(") >= 2
    assert "connect(" in seen
