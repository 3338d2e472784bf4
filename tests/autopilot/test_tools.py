"""autopilot-tools:F1-F3, RA2-RA4, RA8-RA11, RA16, RA17, VO1-VO3, AB1-AB5, AB8, T3, T13: tools as a model calls them."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest
import pytest_asyncio

from pilothouse.autopilot import all_tools, parts_for_tools
from pilothouse.base.deferred import MAX_TOOL_WAIT_SECONDS, Deferred
from pilothouse.base.jobs.moves import micros
from pilothouse.base.permissions import UNRESTRICTED, Permissions
from pilothouse.base.tools import ToolContext
from pilothouse.features.agents.tools import GUIDE_TOOL
from pilothouse.kit.ids import new_id
from pilothouse.kit.json import dumps
from tests.autopilot.bridge import Bridge
from tests.features.agents.graphs import broken, greeter
from tests.features.runs.stand import Person, Stand

ASK = {"op": "add_node", "block": "Agent short text input", "id": "who", "inputs": {"name": "name"}}
OUT = {"op": "add_node", "block": "Agent output", "id": "out", "inputs": {"name": "said"}}
LINK = {"op": "connect", "from": "who", "out": "result", "to": "out", "in": "value"}


@dataclass(slots=True)
class Hand:
    """Calls tools as somebody."""

    stand: Stand
    person: Person
    turn_id: str = field(default_factory=new_id)
    used: set[str] = field(default_factory=lambda: {GUIDE_TOOL})
    permissions: Permissions = UNRESTRICTED
    calls: int = 0

    async def call(self, tool: str, /, *, key: str | None = None, dry: bool = False, **asked: Any) -> dict[str, Any]:
        self.calls += 1
        house = self.stand.house.api
        context = ToolContext(
            actor=self.person.actor,
            session_id="s",
            turn_id=self.turn_id,
            tool_call_id=key or f"c{self.calls}",
            idempotency_key=f"{self.turn_id}:{key or self.calls}",
            units=house.units,
            parts=parts_for_tools(house),
            dry_run=dry,
            permissions=self.permissions,
            tools_used=frozenset(self.used),
        )
        answer = await all_tools()[tool].call(context, asked)
        while isinstance(answer, Deferred):  # as a turn does that sleeps meanwhile
            await asyncio.sleep(0.01)
            late = answer.until <= micros()
            answer = await all_tools()[tool].look(context, answer, late=late) or answer
        return answer.output


@pytest_asyncio.fixture(loop_scope="session")
async def hand(small: Bridge) -> Hand:
    return Hand(small.stand, small.stand.ann)


@pytest_asyncio.fixture(loop_scope="session")
async def everywhere(bridge: Bridge) -> Hand:
    """On each profile in turn."""
    return Hand(bridge.stand, bridge.stand.ann)


def test_tools_of_the_fault_tests_are_there_only_when_asked_for():
    assert {"append_line", "append_once"} & set(all_tools()) == set()
    told = all_tools(testing=True)
    assert (told["append_line"].repeat_safe, told["append_once"].repeat_safe) == (True, False)


def test_all_schemas_together_are_short_and_no_tool_may_wait_longer_than_a_turn():
    tools = all_tools()
    sizes = {name: len(dumps(tool.schema)) + len(tool.description) for name, tool in tools.items()}
    assert sum(sizes.values()) <= 32_000, sorted(sizes.items(), key=lambda item: -item[1])[:10]
    budgets = {name: tool.timeout_seconds for name, tool in tools.items()}
    caps_itself = {name for name, seconds in budgets.items() if seconds is None}
    delegating = {"run_sub_session", "get_sub_session_result", "check_background_tool"}
    assert caps_itself == {"run_agent", "view_agent_output", *delegating}
    assert all(seconds <= MAX_TOOL_WAIT_SECONDS for seconds in budgets.values() if seconds is not None)
    assert all(tool.label and tool.description for tool in tools.values())


async def test_blocks_are_ranked_and_machinery_is_found_only_while_building(hand: Hand):
    found = await hand.call("find_block", query="send a request to the web")
    assert found["blocks"][0]["name"] == "Send web request"
    assert "url" in found["blocks"][0]["input_schema"]["properties"]
    plain = await hand.call("find_block", query="agent input")
    assert "Agent input" not in [block["name"] for block in plain["blocks"]]
    building = await hand.call("find_block", query="agent input", for_agent_generation=True)
    assert "Agent input" in [block["name"] for block in building["blocks"]]


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("sum of a list", "Aggregate"),
        ("remember a value", "Persist information"),
        ("parse json", "JSON decoder"),
        ("loop over items", "Step through items"),
        ("multiply two numbers", "Calculator"),
        ("regex", "Extract text information"),
        ("make text uppercase", "Change text"),
        ("read a web page", "Fetch web page"),
        ("filter a list", "Filter list"),
        ("what day is it, the current date", "Get current date"),
    ],
)
async def test_a_few_words_find_the_block_that_does_it(hand: Hand, query: str, best: str):
    found = await hand.call("find_block", query=query)
    assert found["blocks"][0]["name"] == best


async def test_nothing_found_is_said_with_suggestions_and_too_long_a_query_is_refused(hand: Hand):
    none = await hand.call("find_block", query="xylophone")
    assert (none["type"], none["query"]) == ("no_results", "xylophone")
    assert "text" in none["suggestions"]
    assert (await hand.call("find_block", query="x" * 101))["code"] == "invalid_arguments"


async def test_building_needs_the_guide(hand: Hand):
    hand.used.clear()
    refused = await hand.call("create_agent", name="x", operations=[ASK, OUT, LINK])
    assert refused["code"] == "guide_required"
    assert GUIDE_TOOL in refused["hint"]
    assert "create_agent" in (await hand.call(GUIDE_TOOL))["content"]


async def test_an_agent_is_built_once_however_often_the_call_is_made(everywhere: Hand):
    asked: dict[str, Any] = {"name": "Echo", "operations": [ASK, OUT, LINK], "key": "same"}
    first, second = await everywhere.call("create_agent", **asked), await everywhere.call("create_agent", **asked)
    assert first["type"] == "agent_builder_saved"
    assert first == second
    assert first["library_agent_link"] == f"/library/agents/{first['agent_id']}"
    assert (await everywhere.call("find_library_agent"))["count"] == 1


async def test_a_whole_document_is_another_form_and_one_of_the_two_must_be_given(hand: Hand):
    saved = await hand.call("create_agent", name="Mine", agent_json=greeter())
    assert saved["agent_name"] == "Mine"
    assert (await hand.call("create_agent", name="x"))["code"] == "invalid_arguments"
    both = await hand.call("create_agent", name="x", agent_json=greeter(), operations=[])
    assert both["code"] == "invalid_arguments"


async def test_a_bad_operation_or_graph_saves_nothing_and_says_what_is_allowed(hand: Hand):
    failed = await hand.call("create_agent", name="x", operations=[{"op": "add_node", "block": "Fill template"}])
    assert failed["code"] == "operation_failed"
    assert "Fill text template" in failed["details"]["ops"][0]["allowed"]
    invalid = await hand.call("create_agent", name="x", agent_json=broken())
    assert invalid["code"] == "agent_invalid"
    assert invalid["details"]["issues"]
    assert (await hand.call("find_library_agent"))["type"] == "no_results"


async def test_a_preview_and_a_dry_session_save_nothing(hand: Hand):
    preview = await hand.call("create_agent", name="x", operations=[ASK, OUT, LINK], save=False)
    assert (preview["type"], preview["node_count"], preview["link_count"]) == ("agent_builder_preview", 2, 1)
    dry = await hand.call("create_agent", dry=True, name="x", operations=[ASK, OUT, LINK])
    assert dry["type"] == preview["type"]
    assert (await hand.call("find_library_agent"))["type"] == "no_results"


async def test_a_run_is_started_once_however_often_the_call_is_made(everywhere: Hand):
    agent_id = await everywhere.stand.agent(greeter())
    asked: dict[str, Any] = {"library_agent_id": agent_id, "inputs": {"who": "Ada"}, "wait_for_result": 30, "key": "k"}
    first, second = await everywhere.call("run_agent", **asked), await everywhere.call("run_agent", **asked)
    assert first["type"] == second["type"] == "agent_output"
    assert first["execution"] == second["execution"]
    assert first["execution"]["outputs"] == {"greeting": ["Hello Ada!"]}
    assert await everywhere.stand.count("runs") == 1


async def test_without_a_wait_the_answer_is_that_it_started(hand: Hand):
    agent_id = await hand.stand.agent(greeter())
    started = await hand.call("run_agent", library_agent_id=agent_id, inputs={"who": "Ada"})
    assert started["type"] == "execution_started"
    assert started["link"] == f"/library/runs/{started['execution_id']}"
    assert "Do not run it again" in started["message"]


async def test_missing_unknown_and_wrong_inputs_run_nothing(hand: Hand):
    agent_id = await hand.stand.agent(greeter())
    details = await hand.call("run_agent", library_agent_id=agent_id)
    assert (details["type"], details["missing"]) == ("agent_details", ["who"])
    assert "Required: who. Optional: times." in details["message"]
    unknown = await hand.call("run_agent", library_agent_id=agent_id, inputs={"who": "A", "z": 1, "a": 2})
    assert (unknown["type"], unknown["unrecognized_fields"]) == ("input_validation_error", ["a", "z"])
    wrong = await hand.call("run_agent", library_agent_id=agent_id, inputs={"who": "A", "times": "many"})
    assert "times" in wrong["errors"]
    still = await hand.call("run_agent", library_agent_id=agent_id, use_defaults=True)
    assert still["missing"] == ["who"]
    assert await hand.stand.count("runs") == 0


async def test_no_identifier_unknown_and_foreign_ids_are_errors_of_one_kind(hand: Hand):
    assert (await hand.call("run_agent"))["code"] == "missing_identifier"
    bob = await hand.stand.house.person()
    foreign = await hand.stand.agent(greeter(), bob)
    unknown = new_id()
    answers = [await hand.call("run_agent", library_agent_id=one) for one in (foreign, unknown)]
    assert [answer["code"] for answer in answers] == ["not_found", "not_found"]
    assert answers[0]["message"].replace(foreign, "") == answers[1]["message"].replace(unknown, "")
    await bob.leave()


async def test_a_name_is_enough_if_it_fits_one_agent(hand: Hand):
    await hand.stand.agent(greeter(name="Daily digest"))
    ran = await hand.call("run_agent", agent_name="daily digest", inputs={"who": "A"}, wait_for_result=20)
    assert ran["type"] == "agent_output"
    await hand.stand.agent(greeter(name="Weekly digest"))
    ambiguous = await hand.call("run_agent", agent_name="digest", inputs={"who": "A"})
    assert ambiguous["code"] == "agent_ambiguous"
    assert len(ambiguous["details"]["candidates"]) == 2


async def test_a_failed_run_is_an_error_with_its_reason(hand: Hand):
    agent_id = await hand.stand.agent(greeter("{% for %}"))
    ran = await hand.call("run_agent", library_agent_id=agent_id, inputs={"who": "A"}, wait_for_result=20)
    assert ran["type"] == "agent_output" or ran["code"] == "execution_failed"
    assert "completed." not in ran["message"]


async def test_a_dry_run_is_marked_and_reaches_nothing_and_shows_its_steps(hand: Hand):
    """AT-RA18, AT-RA19, engine:Y1"""
    agent_id = await hand.stand.agent(greeter())
    tried = await hand.call(
        "run_agent", library_agent_id=agent_id, inputs={"who": "A"}, wait_for_result=20, dry_run=True
    )
    assert tried["is_dry_run"] is True
    acts = [{"op": "add_node", "block": "Send web request", "id": "ask", "inputs": {"url": "https://example.com"}}]
    acting = await hand.call("create_agent", name="acts", operations=acts)
    trial = await hand.call("run_agent", dry_run=True, library_agent_id=acting["agent_id"], wait_for_result=20)
    assert (trial["type"], trial["is_dry_run"], trial["execution"]["status"]) == ("agent_output", True, "completed")
    (step,) = trial["execution"]["node_executions"]
    assert (step["node_id"], step["status"], step["output_data"][0]["pin"]) == ("ask", "completed", "response")


async def test_the_latest_ended_run_is_shown_with_others_to_choose_from(hand: Hand):
    agent_id = await hand.stand.agent(greeter())
    assert (await hand.call("view_agent_output", library_agent_id=agent_id))["type"] == "no_results"
    for who in ("Ada", "Grace"):
        await hand.stand.start(agent_id, wait=20, who=who)
    shown = await hand.call("view_agent_output", library_agent_id=agent_id)
    assert shown["execution"]["outputs"] == {"greeting": ["Hello Grace!"]}
    assert len(shown["available_executions"]) == 1
    other = shown["available_executions"][0]["execution_id"]
    assert (await hand.call("view_agent_output", execution_id=other))["execution"]["outputs"] == {
        "greeting": ["Hello Ada!"]
    }
    assert (await hand.call("view_agent_output"))["code"] == "missing_identifier"


@pytest.mark.parametrize("tool", ["view_agent_output"])
async def test_a_foreign_run_answers_like_an_unknown_one(hand: Hand, tool: str):
    bob = await hand.stand.house.person()
    agent_id = await hand.stand.agent(greeter(), bob)
    answer = await bob.http.post(f"/api/v1/agents/{agent_id}/runs", json={"inputs": {"who": "B"}})
    foreign = await hand.call(tool, execution_id=answer.json()["id"])
    unknown = await hand.call(tool, execution_id=new_id())
    assert foreign == unknown
    assert foreign["code"] == "not_found"
    await bob.leave()


async def test_with_a_wait_the_running_one_is_shown_when_it_ends(hand: Hand):
    waits = [
        {"op": "add_node", "block": "Countdown timer", "id": "wait", "inputs": {"seconds": 1, "input_message": "up"}},
        OUT,
        {"op": "connect", "from": "wait", "out": "output_message", "to": "out", "in": "value"},
    ]
    agent = await hand.call("create_agent", name="Sleeper", operations=waits)
    started = await hand.call("run_agent", library_agent_id=agent["agent_id"])
    assert started["type"] == "execution_started"
    none = await hand.call("view_agent_output", library_agent_id=agent["agent_id"])
    assert none["type"] == "no_results"
    shown = await hand.call("view_agent_output", library_agent_id=agent["agent_id"], wait_if_running=20)
    assert (shown["execution"]["status"], shown["execution"]["outputs"]) == ("completed", {"said": ["up"]})
