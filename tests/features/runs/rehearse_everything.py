"""Dry-runs an agent with every block of the catalogue and replays one that reached outside, between two marks.

`python -m tests.features.runs.rehearse_everything SETTINGS`, JSON that names a database without rows, prints a line of
JSON. A process of its own, so that all its system calls can be traced (`tests/tracing.py`).
"""

import asyncio
import os
import sys
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from pilothouse.blocks.registry import Registry
from pilothouse.graph.catalogue import Kind
from pilothouse.graph.json_schema import as_object
from pilothouse.kit.json import Json, JsonObject, dumps, loads
from tests.features.credentials.echo import Echo, echo
from tests.features.runs import graphs
from tests.features.runs.installations import settings_for
from tests.features.runs.stand import Stand, open_installation
from tests.features.runs.test_again import back, steps
from tests.providers.playing import Impostor
from tests.providers.server import provider

SEND = "6595ae1f-b924-42cb-9a41-551a0611c4b4"


def everything(child: str) -> JsonObject:
    """One node for each block, with the inputs of its first example; of triggers there can be only one."""
    nodes: list[JsonObject] = []
    triggers = 0
    for block_id, spec in sorted(Registry().items()):
        triggers += spec.kind is Kind.TRIGGER
        if spec.kind is Kind.TRIGGER and triggers > 1:
            continue
        asked = as_object(spec.examples[0]["ask"]) if spec.examples else {}
        called: JsonObject = {**graphs.order(child), "inputs": {}}
        inputs: JsonObject = called if spec.kind is Kind.AGENT else asked
        named = {"name": f"name_{len(nodes)}"} if spec.kind in (Kind.INPUT, Kind.OUTPUT) else {}
        nodes.append(graphs.node(f"n{len(nodes)}", block_id, None, **{**inputs, **named}))
    return graphs.graph("Everything", nodes, [])


async def rehearse(stand: Stand, agent_id: str, how: Json) -> dict[str, Any]:
    body: JsonObject = {"inputs": {}, "dry_run": how}
    answer = await stand.ann.http.post(f"/api/v1/agents/{agent_id}/runs", json=body)
    assert answer.status_code == 201, answer.text
    return await stand.reaches(answer.json()["id"], "completed", "completed_with_errors", "failed", seconds=120)


def reaches_out(server: Echo) -> JsonObject:
    return graphs.graph(
        "Reaches out",
        [graphs.node("send", SEND, url=f"http://{server.host}/"), graphs.node("out", graphs.OUTPUT, name="answer")],
        [graphs.link("send", "response", "out", "value")],
    )


async def between_the_marks(stand: Stand, agent_id: str, server: Echo, model: Impostor | None) -> JsonObject:
    real = await stand.run(reaches_out(server))
    os.chdir(".")
    stubbed = await rehearse(stand, agent_id, True)
    recorded = await rehearse(stand, agent_id, {"mode": "recorded", "run_id": stubbed["id"]})
    simulated = [] if model is None else [await rehearse(stand, agent_id, {"mode": "simulate"})]
    begun = await back(stand, real["id"], "replay")
    replayed = await stand.reaches(begun["id"], "completed", "completed_with_errors", "failed", seconds=120)
    os.chdir(".")
    all_steps = await steps(stand, stubbed["id"])
    return {
        "statuses": [run["status"] for run in (stubbed, recorded, *simulated, replayed)],
        "replay_equals": bool(real["outputs"]) and replayed["outputs"] == real["outputs"],
        "asked": len(server.asked),
        "all_blocks": len(all_steps) >= 0.9 * len(Registry()),  # all but notes, and triggers beyond the first
        "failed": [[step["inputs"], step["error"]] for step in all_steps if step["status"] != "completed"],
    }


async def main(told: JsonObject) -> None:
    model = Impostor() if told.pop("simulate", False) else None
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(echo())
        more: JsonObject = {**told, "egress_allow": [server.host]}
        if model is not None:
            url = await stack.enter_async_context(provider(model, "openai"))
            more |= {"openai_base_url": url, "openai_api_key": "k", "chat_model": "openai/test"}
        folder = Path(str(more.pop("data_dir")))
        opened = await stack.enter_async_context(open_installation(settings_for(folder, **more)))
        stand = Stand(opened, await opened.person())
        child = await stand.agent(graphs.graph("Child", [graphs.node("out", graphs.OUTPUT, name="x", value=1)], []))
        if model is not None:  # a model library asks the system once who it is: `uname`
            await rehearse(stand, await stand.agent(reaches_out(server)), {"mode": "simulate"})
        found = await between_the_marks(stand, await stand.agent(everything(child)), server, model)
        asked = [] if model is None else sorted({str(request.headers["host"]) for request in model.requests})
        sys.stdout.write(f"\n{dumps({**found, 'models': [*asked]})}\n")


if __name__ == "__main__":
    asyncio.run(main(as_object(loads(sys.argv[1]))))
