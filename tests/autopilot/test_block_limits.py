"""autopilot:14.1, 14.3: tools and blocks that a turn may not use."""

import pytest
import pytest_asyncio

from pilothouse.base.permissions import Permissions
from pilothouse.base.tools import ToolContext
from pilothouse.features.chat import events
from pilothouse.features.runs import tools as run_tools
from pilothouse.features.runs.launching import RunOrder, launch
from pilothouse.features.runs.present import RunFacts
from pilothouse.kit.json import JsonObject
from tests.autopilot.bridge import Bridge
from tests.autopilot.stage import BYE, Stage, calls
from tests.autopilot.test_tools import Hand
from tests.features.agents.graphs import greeter
from tests.features.runs.graphs import AWAIT, CHILD, OUTPUT, TEMPLATE, TEXT, graph, link, node


@pytest_asyncio.fixture(loop_scope="session")
async def hand(small: Bridge) -> Hand:
    return Hand(small.stand, small.stand.ann)


async def test_a_tool_that_is_not_permitted_is_as_if_it_did_not_exist(stage: Stage):
    """autopilot:14.3: it is not advertised."""
    script = await stage.play(calls(("risk", '{"n": 1}')), BYE)
    said = await stage.bridge.ask("go", permissions={"tools": ["risk"], "tools_exclude": True})
    names = [tool["function"]["name"] for tool in script.asked[0]["tools"]]
    assert "risk" not in names
    assert "count_up" in names
    assert said.of(events.TOOL_OUTPUT_ERROR)[0].data["code"] == "unknown_tool"


async def test_a_forbidden_tool_answers_exactly_like_an_unknown_one(stage: Stage):
    """autopilot:14.3: in the log and in what the model reads."""
    script = await stage.play(calls(("risk", '{"n": 1}'), ("none", '{"n": 1}'), ("risk", "{"), ("none", "{")), BYE)
    said = await stage.bridge.ask("go", permissions={"tools": ["risk"], "tools_exclude": True})
    told = [event.data for event in said.of(events.TOOL_OUTPUT_ERROR)]
    read = [message for message in script.asked[-1]["messages"] if message["role"] == "tool"]
    for answers in (told, read):
        texts = [str({**one, "tool_call_id": "", "duration_ms": 0}).replace("risk", "none") for one in answers]
        assert len(texts) == 4
        assert len(set(texts)) == 1
    assert stage.shop.done == []


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


async def test_the_version_that_was_looked_at_is_the_one_that_runs(hand: Hand, monkeypatch: pytest.MonkeyPatch):
    """autopilot:14.3: whoever saves another one in that moment brings no forbidden block into the run."""
    nodes = [node("wait", AWAIT, fact="go"), node("out", OUTPUT, name="said")]
    agent_id = await hand.stand.agent(graph("Plain", nodes, [link("wait", "value", "out", "value")]))

    async def edited(ctx: ToolContext, order: RunOrder) -> RunFacts:
        forbidden = graph(
            "Plain", [*nodes, node("fill", TEMPLATE, format="x", values={})], [link("wait", "value", "out", "value")]
        )
        ask = {"graph": forbidden, "base_version": 1}
        saved = await hand.stand.ann.http.put(f"/api/v1/agents/{agent_id}", json=ask)
        assert saved.status_code == 200, saved.text
        return await launch(ctx, order)

    monkeypatch.setattr(run_tools, "launch", edited)
    hand.permissions = Permissions.of({"blocks": ["db7d8f02"], "blocks_exclude": True})
    started = await hand.call("run_agent", library_agent_id=agent_id)
    run_id = started["execution_id"]
    assert await hand.stand.rows("select version from runs where id=?1", run_id) == [(1,)]
    await hand.stand.ann.http.post(f"/api/v1/runs/{run_id}/cancel")


@pytest.mark.parametrize("name", ["Fill text template", "db7d8f02-2f44-4c55-ab7a-eae0941f0c30", "db7d8f02"])
async def test_a_forbidden_block_is_refused_as_one_that_is_not_there_however_it_is_named(hand: Hand, name: str):
    """autopilot:14.3: by its name, its id and the first digits of that."""
    hand.permissions = Permissions.of({"blocks": ["Fill text template"], "blocks_exclude": True})
    answers: list[str] = []
    for block in (name, "No such block"):
        nodes = [{"op": "add_node", "block": block, "id": "fill"}]
        refused = await hand.call("create_agent", name="x", operations=nodes)
        assert refused["code"] == "operation_failed"
        answers.append(refused["details"]["ops"][0]["code"])
    assert len(set(answers)) == 1
    assert await hand.stand.count("agents") == 0


async def test_a_filter_that_lists_what_is_allowed_hides_all_other_blocks(hand: Hand):
    """autopilot:14.1, 14.3"""
    hand.permissions = Permissions.of({"blocks": ["db7d8f02"]})
    queries = ("fill a text template", "send a web request", "calculator", "countdown timer")
    found = [await hand.call("find_block", query=query) for query in queries]
    assert {block["name"] for one in found for block in one.get("blocks", [])} == {"Fill text template"}


def holding(agent_id: str, version: int) -> JsonObject:
    """An agent that runs another."""
    inside = node("sub", CHILD, graph_id=agent_id, graph_version=version)
    nodes = [node("who", TEXT, name="who"), inside, node("out", OUTPUT, name="greeting")]
    links = [link("who", "result", "sub", "who"), link("sub", "greeting", "out", "value")]
    return graph("Holder", nodes, links)
