"""autopilot:11.4, 11.9, 13.3: failing providers: what is tried again, who goes on, and that no secret leaks."""

import logging
from dataclasses import replace
from typing import Any

import pytest
from pydantic_ai.exceptions import ModelHTTPError
from structlog.testing import capture_logs

from pilothouse.autopilot.faults import ATTEMPTS, MAX_BACKOFF_SECONDS, Fault, fault_of, pause_before
from pilothouse.autopilot.relaying import SILENCE_SECONDS
from pilothouse.autopilot.turn import STREAM_IDLE_TIMEOUT_SECONDS
from pilothouse.base.provider_http import READ_SECONDS
from pilothouse.features.chat import events
from tests.autopilot.till import KEY, Till
from tests.base.waiting import until
from tests.providers.listening import ask, loopback
from tests.providers.script import Answer, Ends, Refusal, Script, Tool
from tests.security.rows import snapshot

FIND = Tool("call_1", "find_block", '{"query": "web request"}')
BYE = Answer(text=("All done.",))
TALKS = Answer(text=("word ",) * 400, pause=0.02)
WIRES = ["openai", "openrouter", "anthropic"]


@pytest.mark.parametrize(("asked", "waits"), [(0.0, 0.0), (3.0, 3.0), (30.0, 30.0), (600.0, 30.0), (-1.0, 0.0)])
def test_as_long_as_the_provider_asks_is_waited_up_to_half_a_minute(asked: float, waits: float):
    """11.4"""
    assert pause_before(1, Fault("transient_api_error", transient=True, retry_after=asked)) == waits


@pytest.mark.parametrize("attempt", range(1, 12))
def test_otherwise_the_wait_grows_with_chance_in_it(attempt: int):
    """11.4"""
    fault = Fault("transient_api_error", transient=True)
    waits = [pause_before(attempt, fault) for _ in range(50)]
    assert all(min(2 ** (attempt - 2), MAX_BACKOFF_SECONDS) <= wait <= MAX_BACKOFF_SECONDS for wait in waits)
    assert len(set(waits)) > 1 or attempt > 5


TOO_LONG = {
    "OpenAI": {"message": "Too many.", "type": "invalid_request_error", "code": "context_length_exceeded"},
    "vLLM": {"message": "This model's maximum context length is 8192 tokens.", "type": "BadRequestError", "code": 400},
    "llama.cpp": {
        "message": "the request exceeds the available context size, try increasing it",
        "type": "exceed_context_size_error",
        "code": 400,
    },
    "SGLang": {"message": "The input (9000 tokens) is longer than the model's context length (8192 tokens)."},
    "Google": {
        "message": "The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).",
        "status": "INVALID_ARGUMENT",
        "code": 400,
    },
    "OpenRouter": {
        "message": "Provider returned error",
        "code": 400,
        "metadata": {"raw": '{"error":{"message":"prompt is too long: 214783 tokens > 200000 maximum"}}'},
    },
}


@pytest.mark.parametrize("wire", ["openai", "openrouter"])
@pytest.mark.parametrize("maker", TOO_LONG)
async def test_a_conversation_that_is_too_long_is_known_by_each_servers_word_for_it(maker: str, wire: str):
    """11.5"""
    async with loopback(wire, Refusal(400, body={"error": TOO_LONG[maker]})) as (model, _):
        with pytest.raises(ModelHTTPError) as caught:
            await ask(model)
    assert fault_of(caught.value) == Fault("context_overflow", transient=False)


async def test_anthropic_counts_the_answer_to_come_as_well():
    """11.5: the library knows only its other word for it"""
    words = "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000"
    refusal = Refusal(400, body={"type": "error", "error": {"type": "invalid_request_error", "message": words}})
    async with loopback("anthropic", refusal) as (model, _):
        with pytest.raises(ModelHTTPError) as caught:
            await ask(model)
    assert fault_of(caught.value) == Fault("context_overflow", transient=False)


@pytest.mark.parametrize("status", [400, 401, 404, 503])
async def test_only_a_request_that_was_refused_for_itself_can_be_too_long(status: int):
    """11.5"""
    words = "no context size is known here" if status != 400 else "no such parameter"
    async with loopback("openai", Refusal(status, body={"error": {"message": words}})) as (model, _):
        with pytest.raises(ModelHTTPError) as caught:
            await ask(model)
    assert fault_of(caught.value).code != "context_overflow"


async def test_the_time_a_provider_asks_for_passes_before_the_next_try(small_till: Till):
    """11.4"""
    script = await small_till.play("openai", Refusal(429, {"Retry-After": "1"}), BYE)
    said = await small_till.bridge.ask("hi")
    assert (said.text, len(script.asked)) == ("All done.", 2)
    passed = said.of(events.TURN_ENDED)[0].created_at - said.of(events.TURN_STARTED)[0].created_at
    assert passed >= 1_000_000


async def test_overload_inside_a_stream_is_tried_again_and_what_was_said_is_taken_back(small_till: Till):
    """11.4"""
    script = await small_till.play("anthropic", Answer(text=("Half an ans",), ends="overloaded"), BYE)
    said = await small_till.bridge.ask("hi")
    assert (said.status, said.text, len(script.asked)) == ("completed", "All done.", 2)
    assert len(said.of(events.STEP_RESET)) == 1
    passed = said.of(events.TURN_ENDED)[0].created_at - said.of(events.STEP_RESET)[0].created_at
    assert passed >= 500_000  # half a second at least, when nobody says how long


async def two_providers(till: Till, *answers: Answer | Refusal) -> tuple[Script, Script]:
    """Anthropic's answers, and a fallback at OpenAI's that works."""
    first, url = await till.serve("anthropic", *answers)
    second, other = await till.serve("openai", Answer(text=("I can.",), model="standing-in"))
    keys = {"anthropic_base_url": url, "anthropic_api_key": KEY, "chat_model": "anthropic/maker/test"}
    more = {"openai_base_url": other, "openai_api_key": KEY, "chat_fallback_model": "openai/other"}
    till.connect({**keys, **more})
    return first, second


@pytest.mark.parametrize(
    "answers",
    [
        (Refusal(401),),
        (Refusal(404),),
        (Refusal(503, {"Retry-After": "0"}),),
        (Answer(tools=(FIND,)), Refusal(403)),
    ],
    ids=["key", "model", "failing", "between rounds"],
)
async def test_where_a_model_fails_for_good_the_fallback_goes_on_with_a_notice(
    small_till: Till, answers: tuple[Answer | Refusal, ...]
):
    """13.3: the model that answered is logged, and work done is kept."""
    _, second = await two_providers(small_till, *answers)
    said = await small_till.bridge.ask("hi")
    assert (said.status, said.text) == ("completed", "I can.")
    notices = [event.data for event in said.of(events.NOTICE)]
    assert [notice["code"] for notice in notices] == ["model_fallback"]
    assert "anthropic/maker/test" in str(notices[0]["message"])
    assert "openai/other" in str(notices[0]["message"])
    told = said.of(events.USAGE)[-1].data
    assert (told["model"], told["provider"]) == ("standing-in", "openai")
    assert len(second.asked) == 1
    assert len(said.outputs) == len(answers) - 1


async def test_a_fallback_that_fails_too_ends_the_turn(small_till: Till):
    """13.3: once, not in a circle."""
    first, second = await two_providers(small_till, Refusal(401))
    second.answers[:] = [Refusal(401)]
    said = await small_till.bridge.ask("hi")
    assert said.of(events.ERROR)[0].data["code"] == "provider_auth"
    assert (len(first.asked), len(second.asked)) == (1, 1)


async def test_a_model_that_cannot_be_used_is_replaced_only_with_a_notice(small_till: Till):
    """13.3"""
    _, url = await small_till.serve("openai", BYE)
    told = {"openai_base_url": url, "openai_api_key": KEY, "chat_model": "nobody/model"}
    small_till.connect(told)
    refused = await small_till.bridge.ask("hi")
    assert refused.of(events.ERROR)[0].data["code"] == "model_unavailable"
    small_till.connect({**told, "chat_fallback_model": "openai/other"})
    said = await small_till.bridge.ask("hi")
    assert [event.data["code"] for event in said.of(events.NOTICE)] == ["model_fallback"]
    assert said.of(events.TURN_STARTED)[0].data["model"] == "openai/other"


async def speaking(till: Till) -> None:
    async def heard() -> bool:
        return any(event.type == events.TEXT_DELTA for event in await till.bridge.events())

    await until(heard)


@pytest.mark.parametrize("wire", WIRES)
async def test_a_lost_worker_leaves_no_stream_open(small_till: Till, wire: str):
    """11.9"""
    script = await small_till.play(wire, TALKS)
    turn_id = await small_till.bridge.start("talk")
    await speaking(small_till)
    script.answers[:] = [BYE]
    await small_till.switch.replace_worker(small_till.installation)
    await until(lambda: script.closed == 1)
    assert await small_till.bridge.ended(turn_id) == "completed"


async def test_a_turn_that_hears_nothing_leaves_no_stream_open(small_till: Till):
    """11.9, 6.13"""
    script = await small_till.play("openai", BYE, Answer(text=("And then",) * 2, pause=60))
    await small_till.bridge.ask("hello")  # the first turn of a process loads the provider's library
    assert small_till.switch.pilot is not None
    small_till.switch.pilot = replace(small_till.switch.pilot, idle_seconds=0.5)
    said = await small_till.bridge.ask("talk")
    assert said.of(events.ERROR)[0].data["code"] == "idle_timeout"
    await until(lambda: script.closed == 1)


def test_a_silent_provider_is_given_up_before_the_turn_is():
    """11.4, 6.13"""
    assert SILENCE_SECONDS == READ_SECONDS == 300 < STREAM_IDLE_TIMEOUT_SECONDS


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("ends", ["stalled", "mute"])
async def test_heartbeats_are_no_progress(small_till: Till, wire: str, ends: Ends):
    """11.4, 11.9: who only keeps the connection open is left, and asked again."""
    script = await small_till.play(wire, BYE, Answer(text=("Half an ans",), ends=ends), BYE)
    await small_till.bridge.ask("hello")  # the first turn of a process loads the provider's library
    assert small_till.switch.pilot is not None
    small_till.switch.pilot = replace(small_till.switch.pilot, silence_seconds=0.2)
    said = await small_till.bridge.ask("talk")
    assert (said.status, said.text) == ("completed", "All done.")
    assert len(said.of(events.STEP_RESET)) == (ends == "stalled")  # there was something to take back
    assert len(script.asked) == 3
    await until(lambda: script.closed == 1)


@pytest.mark.usefixtures("hurried")
async def test_who_stays_silent_is_asked_three_times(small_till: Till):
    """11.4, 6.13: each time for its whole time, whatever the watchdog has seen of the times before."""
    script = await small_till.play("openrouter", BYE, Answer(ends="mute"))
    await small_till.bridge.ask("hello")
    assert small_till.switch.pilot is not None
    small_till.switch.pilot = replace(small_till.switch.pilot, silence_seconds=0.3, idle_seconds=0.8)
    said = await small_till.bridge.ask("talk")
    assert said.of(events.ERROR)[0].data["code"] == "all_attempts_exhausted"
    assert len(script.asked) == 1 + ATTEMPTS


LEAKS: list[tuple[str, Answer | Refusal]] = [
    ("refused", Refusal(401, body={"error": {"message": f"the key {KEY} is bad", "type": "authentication_error"}})),
    ("wrong", Refusal(400, body={"error": {"message": f"no {KEY}", "type": "invalid_request_error", "param": KEY}})),
    ("failing", Refusal(500, {"Retry-After": "0", "X-Key": KEY}, {"error": {"message": KEY, "type": KEY}})),
    ("in stream", Answer(text=("Well",), ends="overloaded", complaint=f"{KEY} is overloaded")),
]


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("answer", [answer for _, answer in LEAKS], ids=[name for name, _ in LEAKS])
async def test_a_key_that_the_provider_repeats_is_in_no_frame_no_log_line_and_no_row(
    small_till: Till, wire: str, answer: Answer | Refusal, caplog: pytest.LogCaptureFixture, capsys: Any
):
    """S11: the canary."""
    caplog.set_level(logging.WARNING)  # nothing below it is ever written for libraries: `configure_logging`
    script = await small_till.play(wire, answer)
    with capture_logs() as logs:
        path = f"/api/chat/sessions/{small_till.bridge.session_id}/stream"
        streamed = await small_till.bridge.stand.ann.browser.post(path, json={"message": "hi"})
    sent = script.requests[0].headers
    assert KEY in sent.get("authorization", "") + sent.get("x-api-key", "")  # the canary did fly
    assert '"type":"data-error"' in streamed.text
    rows = await snapshot(small_till.installation.api.reader)
    for place in (streamed.text, str(logs), caplog.text, str(rows), str(capsys.readouterr())):
        assert KEY not in place


@pytest.mark.parametrize(
    ("status", "transient"),
    [
        *((status, True) for status in (408, 429, 500, 501, 507, 520, 524, 529, 599)),
        (400, False),
        (402, False),
        (422, False),
    ],
)
def test_every_5xx_passes(status: int, transient: bool):
    """11.4"""
    assert fault_of(ModelHTTPError(status, "a-model")).transient is transient
