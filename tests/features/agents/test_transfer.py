"""Agents as files: out without anything secret, in without running anything."""

import os
import subprocess
import sys
from typing import cast

import pytest

from pilothouse.base.actor import Actor
from pilothouse.base.work import Units
from pilothouse.features import agents
from pilothouse.graph.catalogue import Catalogue
from pilothouse.kit.ids import AgentId
from pilothouse.kit.json import Json, loads
from tests.features.agents.graphs import greeter
from tests.graph.blocks import Raw


@pytest.fixture
async def made(units: Units, alice: Actor, catalogue: Catalogue) -> agents.AgentGraph:
    async with units.write(alice) as work:
        return await agents.create_agent(work, catalogue, greeter())


async def test_an_export_imports_as_another_agent_of_equal_content(
    made: agents.AgentGraph, units: Units, alice: Actor, bob: Actor, catalogue: Catalogue
):
    """engine:X2"""
    async with units.read(alice) as read:
        file = await agents.export_agent(read, catalogue, AgentId(made.id))
    async with units.write(bob) as work:
        copy = await agents.import_agent(work, catalogue, loads(file.text))
    async with units.read(bob) as read:
        again = await agents.export_agent(read, catalogue, AgentId(copy.stored.id))

    assert copy.stored.id != made.id
    assert copy.stored.content_hash == made.content_hash
    assert again.text == file.text.replace(made.id, copy.stored.id)
    assert copy.coverage == agents.Coverage(nodes=4, supported=4, sub_agents=0, runnable=True)


async def test_an_export_holds_no_credentials(units: Units, alice: Actor, catalogue: Catalogue):
    """engine:X1"""
    graph = greeter()
    nodes = cast(list[Raw], graph["nodes"])
    nodes[2]["inputs"] = {
        "format": "x",
        "credentials": {"id": "canary-1"},
        "smtp_credentials": "canary-2",
        "values": {"deep": [{"_credentials_id": "canary-3"}]},
    }
    async with units.write(alice) as work:
        made = await agents.create_agent(work, catalogue, {**graph, "nodes": [*nodes], "links": []})
    async with units.read(alice) as read:
        file = await agents.export_agent(read, catalogue, AgentId(made.id))

    assert "canary" in made.document
    assert "canary" not in file.text
    assert cast(Raw, loads(file.text))["nodes"][0]["inputs"] == {"format": "x", "values": None}


async def test_another_format_is_refused_by_name(units: Units, alice: Actor, catalogue: Catalogue):
    files: list[Json] = [{"nodes": []}, {"format": "other/1"}, {"nodes": [{"block": "x"}]}, []]
    for file in files:
        with pytest.raises(agents.FormatUnsupported):
            async with units.write(alice) as work:
                await agents.import_agent(work, catalogue, file)


# In a process of its own: what listens to the interpreter cannot be taken away again.
_WATCHED = """
import sys
from pilothouse.blocks.registry import Registry
from pilothouse.features.agents.children import renumbered, travelling
from pilothouse.features.agents.documents import admit, read_document
from tests.features.agents.graphs import greeter

EVIL = "{{ ().__class__.__mro__[1].__subclasses__() }}{% import 'os' as os %}${__import__('os').system('true')}"
catalogue, seen = Registry(), []
graph = {**greeter(EVIL, name=EVIL, instructions=EVIL), "id": EVIL, "sub_agents": []}
admit(read_document(greeter()), catalogue)
kinds = ("socket.", "subprocess.", "os.", "exec", "compile", "import", "open", "ctypes.", "marshal.", "pickle.")
sys.addaudithook(lambda event, args: seen.append(event) if event.startswith(kinds) else None)
content = admit(read_document(graph), catalogue)
renumbered(content.doc, travelling(content.doc, catalogue), {}, catalogue)
found = list(seen)
print(content.doc.name == EVIL, found)
"""


def test_an_import_runs_no_code_opens_nothing_and_starts_nothing():
    """engine:X3: from the file to what is stored; the rows themselves go through the unit of work like any other."""
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": "src:."}
    done = subprocess.run([sys.executable, "-c", _WATCHED], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout == "True []\n"
