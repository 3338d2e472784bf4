"""autopilot:6.3, 6.4, 6.6, 6.9, 6.11, 6.13, 8.1, 8.9, 9.8, 10.4, 11.6: a scripted provider, tools of our own."""

import asyncio
from dataclasses import dataclass, field, replace

import pytest

from pilothouse.autopilot.breakers import STOP_AND_ASK
from pilothouse.autopilot.ledger import PARALLEL_CALLS
from pilothouse.autopilot.purse import Purse, Refusal
from pilothouse.autopilot.rounds import CLOSING_TEXT, MAX_ROUNDS
from pilothouse.autopilot.turn import STREAM_IDLE_TIMEOUT_SECONDS
from pilothouse.base.deferred import MAX_TOOL_WAIT_SECONDS
from pilothouse.features.chat import events
from tests.autopilot.bridge import Bridge
from tests.autopilot.stage import BYE, Stage, calls, numbered
from tests.autopilot.switch import Switch
from tests.base.waiting import until
from tests.features.runs.stand import Installation, Stand
from tests.providers.script import Answer, Tool
from tests.providers.script import Refusal as Refused


async def test_calls_of_one_round_run_at_the_same_time_up_to_a_bound(stage: Stage):
    count = PARALLEL_CALLS + 2
    await stage.play(calls(*[("rest", f'{{"n": {n}}}') for n in range(count)]), BYE)
    turn_id = await stage.bridge.start("go")
    await until(lambda: len(stage.shop.done) == PARALLEL_CALLS)
    stage.shop.gate.set()
    assert await stage.bridge.ended(turn_id) == "completed"
    assert sorted(stage.shop.done) == list(range(count))


async def test_a_failing_call_is_a_result_and_its_siblings_finish(stage: Stage):
    script = await stage.play(calls(("stumble", "{}"), ("count_up", '{"n": 7}')), BYE)
    said = await stage.bridge.ask("go")
    assert said.status == "completed"
    assert {output.get("code", output["type"]) for output in said.outputs} == {"internal", "done"}
    assert "secret" not in str(script.asked)


async def test_each_call_has_a_key_of_its_own_made_of_turn_and_call(stage: Stage):
    await stage.play(calls(("count_up", '{"n": 1}'), ("count_up", '{"n": 2}')), BYE)
    said = await stage.bridge.ask("go")
    told = [event.data["idempotency_key"] for event in said.of(events.TOOL_INPUT_AVAILABLE)]
    assert sorted(stage.shop.keys) == sorted(told, key=str)
    assert len(set(stage.shop.keys)) == 2
    assert all(str(key).startswith(str(said.events[0].turn_id)) for key in stage.shop.keys)


async def test_a_server_that_gives_every_call_the_same_id_confuses_nobody(stage: Stage):
    same = [Answer(tools=(Tool("call_0", "count_up", f'{{"n": {n}}}'),)) for n in range(3)]
    script = await stage.play(*same, BYE)
    said = await stage.bridge.ask("count")
    assert stage.shop.done == [0, 1, 2]
    assert [output["n"] for output in said.outputs] == [0, 1, 2]
    told = [message for message in script.asked[-1]["messages"] if message["role"] == "tool"]
    assert len({message["tool_call_id"] for message in told}) == 3


@pytest.mark.parametrize("text", ["   ", "<user_context></user_context>"])
async def test_nothing_to_answer_asks_no_model(stage: Stage, text: str):
    """6.4"""
    script = await stage.play(BYE)
    said = await stage.bridge.ask(text)
    assert said.of(events.ERROR)[0].data["code"] == "empty_prompt"
    assert script.asked == []


async def test_no_output_at_all_is_an_error(stage: Stage):
    """6.11"""
    await stage.play(Answer())
    said = await stage.bridge.ask("hi")
    assert (said.status, said.of(events.ERROR)[0].data["code"]) == ("failed", "empty_completion")


async def test_the_same_failing_call_is_told_to_stop_and_then_ends_the_turn(stage: Stage):
    """11.6: at the third, and at the fifth"""
    await stage.play(*[numbered(n, "stumble", '{"n": 1}') for n in range(9)], BYE)
    said = await stage.bridge.ask("go")
    assert stage.shop.done == [1, 1]
    assert [event.data["message"] for event in said.of(events.TOOL_OUTPUT_ERROR)] == [STOP_AND_ASK] * 3
    assert said.of(events.ERROR)[0].data["code"] == "repeated_tool_failure"


async def test_five_empty_calls_in_a_row_end_the_turn(stage: Stage):
    """11.6"""
    kinds = ("count_up", "rest", "count_up", "rest", "risk", "count_up")
    await stage.play(*[numbered(n, kind, "{}") for n, kind in enumerate(kinds)], BYE)
    said = await stage.bridge.ask("go")
    assert said.of(events.ERROR)[0].data["code"] == "circuit_breaker_empty_tool_calls"
    assert len(said.tools) == 5
    assert stage.shop.done == []


async def test_the_last_round_is_for_words_and_there_is_none_after_it(stage: Stage):
    """6.9"""
    rounds = [numbered(n, "count_up", f'{{"n": {n}}}') for n in range(MAX_ROUNDS)]
    script = await stage.play(*rounds, BYE)
    said = await stage.bridge.ask("count")
    assert len(script.asked) == MAX_ROUNDS
    assert {asked["tool_choice"] for asked in script.asked[:-1]} == {"auto"}
    assert script.asked[-1]["tool_choice"] == "none"
    assert len(said.tools) == MAX_ROUNDS - 1
    assert said.of(events.ERROR)[0].data["code"] == "max_rounds"


async def test_cancel_reaches_a_tool_and_its_call_is_interrupted(stage: Stage):
    """10.5"""
    await stage.play(calls(("rest", '{"n": 1}')), BYE)
    turn_id = await stage.bridge.start("go")
    await until(lambda: bool(stage.shop.done))
    await stage.bridge.chat.cancel_turn(stage.bridge.stand.ann.actor, stage.bridge.session_id)
    assert await stage.bridge.ended(turn_id) == "cancelled"
    told = [event for event in await stage.bridge.events() if event.type == events.TOOL_OUTPUT_ERROR]
    assert told[0].data["code"] == "interrupted"


async def test_after_a_cancel_the_next_turn_reads_a_history_without_orphans(stage: Stage):
    """6.1"""
    await stage.play(calls(("rest", '{"n": 1}')), BYE)
    turn_id = await stage.bridge.start("go")
    await until(lambda: bool(stage.shop.done))
    await stage.bridge.chat.cancel_turn(stage.bridge.stand.ann.actor, stage.bridge.session_id)
    await stage.bridge.ended(turn_id)
    script = await stage.play(BYE)
    said = await stage.bridge.ask("again")
    assert said.status == "completed"
    roles = [message["role"] for message in script.asked[0]["messages"]]
    assert roles[-4:] == ["assistant", "tool", "user", "user"]  # what the server says beside it, and the message


async def test_messages_that_still_wait_when_a_turn_ends_start_the_next(stage: Stage):
    script = await stage.play(Answer(text=("one ", "two"), gate=(gate := asyncio.Event())), BYE)
    turn_id = await stage.bridge.start("first")
    await until(lambda: bool(script.asked))
    for text in ("second", "third"):
        message = stage.bridge.message(text)
        await stage.bridge.chat.start_turn(stage.bridge.stand.ann.actor, stage.bridge.session_id, message)
    gate.set()
    await stage.bridge.ended(turn_id)

    async def answered() -> bool:
        return [event.type for event in await stage.bridge.events()].count(events.TURN_ENDED) == 2

    await until(answered)
    assert "second\n\nthird" in str(script.asked[1]["messages"][-1]).replace("\\n", "\n")


async def test_the_system_prompt_and_the_tools_are_byte_equal_on_all_turns(stage: Stage):
    """6.5, 6.6: and for all users"""
    script = await stage.play(BYE)
    await stage.bridge.ask("one")
    await (await stage.bridge.another()).ask("two")
    bob = await stage.bridge.stand.house.person()
    his = Bridge(Stand(stage.bridge.stand.house, bob), "")
    await (await his.another()).ask("three")
    await bob.leave()
    prompts, tools = [[asked[part] for asked in script.asked] for part in ("messages", "tools")]
    assert [messages[0] for messages in prompts] == [prompts[0][0]] * 3
    assert tools == [tools[0]] * 3


def test_nothing_waits_longer_than_the_watchdog():
    assert STREAM_IDLE_TIMEOUT_SECONDS == 2 * MAX_TOOL_WAIT_SECONDS == 600


async def test_a_provider_that_falls_silent_ends_the_turn(stage: Stage, switched: tuple[Installation, Switch]):
    script = await stage.play(BYE, Answer(text=("One", " two"), pause=30))
    await stage.bridge.ask("hello")  # the first turn of a process loads the provider's library
    switch = switched[1]
    assert switch.pilot is not None
    switch.pilot = replace(switch.pilot, idle_seconds=0.5)
    said = await stage.bridge.ask("talk")
    assert (said.status, said.of(events.ERROR)[0].data["code"]) == ("failed", "idle_timeout")
    assert len(said.of(events.TEXT_START)) == len(said.of(events.TEXT_END))
    assert len(script.asked) == 2


async def test_a_worker_that_stops_hands_the_turn_on_between_two_rounds(
    stage: Stage, switched: tuple[Installation, Switch]
):
    script = await stage.play(calls(("rest", '{"n": 1}')), BYE)
    switch = switched[1]
    turn_id = await stage.bridge.start("go")
    await until(lambda: bool(stage.shop.done))
    switch.turns[-1].hold.stopping.set()
    stage.shop.gate.set()
    assert await stage.bridge.ended(turn_id) == "completed"
    own = [event.type for event in await stage.bridge.events()]
    assert own.count(events.TURN_RESUMED) == 1
    assert stage.shop.done == [1]
    assert len(script.asked) == 2


async def test_what_was_written_before_a_worker_was_lost_between_two_rounds_is_heard(
    stage: Stage, switched: tuple[Installation, Switch]
):
    """autopilot:9.3"""
    script = await stage.play(calls(("rest", '{"n": 1}')), BYE)
    switch = switched[1]
    turn_id = await stage.bridge.start("go")
    await until(lambda: bool(stage.shop.done))
    message = stage.bridge.message("and hurry")
    await stage.bridge.chat.start_turn(stage.bridge.stand.ann.actor, stage.bridge.session_id, message)
    switch.turns[-1].hold.stopping.set()
    stage.shop.gate.set()
    assert await stage.bridge.ended(turn_id) == "completed"
    assert "and hurry" in str(script.asked[1]["messages"][-1])
    told = [event.type for event in await stage.bridge.events()]
    assert told.count(events.TURN_ENDED) == 1
    assert told.index(events.TOOL_OUTPUT_AVAILABLE) < told.index(events.FOLLOW_UP)


async def test_after_a_loss_finished_calls_are_reused_safe_ones_repeated_and_others_left(
    stage: Stage, switched: tuple[Installation, Switch]
):
    """11.2: the one test whose turn nobody hands on, until its worker finds it in nobody's hands."""
    asked = [("count_up", '{"n": 1}'), ("rest", '{"n": 2}'), ("risk", '{"n": 3}')]
    script = await stage.play(calls(*asked), BYE)
    switch = switched[1]
    turn_id = await stage.bridge.start("go")

    async def one_is_done() -> bool:
        done = [event.type for event in await stage.bridge.events()].count(events.TOOL_OUTPUT_AVAILABLE)
        return done == 1 and len(stage.shop.done) == 3

    await until(one_is_done)
    await switch.lose_worker()
    stage.shop.gate.set()
    assert await stage.bridge.ended(turn_id) == "completed"
    assert sorted(stage.shop.done) == [1, 2, 2, 3]
    assert len(set(stage.shop.keys)) == 3
    told = [event for event in await stage.bridge.events() if event.type == events.TOOL_OUTPUT_ERROR]
    assert [(event.data["tool"], event.data["code"]) for event in told] == [("risk", "interrupted")]
    assert "may have happened" in str(told[0].data["message"])
    assert len(script.asked) == 2


@dataclass(frozen=True, slots=True)
class Hesitant(Purse):
    """Holds a turn up when all is said, before it ends."""

    gate: asyncio.Event = field(default_factory=asyncio.Event)

    async def refusal_of_next(self, user_id: str) -> Refusal | None:
        await self.gate.wait()
        return None


@pytest.mark.parametrize("closing", [(), (Refused(400), BYE)], ids=["silent", "refused"])
async def test_the_closing_text_is_said_once_though_its_worker_is_lost_before_the_end(
    stage: Stage, switched: tuple[Installation, Switch], closing: tuple[Answer | Refused, ...]
):
    """6.11, 11.1"""
    await stage.play(numbered(1, "count_up", '{"n": 1}'), Answer(thinking=("Hm.",)), *closing)
    switch, purse = switched[1], Hesitant()
    assert switch.pilot is not None
    switch.pilot = replace(switch.pilot, purse=purse)
    turn_id = await stage.bridge.start("go")

    async def said() -> list[object]:
        return [event.data["text"] for event in await stage.bridge.events() if event.type == events.TEXT_END]

    async def is_said() -> bool:
        return await said() == [CLOSING_TEXT]

    await until(is_said)
    await switch.replace_worker(switched[0])
    purse.gate.set()
    assert await stage.bridge.ended(turn_id) == "completed"
    assert await is_said()


@pytest.mark.parametrize("slug", ["openrouter/nameless", "nobody/model"])
async def test_a_model_that_cannot_be_asked_ends_the_turn_and_says_so(
    chosen: Bridge, switched: tuple[Installation, Switch], slug: str
):
    """autopilot:13.3"""
    key = "k" if "router" in slug else None
    switched[1].connect(switched[0], chat_model=slug, openrouter_api_key=key)
    said = await chosen.ask("hi")
    assert (said.status, said.of(events.ERROR)[0].data["code"]) == ("failed", "model_unavailable")
