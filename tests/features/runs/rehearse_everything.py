"""Dry-runs an agent with every block of the catalogue, and says what that asked of the operating system.

`python -m tests.features.runs.rehearse_everything FOLDER`, where an empty database is, prints a line of JSON. A process
of its own: a hook of the interpreter cannot be taken away again.
"""

import asyncio
import socket
import sys
from pathlib import Path
from typing import Any

from pilothouse.blocks.registry import Registry
from pilothouse.graph.catalogue import Kind
from pilothouse.kit.json import JsonObject, dumps
from tests.features.runs import graphs
from tests.features.runs.conftest import settings_for
from tests.features.runs.stand import Stand, open_installation

WATCHED = (
    *("socket.connect", "socket.sendto", "socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"),
    *("subprocess.Popen", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system", "pty.spawn"),
)
seen: list[str] = []


def watch(event: str, arguments: object) -> None:
    if event in WATCHED:
        seen.append(event)


def everything(child: str) -> JsonObject:
    """One node for each block, with the inputs of its first example; of triggers there can be only one."""
    nodes: list[JsonObject] = []
    triggers = 0
    for block_id, spec in sorted(Registry().items()):
        triggers += spec.kind is Kind.TRIGGER
        if spec.kind is Kind.TRIGGER and triggers > 1:
            continue
        asked: Any = spec.examples[0]["ask"] if spec.examples else {}
        called: JsonObject = {**graphs.order(child), "inputs": {}}
        inputs: JsonObject = called if spec.kind is Kind.AGENT else asked
        named = {"name": f"name_{len(nodes)}"} if spec.kind in (Kind.INPUT, Kind.OUTPUT) else {}
        nodes.append(graphs.node(f"n{len(nodes)}", block_id, None, **{**inputs, **named}))
    return graphs.graph("Everything", nodes, [])


async def rehearse(stand: Stand, agent_id: str, how: Any) -> dict[str, Any]:
    body: JsonObject = {"inputs": {}, "dry_run": how}
    answer = await stand.ann.http.post(f"/api/v1/agents/{agent_id}/runs", json=body)
    assert answer.status_code == 201, answer.text
    return await stand.reaches(answer.json()["id"], "completed", "completed_with_errors", "failed", seconds=120)


async def failures(stand: Stand, run_id: str) -> list[Any]:
    answer = await stand.ann.http.get(f"/api/v1/runs/{run_id}/steps", params={"limit": 200})
    return [[step["inputs"], step["error"]] for step in answer.json()["items"] if step["status"] != "completed"]


async def main(folder: Path) -> None:
    async with open_installation(settings_for(folder)) as opened:
        stand = Stand(opened, await opened.person())
        child = await stand.agent(graphs.graph("Child", [graphs.node("out", graphs.OUTPUT, name="x", value=1)], []))
        agent_id = await stand.agent(everything(child))
        sys.addaudithook(watch)
        stubbed = await rehearse(stand, agent_id, True)
        recorded = await rehearse(stand, agent_id, {"mode": "recorded", "run_id": stubbed["id"]})
        calls = [*seen]
        await asyncio.to_thread(socket.getaddrinfo, "127.0.0.1", 80)
        steps = (await stand.ann.http.get(f"/api/v1/runs/{stubbed['id']}/steps", params={"limit": 200})).json()
        told = {"calls": calls, "control": seen[len(calls) :], "steps": len(steps["items"])}
        told |= {"statuses": [stubbed["status"], recorded["status"]], "failed": await failures(stand, stubbed["id"])}
        sys.stdout.write(f"\n{dumps(told)}\n")


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
