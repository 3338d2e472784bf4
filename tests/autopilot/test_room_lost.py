"""autopilot:12.3, 11.1, 10.3, 13.4: a turn that makes room and is lost, cancelled or refused meanwhile."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_ai.messages import ModelMessage, ToolCallPart, ToolReturnPart

from pilothouse.autopilot.history import model_messages
from pilothouse.features.chat import Event, events
from tests.autopilot.test_compaction import compacted
from tests.autopilot.test_costs import CLAUDE
from tests.autopilot.test_history import NOW, OLD, call, log, result, said, texts
from tests.autopilot.test_room import LONG, SMALL, SUMMARY, is_summary
from tests.autopilot.till import Till
from tests.base.waiting import until
from tests.providers.script import Answer, Refusal, Script, Tokens

BYE = Answer(text=("Done.",))
SLOW = Answer(text=("slow", "er"), pause=60, tokens=Tokens(5_000, 7))


async def outgrown(till: Till, *answers: Answer | Refusal, **settings: object) -> Script:
    """A session whose first turn was long, with a provider that has a price."""
    first = Answer(text=(LONG,), tokens=Tokens(50, 4_000))
    told = {"chat_context_window": SMALL, **settings}
    script = await till.play("anthropic", first, *answers, model=CLAUDE, **told)
    await till.bridge.ask("tell me a lot")
    return script


async def test_a_worker_lost_while_it_is_summed_up_does_no_harm(till: Till):
    """12.3, 11.1: whoever goes on asks again; one compaction is logged"""
    script = await outgrown(till, SLOW, SUMMARY, BYE)
    turn_id = await till.bridge.start("and now?")
    await until(lambda: len(script.asked) == 2)
    await till.switch.replace_worker(till.installation)
    assert await till.bridge.ended(turn_id) == "completed"
    assert [is_summary({"messages": str(asked)}) for asked in script.asked] == [False, True, True, False]
    made = [event.data for event in await till.bridge.events() if event.type == events.COMPACTION]
    assert [data["summary"] for data in made] == ["They greeted."]
    assert "and now?" in str(script.asked[-1]["messages"])


async def test_a_worker_lost_after_the_compaction_makes_no_second_one(till: Till):
    """12.3, 11.1"""
    script = await outgrown(till, SUMMARY, Answer(text=("A ",) * 400, pause=0.05), BYE)
    turn_id = await till.bridge.start("and now?")
    await until(lambda: len(script.asked) == 3)
    await till.switch.replace_worker(till.installation)
    assert await till.bridge.ended(turn_id) == "completed"
    assert [is_summary({"messages": str(asked)}) for asked in script.asked] == [False, True, False, False]
    assert "They greeted." in str(script.asked[3]["messages"])


async def test_a_summary_that_is_cancelled_is_closed_and_paid_for(till: Till):
    """10.3, 13.4: and nothing of it is kept"""
    script = await outgrown(till, SLOW, BYE)
    turn_id = await till.bridge.start("and now?")
    await until(lambda: len(script.asked) == 2)
    await till.bridge.chat.cancel_turn(till.bridge.stand.ann.actor, till.bridge.session_id)
    assert await till.bridge.ended(turn_id) == "cancelled"
    await until(lambda: script.closed == 1, 2)
    paid = [row for row in await till.rows() if row["job_id"] == turn_id]
    assert [(row["source"], row["cost_u"] > 0) for row in paid] == [("price_table", True)]
    assert not any(event.type == events.COMPACTION for event in await till.bridge.events())
    assert (await till.bridge.ask("and then?")).status == "completed"


@pytest.mark.parametrize("fault", [Refusal(400), Answer(text=("half",), ends="cut"), Answer(text=("a", "b"), pause=60)])
async def test_a_summary_that_fails_is_paid_for_where_it_said_something(small_till: Till, fault: Answer | Refusal):
    """12.3, 13.4"""
    await outgrown(small_till, fault, BYE)
    assert small_till.switch.pilot is not None
    small_till.switch.pilot = replace(small_till.switch.pilot, summary_seconds=1.0)
    said = await small_till.bridge.ask("and now?")
    assert (said.status, said.text) == ("completed", "Done.")
    paid = [row for row in await small_till.rows() if row["job_id"] == said.events[0].turn_id]
    assert len(paid) == (1 if isinstance(fault, Refusal) else 2)
    assert all(row["cost_u"] > 0 for row in paid)


async def test_without_money_no_summary_is_asked_for_and_the_turn_ends_clearly(small_till: Till):
    """12.3, 13.7: it is refused like every other call"""
    script = await outgrown(small_till, BYE, autopilot_daily_cost_limit_microdollars=1)
    said = await small_till.bridge.ask("and now?")
    assert said.of(events.ERROR)[0].data["code"] == "budget_exceeded"
    assert len(script.asked) == 1


def pairs(messages: list[ModelMessage]) -> tuple[list[str], list[str]]:
    """The ids of calls and of results, in their order."""
    parts = [part for message in messages for part in message.parts]
    calls = [part.tool_call_id for part in parts if isinstance(part, ToolCallPart)]
    return calls, [part.tool_call_id for part in parts if isinstance(part, ToolReturnPart)]


def worked(turn: int, rounds: int) -> list[Event]:
    """A turn of so many rounds, each with a call."""
    drafts = [said(f"do {turn}")]
    for n in range(1, rounds + 1):
        name = f"c{turn}_{n}"
        drafts += [events.start_step(n), *texts("I look."), *call(name), result(name), events.finish_step(n)]
    return log((OLD if turn == 0 else NOW, [*drafts, events.turn_ended("completed", None, 1)]))


@given(st.integers(0, 4), st.integers(0, 4), st.sampled_from([None, 50_000, 5_000, 10]))
def test_no_compaction_parts_a_call_from_its_result(before: int, after: int, target: int | None):
    """12.3, 6.1"""
    old = worked(0, before)
    new = [event._replace(id=event.id + len(old), turn_id="done") for event in worked(1, after)]
    message = new[0].id
    read = model_messages(compacted([*old, *new], message - 1, target), "next", [])
    calls, results = pairs(read)
    assert calls == results == [f"c1_{n}" for n in range(1, after + 1)]
