"""Hostile agents, imported under a trace of system calls: nothing is run, and nobody is called (S12)."""

from pathlib import Path

from tests.tracing import traced

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


async def test_s12_a_hostile_agent_runs_nothing_and_calls_nobody(sqlite_url: str, tmp_path: Path):
    """engine:X3"""
    seen = await traced(tmp_path / "calls", "-c", _SCRIPT, sqlite_url)
    assert seen.said.strip().endswith("2, 3, 1" + REFUSED), seen.said
    assert seen.calls == []


async def test_the_trace_would_see_a_program_a_connection_and_a_name(tmp_path: Path):
    """The test above can fail: the same trace of a script that does what no import may."""
    script = (
        "import os, socket, subprocess\n"
        "os.chdir('.')\n"
        "subprocess.run(['true'], check=True)\n"
        "socket.socket(socket.AF_UNIX).connect_ex('/no/such/place')\n"
        "socket.socket().connect_ex(('127.0.0.1', 1))\n"
        "socket.socket(type=socket.SOCK_DGRAM).sendto(b'?', ('127.0.0.1', 9))\n"
        "os.chdir('.')\n"
    )
    seen = await traced(tmp_path / "calls", "-c", script)
    asked = [call.split("(")[0].split()[-1] for call in seen.calls]
    assert asked[0] in ("vfork", "fork", "clone", "clone3")
    assert "execve" in asked
    assert asked[-3:] == ["connect", "connect", "sendto"]
    assert len(seen.calls) - len(seen.besides({1})) == 1
