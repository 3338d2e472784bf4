"""autopilot:2.3, 13.7, 13.8, billing:A2, A4-A7: limits on what models may cost, before a turn and before each call."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

import pytest

from pilothouse.base.committer import DatabaseUnavailable
from pilothouse.features.chat import events, queries
from pilothouse.features.models import BudgetExceeded, Limits, Spending
from pilothouse.kit.clock import to_micros
from pilothouse.kit.ids import RunId, new_id
from pilothouse.kit.json import dumps
from tests.autopilot.till import Till
from tests.base.waiting import until
from tests.features.runs.graphs import AWAIT, OUTPUT, graph, link, node
from tests.providers.script import Answer, Refusal, Tool

FIND = Tool("call_1", "find_block", '{"query": "web request"}')
DEAR = Answer(tools=(FIND,), cost=0.004)
Limit: TypeAlias = Callable[..., Spending]


class Broken:
    """A database that cannot be read."""

    async def rows(self, sql: str, *params: Any) -> list[tuple[Any, ...]]:
        raise DatabaseUnavailable

    async def close(self) -> None: ...


@pytest.fixture
def limit(till: Till) -> Iterator[Limit]:
    """Limit what may be spent at the API's door of this installation; afterwards nothing is limited again."""
    app, chat = till.installation.app, till.installation.api.chat
    desk, check = app.state.models, chat.check_spend

    def limited(reader: Any = None, **limits: int) -> Spending:
        spending = Spending(reader or till.installation.api.reader, Limits(**limits))
        chat.check_spend = spending.check
        app.state.models = replace(desk, spending=spending)
        return spending

    yield limited
    chat.check_spend, app.state.models = check, desk


async def post(till: Till, text: str = "hi", **more: Any) -> Any:
    path = f"/api/chat/sessions/{till.bridge.session_id}/stream"
    return await till.bridge.stand.ann.browser.post(path, json={"message": text, **more})


async def test_a_spent_day_refuses_the_next_turn_and_keeps_nothing_of_it(till: Till, limit: Limit):
    """2.3, 13.7, A2"""
    limit(daily=5_000, weekly=1_000_000)
    await till.spend(5_000)
    refused = await post(till)
    assert (refused.status_code, refused.json()["code"]) == (429, "budget_exceeded")
    assert refused.json()["detail"]["window"] == "daily"
    assert refused.json()["detail"]["resets_at"].endswith("T00:00:00.000000Z")
    assert await till.bridge.events() == []
    assert await till.bridge.stand.count("chat_turns") == 0


async def test_a_session_that_is_not_ones_own_is_absent_before_it_is_dear(till: Till, limit: Limit):
    """2.3"""
    limit(daily=1)
    await till.spend(5)
    answer = await till.bridge.stand.ann.browser.post(f"/api/chat/sessions/{new_id()}/stream", json={"message": "hi"})
    assert answer.status_code == 404


async def test_a_busy_session_takes_no_message_either_and_one_that_came_before_is_answered_as_then(
    till: Till, limit: Limit
):
    """2.3, 2.10"""
    script = await till.play("openrouter", Answer(text=("word ",) * 400, pause=0.02, cost=0.001))
    first = new_id()
    turn_id = await till.bridge.start("talk")
    await until(lambda: bool(script.asked))
    await post(till, "and this", message_id=first)
    limit(daily=5_000)
    await till.spend(5_000)
    assert (await post(till, "more")).status_code == 429
    again = await post(till, "and this", message_id=first)
    assert (again.status_code, again.json()["buffer_length"]) == (202, 1)
    await till.bridge.chat.take_back(till.bridge.stand.ann.actor, till.bridge.session_id, first)
    await till.bridge.chat.cancel_turn(till.bridge.stand.ann.actor, till.bridge.session_id)
    assert await till.bridge.ended(turn_id) == "cancelled"


async def test_a_turn_that_crosses_the_line_ends_there_one_call_over_at_most(till: Till):
    """13.7, A2: checked before each model call."""
    script = await till.play("openrouter", DEAR, autopilot_daily_cost_limit_microdollars=7_000)
    said = await till.bridge.ask("look")
    assert (said.status, said.of(events.ERROR)[0].data["code"]) == ("failed", "budget_exceeded")
    assert said.of(events.ERROR)[0].data["retryable"] is False
    assert len(script.asked) == 2
    assert sum(row["cost_u"] for row in await till.rows()) == 8_000
    assert len(said.outputs) == 2  # work done stays


async def test_a_turn_has_a_ceiling_of_its_own(till: Till):
    """13.7"""
    script = await till.play("openrouter", DEAR, turn_cost_ceiling_microdollars=4_000)
    await till.spend(1_000_000)
    said = await till.bridge.ask("look")
    assert said.of(events.ERROR)[0].data["code"] == "budget_exceeded"
    assert len(script.asked) == 1


async def test_a_model_without_a_price_is_not_asked_while_there_is_a_limit(till: Till):
    """13.4, S4: nothing goes out."""
    told = {"openai_api_key": "k", "chat_model": "openai/nobody-knows-it"}
    till.connect({**told, "turn_cost_ceiling_microdollars": 1_000_000})
    said = await till.bridge.ask("hi")
    assert said.of(events.ERROR)[0].data["code"] == "price_unknown"
    assert await till.rows() == []


async def test_what_costs_nothing_needs_no_price(till: Till):
    """13.4, S4"""
    await till.play("openai", Answer(text=("Yes.",)), model="my-own", turn_cost_ceiling_microdollars=1)
    assert (await till.bridge.ask("hi")).status == "completed"
    till.connect({"turn_cost_ceiling_microdollars": 1})
    assert (await till.bridge.ask("help")).status == "completed"


async def test_only_what_the_house_pays_counts_and_each_window_counts_its_own_days(till: Till):
    """13.7, A4"""
    noon = datetime(2026, 11, 18, 12, tzinfo=UTC)  # a Wednesday
    await till.spend(1, at=to_micros(noon))
    await till.spend(10, at=to_micros(noon - timedelta(hours=12)))
    await till.spend(100, at=to_micros(noon - timedelta(hours=12, microseconds=1)))
    await till.spend(1_000, at=to_micros(noon - timedelta(days=2, hours=12)))
    await till.spend(10_000, at=to_micros(noon - timedelta(days=2, hours=12, microseconds=1)))
    await till.spend(100_000, at=to_micros(noon), payer="own_key")
    spending = Spending(till.installation.worker.reader, Limits(daily=1, weekly=1), lambda: noon)
    daily, weekly = await spending.read(till.user_id)
    assert (daily.used, weekly.used) == (11, 1_111)


async def test_what_cannot_be_read_refuses_a_turn_and_shows_nothing_used(till: Till, limit: Limit):
    """13.7, A5, A6: enforcement fails closed, display open."""
    limit(Broken(), daily=5_000)
    refused = await post(till)
    assert (refused.status_code, refused.json()["code"]) == (503, "unavailable")
    shown = (await till.bridge.stand.ann.browser.get("/api/chat/usage")).json()
    assert (shown["daily"]["percent_used"], shown["weekly"], shown["degraded"]) == (0.0, None, True)


async def test_usage_is_shown_as_a_share_and_no_amount(till: Till, limit: Limit):
    """13.8, A7, A8"""
    limit(daily=10_000, weekly=100_000)
    await till.spend(9_996)
    answer = await till.bridge.stand.ann.browser.get("/api/chat/usage")
    shown = answer.json()
    assert set(shown) == {"daily", "weekly", "tier", "reset_cost", "degraded"}
    assert set(shown["daily"]) == {"percent_used", "resets_at"}
    assert (shown["daily"]["percent_used"], shown["weekly"]["percent_used"]) == (99.9, 10.0)
    assert "9996" not in answer.text
    await till.spend(4)
    shown = (await till.bridge.stand.ann.browser.get("/api/chat/usage")).json()
    assert shown["daily"]["percent_used"] == 100.0


async def test_without_limits_there_are_no_windows_to_show(till: Till):
    """13.7, 13.8: unlimited is the default."""
    shown = (await till.bridge.stand.ann.browser.get("/api/chat/usage")).json()
    assert (shown["daily"], shown["weekly"], shown["tier"]) == (None, None, "FREE")


async def test_a_turn_of_any_origin_is_checked_before_its_first_call(till: Till):
    """13.7, A2"""
    script = await till.play("openrouter", DEAR, autopilot_weekly_cost_limit_microdollars=3_000)
    await till.spend(3_000)
    turn_id = await till.bridge.start("hi")
    assert await till.bridge.ended(turn_id) == "failed"
    assert script.asked == []


async def test_what_came_too_late_for_a_turn_stays_pending_once_the_budget_is_spent(till: Till):
    """9.8, 13.7: a turn that would begin by itself is refused like any other, and a notice says why"""
    slow = Answer(text=("word ",) * 40, gate=(gate := asyncio.Event()), cost=0.004)
    script = await till.play("openrouter", slow, autopilot_daily_cost_limit_microdollars=4_000)
    turn_id = await till.bridge.start("talk")
    await until(lambda: bool(script.asked))
    late = till.bridge.message("and this", permissions={"tools": ["find_block"], "tools_exclude": True})
    await till.bridge.chat.start_turn(till.bridge.stand.ann.actor, till.bridge.session_id, late)
    gate.set()
    assert await till.bridge.ended(turn_id) == "completed"
    told = await till.bridge.events()
    assert [event.data["code"] for event in told if event.type == events.NOTICE] == ["budget_exceeded"]
    assert [event.type for event in told][-1] == events.TURN_ENDED
    assert len(script.asked) == 1
    assert await till.bridge.stand.count("chat_turns") == 1
    actor = till.bridge.stand.ann.actor
    waiting = await queries.list_pending(till.installation.api.reader, actor, till.bridge.session_id)
    assert [message.text for message in waiting] == ["and this"]


async def still_pending(till: Till) -> list[str]:
    actor = till.bridge.stand.ann.actor
    waiting = await queries.list_pending(till.installation.api.reader, actor, till.bridge.session_id)
    return [message.text for message in waiting]


async def test_what_was_said_to_a_turn_that_may_ask_no_more_stays_pending(till: Till):
    """9.3, 9.8: no model call follows the round, so nobody would have heard it"""
    slow = Answer(text=("word ",) * 40, gate=(gate := asyncio.Event()), tools=(FIND,), cost=0.004)
    script = await till.play("openrouter", slow, autopilot_daily_cost_limit_microdollars=4_000)
    turn_id = await till.bridge.start("talk")
    await until(lambda: bool(script.asked))
    said = till.bridge.message("and this")
    await till.bridge.chat.start_turn(till.bridge.stand.ann.actor, till.bridge.session_id, said)
    gate.set()
    assert await till.bridge.ended(turn_id) == "failed"
    told = await till.bridge.events()
    assert [event.data["code"] for event in told if event.type == events.ERROR] == ["budget_exceeded"]
    assert [event for event in told if event.type == events.FOLLOW_UP] == []
    assert len(script.asked) == 1
    assert await still_pending(till) == ["and this"]


async def test_a_turn_that_begins_with_nothing_left_to_spend_takes_no_message_that_waits(till: Till):
    """9.3, 9.8: a turn was stopped, and what was said to it waits for the next one"""
    slow = Answer(text=("word ",) * 400, pause=0.02, cost=0.001)
    script = await till.play("openrouter", slow, autopilot_daily_cost_limit_microdollars=4_000)
    turn_id = await till.bridge.start("talk")
    await until(lambda: bool(script.asked))
    said = till.bridge.message("and this")
    await till.bridge.chat.start_turn(till.bridge.stand.ann.actor, till.bridge.session_id, said)
    await till.bridge.chat.cancel_turn(till.bridge.stand.ann.actor, till.bridge.session_id)
    assert await till.bridge.ended(turn_id) == "cancelled"
    await till.spend(4_000)
    assert await till.bridge.ended(await till.bridge.start("go on")) == "failed"
    told = [event for event in await till.bridge.events() if event.type in (events.ERROR, events.FOLLOW_UP)]
    assert [event.type for event in told] == [events.ERROR]
    assert told[0].data["code"] == "budget_exceeded"
    assert len(script.asked) == 1
    assert await still_pending(till) == ["and this"]


async def test_what_was_said_before_a_new_attempt_that_is_not_made_stays_pending(till: Till):
    """9.3, 9.8: the provider failed, and meanwhile the budget was spent"""
    fails = Refusal(503, {"Retry-After": "0"}, gate=(gate := asyncio.Event()))
    answers = (Answer(tools=(FIND,), cost=0.001), fails)
    script = await till.play("openrouter", *answers, autopilot_daily_cost_limit_microdollars=5_000)
    turn_id = await till.bridge.start("look")
    await until(lambda: len(script.asked) == 2)
    await till.spend(5_000)
    said = till.bridge.message("and this")
    await till.bridge.chat.start_turn(till.bridge.stand.ann.actor, till.bridge.session_id, said)
    gate.set()
    assert await till.bridge.ended(turn_id) == "failed"
    told = await till.bridge.events()
    assert [event.data["code"] for event in told if event.type == events.ERROR] == ["budget_exceeded"]
    assert len(script.asked) == 2
    assert await still_pending(till) == ["and this"]


async def test_a_turn_that_wakes_by_itself_asks_before_it_asks_the_model(till: Till):
    """13.7: what was spent while it slept counts"""
    nodes = [node("wait", AWAIT, fact="go", value=7), node("out", OUTPUT, name="said")]
    agent_id = await till.bridge.stand.agent(graph("Patient", nodes, [link("wait", "value", "out", "value")]))
    run = Tool("call_1", "run_agent", dumps({"library_agent_id": agent_id, "wait_for_result": 120}))
    answers = (Answer(tools=(run,), cost=0.001), Answer(text=("Done.",), cost=0.001))
    script = await till.play("openrouter", *answers, autopilot_daily_cost_limit_microdollars=5_000)
    turn_id = await till.bridge.start("go")
    sql = "select r.id from runs r join jobs j on j.id=r.id where r.user_id=?1 and j.state='waiting'"
    found: list[str] = []

    async def asleep() -> bool:
        found[:] = [row[0] for row in await till.bridge.stand.rows(sql, till.user_id)]
        view = await queries.get_session(
            till.installation.api.reader, till.bridge.stand.ann.actor, till.bridge.session_id
        )
        return bool(found) and view.status == "waiting"

    await until(asleep)
    await till.spend(4_000)
    await till.installation.api.runs.send_fact(till.bridge.stand.ann.actor, RunId(found[0]), "go", 1)
    assert await till.bridge.ended(turn_id) == "failed"
    told = [event for event in await till.bridge.events() if event.type in (events.ERROR, events.TOOL_OUTPUT_AVAILABLE)]
    assert [event.type for event in told] == [events.TOOL_OUTPUT_AVAILABLE, events.ERROR]
    assert told[1].data["code"] == "budget_exceeded"
    assert len(script.asked) == 1


def test_a_spent_budget_is_not_tried_again():
    """4.9"""
    assert not BudgetExceeded.retryable
    assert "budget_exceeded" not in events.RETRYABLE
