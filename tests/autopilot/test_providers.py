"""autopilot:6.9, 6.11, 7.1, 7.2, 8.1, 10.3, 11.4: the real client libraries against providers on loopback."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any, TypeAlias

import pytest
import pytest_asyncio

from pilothouse.autopilot import all_tools
from pilothouse.autopilot.rounds import CLOSING_TEXT
from pilothouse.autopilot.stream import DELTA_CHARACTERS, DELTA_SECONDS
from pilothouse.features.chat import events
from pilothouse.kit.json import dumps
from tests.autopilot.bridge import Bridge
from tests.autopilot.switch import Switch
from tests.base.waiting import until
from tests.features.runs.stand import Installation
from tests.providers.script import Answer, Ends, Refusal, Script, Tool
from tests.providers.server import provider

Connect: TypeAlias = Callable[..., Awaitable[Script]]
FIND = Tool("call_1", "find_block", '{"query": "web request"}')
LIST = Tool("call_2", "find_library_agent", "{}")
BYE = Answer(text=("All ", "done."))
CANARY = "sk-canary-0123456789"


@pytest_asyncio.fixture(loop_scope="session", params=["openai", "openrouter", "anthropic"])
async def connect(request: pytest.FixtureRequest, switched: tuple[Installation, Switch]) -> AsyncGenerator[Connect]:
    """Let this provider answer."""
    installation, switch = switched
    wire: str = request.param
    async with AsyncExitStack() as stack:

        async def connected(*answers: Answer | Refusal) -> Script:
            script = Script(list(answers))
            url = await stack.enter_async_context(provider(script, wire))
            keys: dict[str, Any] = {
                f"{wire}_base_url": url,
                f"{wire}_api_key": CANARY,
                "chat_model": f"{wire}/maker/test",
            }
            models = switch.connect(installation, **keys)
            stack.push_async_callback(models.aclose)
            return script

        yield connected


async def test_text_streams_and_usage_is_told(chosen: Bridge, connect: Connect):
    await connect(Answer(text=("Hello", " there", ".")))
    said = await chosen.ask("hi")
    assert (said.status, said.text) == ("completed", "Hello there.")
    assert said.of(events.USAGE)[0].data["completion_tokens"] == 7
    assert str(said.of(events.TURN_STARTED)[0].data["model"]).endswith("/test")


async def test_reasoning_is_one_block_before_the_text_and_is_not_sent_back_in_the_next_turn(
    chosen: Bridge, connect: Connect
):
    script = await connect(Answer(thinking=("I ", "wonder."), text=("Yes.",)), BYE)
    said = await chosen.ask("well?")
    assert [event.data["text"] for event in said.of(events.REASONING_END)] == ["I wonder."]
    kinds = [event.type for event in said.events if event.type.endswith(("-start", "-end"))]
    assert kinds == ["reasoning-start", "reasoning-end", "text-start", "text-end"]
    await chosen.ask("and?")
    assert "wonder" not in str(script.asked[-1])
    assert "Yes." in str(script.asked[-1])


async def test_parallel_calls_are_answered_and_the_model_reads_the_results(chosen: Bridge, connect: Connect):
    script = await connect(Answer(text=("Let me look.",), tools=(FIND, LIST)), BYE)
    said = await chosen.ask("what is there?")
    assert said.tools == ["find_block", "find_library_agent"]
    assert {output["type"] for output in said.outputs} == {"block_list", "no_results"}
    assert "Send web request" in str(script.asked[1])
    assert said.text == "Let me look.\nAll done."
    marks = ("start-step", "tool-input-available", "finish-step")
    order = [event.type for event in said.events if event.type in marks]
    assert order == [marks[0], marks[1], marks[1], marks[2], marks[0], marks[2]]


async def test_telling_a_model_of_the_tools_changes_no_schema(chosen: Bridge, connect: Connect):
    """6.5: they are made once and shared by all turns, and each provider's library wants its own form of them."""
    before = {name: dumps(tool.schema) for name, tool in all_tools().items()}
    script = await connect(Answer(text=("Yes.",)))
    assert (await chosen.ask("hi")).status == "completed"
    assert len(script.asked[0]["tools"]) >= 10
    assert {name: dumps(tool.schema) for name, tool in all_tools().items()} == before


async def test_a_call_of_an_unknown_tool_and_one_with_broken_arguments_are_results(chosen: Bridge, connect: Connect):
    script = await connect(Answer(tools=(Tool("c1", "fly_away", "{}"), Tool("c2", "find_block", '{"query": '))), BYE)
    said = await chosen.ask("go")
    codes = {event.data["tool_call_id"]: event.data["code"] for event in said.of(events.TOOL_OUTPUT_ERROR)}
    assert codes == {"c1": "unknown_tool", "c2": "invalid_arguments"}
    assert said.status == "completed"
    assert len(script.asked) == 2


async def test_refused_arguments_are_told_by_field(chosen: Bridge, connect: Connect):
    await connect(Answer(tools=(Tool("c1", "find_block", '{"query": "", "nonsense": 1}'),)), BYE)
    said = await chosen.ask("go")
    assert said.outputs[0]["code"] == "invalid_arguments"
    fields = {fault["field"] for fault in said.outputs[0]["details"]["errors"]}
    assert fields == {"query", "nonsense"}


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("ends", ["early", "cut"])
async def test_a_stream_that_breaks_off_is_taken_back_and_made_again(chosen: Bridge, connect: Connect, ends: Ends):
    script = await connect(Answer(text=("Half an ans",), ends=ends), Answer(text=("A whole answer.",)))
    said = await chosen.ask("hi")
    assert said.status == "completed"
    assert said.text == "A whole answer."
    assert len(said.of(events.STEP_RESET)) == 1
    assert len(said.of(events.TEXT_START)) == len(said.of(events.TEXT_END)) == 2
    assert len(script.asked) == 2


@pytest.mark.parametrize("status", [408, 429, 500, 529])
async def test_a_transient_refusal_is_tried_again_after_the_time_it_asks_for(
    chosen: Bridge, connect: Connect, status: int
):
    script = await connect(Refusal(status, {"Retry-After": "0"}), BYE)
    said = await chosen.ask("hi")
    assert said.text == "All done."
    assert len(script.asked) == 2


async def test_work_done_before_a_failure_is_kept(chosen: Bridge, connect: Connect):
    script = await connect(Answer(tools=(FIND,)), Refusal(500, {"Retry-After": "0"}), BYE)
    said = await chosen.ask("hi")
    assert said.status == "completed"
    assert said.tools == ["find_block"]
    assert script.asked[1]["messages"] == script.asked[2]["messages"]


async def test_three_failures_in_a_row_end_the_turn(chosen: Bridge, connect: Connect):
    script = await connect(Refusal(503, {"Retry-After": "0"}))
    said = await chosen.ask("hi")
    assert said.status == "failed"
    assert said.of(events.ERROR)[0].data["code"] == "all_attempts_exhausted"
    assert said.of(events.ERROR)[0].data["retryable"] is True
    assert len(script.asked) == 3


@pytest.mark.parametrize(
    ("status", "code"), [(401, "provider_auth"), (404, "model_unavailable"), (400, "provider_error")]
)
async def test_a_bad_key_or_model_is_not_tried_again_and_tells_no_secret(
    chosen: Bridge, connect: Connect, status: int, code: str
):
    body = {"error": {"message": f"the key {CANARY} is bad", "type": "invalid_request_error"}}
    script = await connect(Refusal(status, body=body))
    said = await chosen.ask("hi")
    assert said.of(events.ERROR)[0].data["code"] == code
    assert len(script.asked) == 1
    assert CANARY not in str(said.events)


async def test_a_silent_ending_is_asked_for_words_once(chosen: Bridge, connect: Connect):
    script = await connect(Answer(tools=(FIND,)), Answer(thinking=("Hm.",)), Answer(text=("Found one.",)))
    said = await chosen.ask("look")
    assert said.text == "Found one."
    assert len(script.asked) == 3
    assert script.asked[2]["tools"] == script.asked[1]["tools"]  # refused without them, and cached with them
    assert script.asked[1]["tool_choice"] in ("auto", {"type": "auto"})
    assert script.asked[2]["tool_choice"] in ("none", {"type": "none"})


async def test_a_call_in_a_round_that_is_for_words_is_not_made(chosen: Bridge, connect: Connect):
    """6.11: not every server knows how to be told so."""
    again = Answer(text=("And more.",), tools=(LIST,))
    script = await connect(Answer(tools=(FIND,)), Answer(thinking=("Hm.",)), again)
    said = await chosen.ask("look")
    assert (said.status, said.text, said.tools) == ("completed", "And more.", ["find_block"])
    assert len(script.asked) == 3


@pytest.mark.parametrize(
    "refusal", [Refusal(400), Refusal(401), Refusal(404), Refusal(503, {"Retry-After": "0"})], ids=lambda it: it.status
)
async def test_a_turn_that_is_done_does_not_fail_for_want_of_a_last_word(
    chosen: Bridge, connect: Connect, refusal: Refusal
):
    """6.11: one fixed text is said instead."""
    await connect(Answer(tools=(FIND,)), Answer(thinking=("Hm.",)), refusal)
    said = await chosen.ask("look")
    assert (said.status, said.text) == ("completed", CLOSING_TEXT)
    assert said.of(events.ERROR) == []
    assert len(said.of(events.START_STEP)) == len(said.of(events.FINISH_STEP)) == 3


async def test_when_even_that_is_silent_there_is_one_closing_text(chosen: Bridge, connect: Connect):
    script = await connect(Answer(tools=(FIND,)), Answer(thinking=("Hm.",)))
    said = await chosen.ask("look")
    assert said.text == CLOSING_TEXT
    assert len(script.asked) == 3
    assert said.status == "completed"


async def test_a_follow_up_is_read_after_the_results_of_the_round(chosen: Bridge, connect: Connect):
    script = await connect(Answer(text=("One moment.",), tools=(FIND,), gate=(gate := asyncio.Event())), BYE)
    turn_id = await chosen.start("look")
    await until(lambda: bool(script.asked))
    await chosen.chat.start_turn(chosen.stand.ann.actor, chosen.session_id, chosen.message("and be brief"))
    gate.set()
    await chosen.ended(turn_id)
    told = [event.type for event in await chosen.events()]
    assert told.index("follow-up") > told.index("tool-output-available")
    assert "and be brief" in str(script.asked[1]["messages"][-1])
    assert "and be brief" not in str(script.asked[0])


async def test_cancel_stops_the_stream_and_closes_what_is_open(chosen: Bridge, connect: Connect):
    script = await connect(Answer(text=tuple("word " for _ in range(400)), pause=0.02))
    turn_id = await chosen.start("talk")

    async def speaks() -> bool:
        return any(event.type == events.TEXT_DELTA for event in await chosen.events())

    await until(speaks)
    async with asyncio.timeout(2):
        outcome = await chosen.chat.cancel_turn(chosen.stand.ann.actor, chosen.session_id)
    assert (outcome.cancelled, outcome.reason) == (True, None)
    assert await chosen.ended(turn_id) == "cancelled"
    told = [event.type for event in await chosen.events()]
    assert told[-3:] == ["text-end", "finish-step", "turn-ended"]
    await until(lambda: script.closed == 1)
    assert len(script.asked) == 1


async def test_deltas_are_coalesced_and_add_up(chosen: Bridge, connect: Connect):
    await connect(Answer(text=tuple("abcdefgh" for _ in range(40))))
    said = await chosen.ask("spell")
    deltas = [event.data for event in said.of(events.TEXT_DELTA)]
    assert "".join(str(data["delta"]) for data in deltas) == "abcdefgh" * 40
    took = said.of(events.TEXT_END)[0].created_at - said.of(events.TEXT_START)[0].created_at
    assert len(deltas) <= 320 / DELTA_CHARACTERS + took / (DELTA_SECONDS * 1_000_000) + 1
    offset = 0
    for data in deltas:
        assert data["offset"] == offset
        offset += len(str(data["delta"]))
