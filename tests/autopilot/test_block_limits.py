"""autopilot:14.3: blocks that a turn may not use."""

import pytest_asyncio

from pilothouse.base.permissions import Permissions
from pilothouse.kit.json import JsonObject
from tests.autopilot.bridge import Bridge
from tests.autopilot.test_tools import Hand
from tests.features.agents.graphs import greeter
from tests.features.runs.graphs import CHILD, OUTPUT, TEXT, graph, link, node


@pytest_asyncio.fixture(loop_scope="session")
async def hand(small: Bridge) -> Hand:
    return Hand(small.stand, small.stand.ann)


async def test_a_block_that_a_turn_may_not_use_is_neither_found_nor_built_with_nor_run(hand: Hand):
    """autopilot:14.3: also in an agent inside the agent."""
    agent_id = await hand.stand.agent(greeter())
    outer = await hand.stand.agent(holding(agent_id, 1))
    hand.permissions = Permissions.of({"blocks": ["db7d8f02"], "blocks_exclude": True})
    found = await hand.call("find_block", query="fill a text template")
    assert "Fill text template" not in [block["name"] for block in found.get("blocks", [])]
    nodes = [{"op": "add_node", "block": "Fill text template", "id": "fill", "inputs": {"format": "x"}}]
    built = await hand.call("create_agent", name="x", operations=nodes)
    assert built["code"] == "operation_failed"
    assert "Fill text template" not in built["details"]["ops"][0]["allowed"]
    whole = await hand.call("create_agent", name="x", agent_json=greeter())
    assert whole["type"] == "error"
    for one in (agent_id, outer):
        refused = await hand.call("run_agent", library_agent_id=one, inputs={"who": "A"})
        assert (refused["code"], refused["details"]["blocks"]) == ("block_forbidden", ["Fill text template"])
    assert await hand.stand.count("runs") == 0


def holding(agent_id: str, version: int) -> JsonObject:
    """An agent that runs another."""
    inside = node("sub", CHILD, graph_id=agent_id, graph_version=version)
    nodes = [node("who", TEXT, name="who"), inside, node("out", OUTPUT, name="greeting")]
    links = [link("who", "result", "sub", "who"), link("sub", "greeting", "out", "value")]
    return graph("Holder", nodes, links)
