"""autopilot:1.9, 10.3, 13.4, 13.7: calls beside the conversation: titles, questions of runs, summaries."""

import asyncio
from dataclasses import replace
from typing import cast

import pytest
from pydantic_ai.messages import ModelMessage, ModelRequest

from pilothouse.autopilot.asking import Asking
from pilothouse.autopilot.hearing import hear
from pilothouse.autopilot.record import TurnRecord
from pilothouse.autopilot.titles import Titles
from pilothouse.autopilot.usage import Absence, Call
from pilothouse.features.chat import Event, TurnLog, events
from pilothouse.features.models import CostRow
from pilothouse.features.runs import ModelAsk
from pilothouse.kit.errors import UpstreamError, UpstreamTimeout
from tests.autopilot.test_costs import BYE, CLAUDE, at_the_makers
from tests.autopilot.till import Till
from tests.base.waiting import until
from tests.providers.listening import loopback
from tests.providers.script import Answer, Script


def asking(till: Till, paid: list[CostRow], seconds: float = 30) -> Asking:
    async def pay(row: CostRow) -> None:
        await asyncio.sleep(0)  # as who waits for a commit
        paid.append(row)

    assert till.switch.pilot is not None
    return Asking(till.switch.pilot.models, pay, till.switch.pilot.purse, seconds)


def question(till: Till) -> ModelAsk:
    return ModelAsk(till.user_id, "run", 1, 1, "Be brief.", "word " * 2_000)


@pytest.mark.parametrize("slow", [Answer(text=("late",), delay=30), Answer(text=("slow", "er"), pause=30)])
async def test_a_question_that_is_not_waited_for_is_paid_for(small_till: Till, slow: Answer):
    """13.4: the provider charges for it, whether anybody listens or not"""
    await small_till.play("anthropic", BYE, slow, model=CLAUDE)
    paid: list[CostRow] = []
    await asking(small_till, []).answer(question(small_till))  # the provider's library is loaded now
    with pytest.raises(UpstreamTimeout):
        await asking(small_till, paid, 0.5).answer(question(small_till))
    (row,) = paid
    assert (row.source, row.job_id, row.call_id) == ("price_table", "run", "run:1:ask1")
    assert (row.cost_u or 0) > 0


async def test_a_question_whose_answer_is_cut_is_paid_for(small_till: Till):
    """13.4"""
    await small_till.play("anthropic", Answer(text=("Half an",), ends="cut"), model=CLAUDE)
    paid: list[CostRow] = []
    with pytest.raises(UpstreamError):
        await asking(small_till, paid).answer(question(small_till))
    assert [row.source for row in paid] == ["price_table"]


async def test_a_question_that_is_cancelled_is_paid_for(small_till: Till):
    """13.4, C4"""
    script = await small_till.play("anthropic", Answer(text=("late",), delay=30), model=CLAUDE)
    paid: list[CostRow] = []
    asked = asyncio.create_task(asking(small_till, paid).answer(question(small_till)))
    await until(lambda: bool(script.asked))
    asked.cancel()
    await asyncio.wait([asked])
    assert [row.source for row in paid] == ["price_table"]


async def test_a_call_that_nobody_counted_is_paid_for_by_its_length():
    """13.4, 13.7: as a round is"""
    asked: list[ModelMessage] = [ModelRequest.user_text_prompt("word " * 2_000)]
    paid: list[CostRow] = []
    async with loopback("openai", Answer(text=("Yes.",), tokens=None)) as (model, _):
        chosen = replace(at_the_makers("gpt-4o"), model=lambda: model)
        await hear(chosen, asked, None, Call("user", "turn", 1, 0), paid.append, absence=Absence())
    assert [(row.source, row.prompt_tokens > 2_000) for row in paid] == [("price_table", True)]


async def named(
    till: Till, *answers: Answer, talk: Answer = BYE, seconds: float = 30
) -> tuple[Script, list[CostRow], list[str]]:
    """A model that talks, and another that names; what naming costs, and the names."""
    _, url = await till.serve("openai", talk)
    script, there = await till.serve("anthropic", *answers)
    keys = {"openai_base_url": url, "openai_api_key": "k", "chat_model": "openai/test"}
    more = {"anthropic_base_url": there, "anthropic_api_key": "k", "chat_title_model": f"anthropic/{CLAUDE}"}
    till.connect({**keys, **more})
    pilot, paid, names = till.switch.pilot, list[CostRow](), list[str]()
    assert pilot is not None

    async def pay(row: CostRow) -> None:
        await asyncio.sleep(0)  # as who waits for a commit
        paid.append(row)

    async def suggest(actor: object, session_id: str, title: str) -> bool:
        names.append(title)
        return True

    till.switch.pilot = replace(pilot, titles=Titles(pilot.models, suggest, pay, seconds=seconds))
    return script, paid, names


@pytest.mark.parametrize("slow", [Answer(text=("late",), delay=30), Answer(text=("slow", "er"), pause=30)])
async def test_a_title_that_is_not_waited_for_is_paid_for(small_till: Till, slow: Answer):
    """1.9, 13.4"""
    _, paid, names = await named(small_till, slow, seconds=0.5)
    said = await small_till.bridge.ask("word " * 400)
    await until(lambda: bool(paid))
    assert [(row.source, row.job_id) for row in paid] == [("price_table", said.events[0].turn_id)]
    assert (paid[0].cost_u or 0) > 0
    assert names == []


async def test_a_turn_that_is_cancelled_takes_its_title_along(till: Till):
    """10.3: no model is listened to any more, and what it said is paid for"""
    endless = Answer(text=("word ",) * 400, pause=0.05)
    script, paid, names = await named(till, endless, talk=endless)
    turn_id = await till.bridge.start("talk")
    await until(lambda: bool(script.asked))
    await till.bridge.chat.cancel_turn(till.bridge.stand.ann.actor, till.bridge.session_id)
    assert await till.bridge.ended(turn_id) == "cancelled"
    await until(lambda: script.closed == 1, 2)
    await until(lambda: bool(paid), 2)
    assert paid[0].source == "price_table"
    assert names == []


async def test_a_title_goes_on_when_its_turn_has_ended(small_till: Till):
    """1.9"""
    _, paid, names = await named(small_till, Answer(text=("Birds ", "of ", "Iceland"), pause=0.2))
    await small_till.bridge.ask("Which birds live there?")
    assert names == []
    await until(lambda: names == ["Birds of Iceland"])
    assert len(paid) == 1


def test_who_goes_on_with_a_turn_knows_that_a_call_of_it_had_no_price():
    """13.4, 13.7: also when it was a summary's"""
    told = [Event(1, events.USAGE, "turn", 0, {"cost_microdollars": None})]
    nowhere = cast(TurnLog, None)
    assert TurnRecord("turn", nowhere, told, []).unpriced
    assert not TurnRecord("next", nowhere, told, []).unpriced
    assert not TurnRecord("turn", nowhere, [Event(1, events.USAGE, "turn", 0, {"cost_microdollars": 0})], []).unpriced
