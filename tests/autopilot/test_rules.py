"""Rules that hold over the whole of AutoPilot."""

import re
from pathlib import Path
from typing import Literal

from pilothouse.autopilot import all_tools
from pilothouse.autopilot.context import system_prompt
from pilothouse.base.tools import ToolBox, ToolContext, ToolResult
from pilothouse.features.chat import events, queries
from pilothouse.kit.json import dumps
from tests.autopilot.stage import BYE, Stage, calls
from tests.base.waiting import until
from tests.providers.script import Answer

SOURCE = Path("src/pilothouse")
CODES = {
    *("idle_timeout", "transient_api_error", "provider_error", "provider_auth", "empty_prompt", "empty_completion"),
    *("circuit_breaker_empty_tool_calls", "repeated_tool_failure", "max_rounds", "context_overflow"),
    *("all_attempts_exhausted", "budget_exceeded", "spend_cap", "price_unknown", "model_unavailable", "worker_lost"),
    "internal",
}


def test_one_place_makes_turns():
    """2.1: the row and the job of a turn are written by `admit`, which every way in comes to."""
    chat = list((SOURCE / "features/chat").rglob("*.py"))
    for words in ("insert into chat_turns", "ADMIT_JOB,"):
        assert [path.name for path in chat if words in path.read_text(encoding="utf-8")] == ["starting.py"], words


def test_a_turn_fails_with_a_code_that_is_known_and_says_whether_to_try_again():
    """3.6, 4.9"""
    told = "\n".join(path.read_text(encoding="utf-8") for path in SOURCE.glob("autopilot/*.py"))
    used = set(re.findall(r'(?:Failed|Fault|events\.error)\(\s*"(\w+)"', told))
    assert {"empty_prompt", "max_rounds", "provider_auth"} <= used <= CODES
    retryable = {code for code in CODES if events.error(code, "x").data["retryable"]}
    assert retryable == {"idle_timeout", "transient_api_error", "all_attempts_exhausted", "worker_lost"}


def test_the_prompt_has_its_notes_and_no_copy_of_the_tools():
    """12.1: what tools are for and take, the model is told once, beside the prompt."""
    prompt = " ".join(system_prompt("").split())
    for tool in all_tools().values():
        assert " ".join(tool.description.split()) not in prompt, tool.name
        assert dumps(tool.schema) not in prompt, tool.name
    named = set(re.findall(r"`(\w+)`", prompt)) - {"dry_run", "user_follow_up"}
    assert named <= set(all_tools())
    places = [prompt.index(f"`{name}`") for name in ("find_library_agent", "get_agent_building_guide", "find_block")]
    assert places == sorted(places)  # the order of discovery
    for note in ("[file <id>]", "`run_sub_session`", "`check_background_tool`", "a dry run", "visible sentence"):
        assert note in prompt


class Looked(ToolResult):
    type: Literal["looked"] = "looked"
    logged: list[str]


async def test_a_call_is_on_disk_before_its_tool_runs(stage: Stage):
    """6.10: and its result as soon as it is there."""
    tools, reader = ToolBox(), stage.bridge.stand.house.api.reader

    async def look(ctx: ToolContext, n: int) -> ToolResult:
        """Look into the log."""
        stored = await queries.read_events(reader, ctx.session_id, 0, 1_000)
        own = [event.type for event in stored if event.data.get("tool_call_id") == ctx.tool_call_id]
        return Looked(message="Looked.", logged=own)

    tools.tool(label="Looking")(look)
    await stage.play(calls(("look", '{"n": 1}'), ("look", '{"n": 2}')), BYE, tools=tools)
    said = await stage.bridge.ask("look")
    assert [output["logged"] for output in said.outputs] == [[events.TOOL_INPUT_START, events.TOOL_INPUT_AVAILABLE]] * 2


async def test_a_stream_that_nobody_needs_any_more_is_closed(stage: Stage):
    """11.9, 10.3"""
    script = await stage.play(Answer(text=("word ",) * 200, pause=0.05))
    turn_id = await stage.bridge.start("talk")

    async def talks() -> bool:
        return events.TEXT_DELTA in [event.type for event in await stage.bridge.events()]

    await until(talks)
    await stage.bridge.chat.cancel_turn(stage.bridge.stand.ann.actor, stage.bridge.session_id)
    assert await stage.bridge.ended(turn_id) == "cancelled"
    await until(lambda: script.closed == 1)
