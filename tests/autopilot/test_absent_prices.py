"""autopilot:13.4, 13.5, billing:P2: a price that the provider should have told and did not."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from structlog.testing import capture_logs
from structlog.typing import EventDict

from pilothouse.autopilot.asking import Asking
from pilothouse.autopilot.titles import Titles
from pilothouse.autopilot.usage import Absence, Call, cost_row
from pilothouse.base.actor import Actor
from pilothouse.base.telemetry import REGISTRY
from pilothouse.features.chat import events
from pilothouse.features.models import CostRow, PriceUnknown
from pilothouse.features.runs import ModelAsk
from tests.autopilot.test_costs import BYE, CLAUDE, FIND, answered, at_the_makers
from tests.autopilot.till import Till
from tests.providers.script import Answer, Script, Tokens


def missed_so_far() -> float:
    return REGISTRY.get_sample_value("pilothouse_cost_unknown_total") or 0.0


def warnings(logs: list[EventDict]) -> int:
    return [entry["event"] for entry in logs].count("model.cost_absent")


def were_asked_for_it(script: Script) -> bool:
    return all(asked["usage"] == {"include": True} for asked in script.asked)


@pytest.mark.parametrize("cost", [None, "much", -1, float("nan"), float("inf"), 1e300, 1_000_001])
async def test_a_bad_price_counts_as_missing_with_an_error_in_the_log(small_till: Till, cost: Any):
    """13.5"""
    await small_till.play("openrouter", Answer(text=("Yes.",), cost=cost))
    before = missed_so_far()
    with capture_logs() as logs:
        said = await small_till.bridge.ask("hi")
    assert said.status == "completed"
    assert (await small_till.rows())[0]["source"] == "free"
    assert [entry["event"] for entry in logs if entry["log_level"] == "error"] == ["model.cost_refused"]
    assert (warnings(logs), missed_so_far()) == (1, before + 1)


async def test_a_missing_price_warns_once_in_a_turn_and_is_counted_at_each_call(small_till: Till):
    """13.5: also where something stands in for the price, here that the address is private"""
    await small_till.play("openrouter", Answer(tools=(FIND,)), BYE)
    before = missed_so_far()
    with capture_logs() as logs:
        await small_till.bridge.ask("hi")
    assert {row["source"] for row in await small_till.rows()} == {"free"}
    assert (warnings(logs), missed_so_far()) == (1, before + 2)


async def test_a_price_that_nobody_promised_is_not_missed(small_till: Till):
    """13.5: Anthropic tells none; the table has one"""
    await small_till.play("anthropic", BYE, model=CLAUDE)
    before = missed_so_far()
    with capture_logs() as logs:
        await small_till.bridge.ask("hi")
    assert (warnings(logs), missed_so_far()) == (0, before)


def test_what_nobody_can_price_is_unknown_and_counted_once_a_call_and_warned_of_once():
    """13.4, 13.5, P2: on a public address an unknown model has no price."""
    chosen, before = at_the_makers("nobody-knows-it"), missed_so_far()
    row = cost_row(answered(input_tokens=5, output_tokens=5), chosen, Call("user", "turn", 1, 0))
    assert (row.cost_u, row.source) == (None, "unknown")
    absence = Absence()
    with capture_logs() as logs:
        absence.note(row, chosen)
        absence.note(row, chosen)
    assert (warnings(logs), missed_so_far()) == (1, before + 2)


async def test_a_summary_without_its_price_is_counted_and_told_with_its_turns(small_till: Till):
    """13.4, 13.5: it is asked for its price like every other call"""
    full = Answer(text=("A lot. " * 100,), tokens=Tokens(500_000, 7), cost=0.1)
    script = await small_till.play("openrouter", full, Answer(text=("They spoke.",)), BYE)
    await small_till.bridge.ask("tell me a lot")
    before = missed_so_far()
    with capture_logs() as logs:
        said = await small_till.bridge.ask("and now?")
    assert len(said.of(events.COMPACTION)) == 1
    assert were_asked_for_it(script)
    assert (warnings(logs), missed_so_far()) == (1, before + 2)


async def test_a_title_without_its_price_is_counted_and_told_with_its_turns(small_till: Till):
    """13.4, 13.5"""
    script = await small_till.play("openrouter", BYE, chat_title_model="openrouter/maker/small")
    pilot, paid, before = small_till.switch.pilot, asyncio.Event(), missed_so_far()
    assert pilot is not None

    async def pay(row: CostRow) -> None:
        paid.set()

    async def suggest(actor: Actor, session_id: str, title: str) -> bool:
        return True

    small_till.switch.pilot = replace(pilot, titles=Titles(pilot.models, suggest, pay))
    with capture_logs() as logs:
        await small_till.bridge.ask("hi")
        await asyncio.wait_for(paid.wait(), 5)
    assert len(script.asked) == 2
    assert were_asked_for_it(script)
    assert (warnings(logs), missed_so_far()) == (1, before + 2)


async def test_a_question_of_a_run_without_its_price_is_counted_and_told(small_till: Till):
    """13.4, 13.5"""
    script = await small_till.play("openrouter", BYE, Answer(text=("Yes.",), cost=0.001))
    pilot, before = small_till.switch.pilot, missed_so_far()
    assert pilot is not None

    async def pay(row: CostRow) -> None:
        assert row.provider == "openrouter"

    asking, ask = Asking(pilot.models, pay), ModelAsk(small_till.user_id, "run", 1, 1, "Be brief.", "Well?")
    with capture_logs() as logs:
        assert await asking.answer(ask) == "All done."
        assert await asking.answer(ask) == "Yes."
    assert were_asked_for_it(script)
    assert (warnings(logs), missed_so_far()) == (1, before + 1)


async def test_a_question_of_a_run_to_a_model_without_a_price_is_refused_as_that(till: Till):
    """13.4: while there is a limit"""
    told = {"openai_api_key": "k", "chat_model": "openai/nobody-knows-it"}
    till.connect({**told, "turn_cost_ceiling_microdollars": 1_000_000})
    pilot = till.switch.pilot
    assert pilot is not None

    async def pay(row: CostRow) -> None:
        raise AssertionError(f"{row} was paid for")

    asking = Asking(pilot.models, pay, pilot.purse)
    with pytest.raises(PriceUnknown):
        await asking.answer(ModelAsk(till.user_id, "run", 1, 1, "Be brief.", "Well?"))
