"""autopilot:13.4-13.6, billing:P1, P2: what a call has cost, told by the provider, the price table, or nobody."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, UserPromptPart
from pydantic_ai.usage import RequestUsage

from pilothouse.autopilot.abandoned import kept_row
from pilothouse.autopilot.models import Chosen, Models
from pilothouse.autopilot.purse import Purse
from pilothouse.autopilot.usage import Call, cost_of, microdollars
from pilothouse.base.committer import WriteSet
from pilothouse.base.settings import Settings
from pilothouse.features.chat import events
from pilothouse.features.models import CostRow, Limits, Spending, insert_cost
from tests.autopilot.till import Till
from tests.base.waiting import until
from tests.providers.script import Answer, Refusal, Tokens, Tool

FIND = Tool("call_1", "find_block", '{"query": "web request"}')
BYE = Answer(text=("All done.",))
CLAUDE = "claude-sonnet-4-6"


async def test_each_call_leaves_one_row_with_what_the_provider_says_it_cost(till: Till):
    """13.4, 13.6, P1: summed over rounds; 0.0123 USD = 12,300."""
    first = Answer(tools=(FIND,), cost=0.0123, tokens=Tokens(300, 20, 600, 100), model="maker/answering")
    script = await till.play("openrouter", first, Answer(text=("Done.",), cost=0.0007))
    said = await till.bridge.ask("look")
    assert said.status == "completed"
    assert all(asked["usage"] == {"include": True} for asked in script.asked)
    rows = await till.rows()
    assert [(row["cost_u"], row["source"], row["payer"]) for row in rows] == [
        (12_300, "reported", "allowance"),
        (700, "reported", "allowance"),
    ]
    turn_id = said.events[0].turn_id
    assert [row["call_id"] for row in rows] == [f"{turn_id}:1", f"{turn_id}:2"]
    told = said.of(events.USAGE)[0].data
    assert told == {
        "prompt_tokens": 300,
        "completion_tokens": 20,
        "total_tokens": 320,
        "cache_read_tokens": 600,
        "cache_write_tokens": 100,
        "cost_microdollars": 12_300,
        "model": "maker/answering",
        "provider": "openrouter",
        "estimated": False,
        "call_id": f"{turn_id}:1",
    }


async def test_without_a_reported_price_the_table_estimates(till: Till):
    """13.4"""
    tokens = Tokens(prompt=1_000_000, completion=0)
    await till.play("anthropic", Answer(text=("Yes.",), tokens=tokens), model=CLAUDE)
    said = await till.bridge.ask("hi")
    row = (await till.rows())[0]
    assert (row["source"], said.of(events.USAGE)[0].data["estimated"]) == ("price_table", True)
    assert row["cost_u"] == said.of(events.USAGE)[0].data["cost_microdollars"]
    assert 1_000_000 <= row["cost_u"] <= 20_000_000


async def test_a_private_address_costs_nothing_and_a_reported_nothing_is_reported(till: Till):
    """13.4"""
    await till.play("openai", BYE, model="my-own")
    await till.bridge.ask("hi")
    await till.play("openrouter", Answer(text=("Yes.",), cost=0))
    await till.bridge.ask("hi")
    assert [(row["cost_u"], row["source"]) for row in await till.rows()] == [(0, "free"), (0, "reported")]


def at_the_makers(model: str) -> Chosen:
    """At the provider's public address."""
    return Models(
        Settings.model_validate({"openai_api_key": "k", "chat_model": f"openai/{model}"})
    ).resolve_chat_model()


def answered(**usage: Any) -> ModelResponse:
    return ModelResponse(parts=[TextPart("Yes.")], usage=RequestUsage(**usage), model_name="as-it-calls-itself")


def test_a_response_without_usage_is_not_priced_at_nothing():
    """13.4: no figure is better than a wrong one."""
    assert cost_of(answered(unmeasured_requests=1), at_the_makers("gpt-4o")) == (None, "unknown")
    assert cost_of(answered(input_tokens=1_000_000), at_the_makers("gpt-4o")).source == "price_table"


def test_what_nobody_counted_is_counted_by_its_length_where_there_is_a_price():
    """13.4, 13.7: a public server that says nothing of usage must not be free of limits"""
    asked: list[ModelMessage] = [ModelRequest(parts=[UserPromptPart("talk " * 4_000)])]
    call = Call("user", "turn", 1, 0)
    row = kept_row(lambda: asked, 10, answered(unmeasured_requests=1), at_the_makers("gpt-4o"), call)
    assert row.source == "price_table"
    assert row.prompt_tokens > 5_000
    assert row.cost_u is not None
    assert row.cost_u > 5_000
    unpriced = kept_row(lambda: asked, 10, answered(unmeasured_requests=1), at_the_makers("nobody-knows-it"), call)
    assert unpriced.source == "unknown"


async def test_a_price_that_turned_out_to_be_unknown_refuses_the_next_call_while_there_is_a_limit(small_till: Till):
    """13.4, 13.7: OpenRouter says the price afterwards, or does not"""
    settings = {"openrouter_api_key": "k", "chat_model": "openrouter/maker/nobody-knows-it"}
    chosen = Models(Settings.model_validate(settings)).resolve_chat_model()
    reader = small_till.installation.api.reader
    limited, free = Purse(Spending(reader, Limits(per_turn=1_000))), Purse(Spending(reader, Limits()))
    assert await limited.refusal(small_till.user_id, 0, chosen) is None
    refused = await limited.refusal(small_till.user_id, 0, chosen, unpriced=True)
    assert refused is not None
    assert refused.code == "price_unknown"
    assert await free.refusal(small_till.user_id, 0, chosen, unpriced=True) is None


async def test_a_call_that_is_told_twice_counts_once(till: Till):
    """P1: the call's id is made of the turn and the round."""
    row = CostRow("call:1", till.user_id, "job", 1, "openai", "m", 5, 5, 0, 0, 70, "reported", "allowance", 1)
    committer = till.installation.worker.committer
    await committer.land(WriteSet((insert_cost(row), insert_cost(row._replace(cost_u=90)))))
    await committer.land(WriteSet((insert_cost(row._replace(cost_u=90)),)))
    assert [each["cost_u"] for each in await till.rows()] == [70]


async def test_a_worker_lost_after_a_call_leaves_one_row_for_it(till: Till):
    """13.4: a finished call is neither made nor paid again."""
    script = await till.play("openrouter", Answer(tools=(FIND,), cost=0.001), Answer(text=("A ",) * 50, pause=0.05))
    turn_id = await till.bridge.start("look")

    async def speaks() -> bool:
        return any(event.type == events.TEXT_DELTA for event in await till.bridge.events())

    await until(speaks)
    script.answers[:] = [Answer(text=("Done.",), cost=0.002)]
    await till.switch.replace_worker(till.installation)
    assert await till.bridge.ended(turn_id) == "completed"
    assert [row["cost_u"] for row in await till.rows()] == [1_000, 2_000]
    assert len(script.asked) == 3


async def test_a_call_that_is_cancelled_is_paid_for_as_far_as_it_got(till: Till):
    """13.4, C4: or a limit could be dodged by cancelling."""
    await till.play("anthropic", Answer(text=("word ",) * 400, pause=0.02, tokens=Tokens(90_000, 7)), model=CLAUDE)
    turn_id = await till.bridge.start("talk")

    async def speaks() -> bool:
        return any(event.type == events.TEXT_DELTA for event in await till.bridge.events())

    await until(speaks)
    await till.bridge.chat.cancel_turn(till.bridge.stand.ann.actor, till.bridge.session_id)
    assert await till.bridge.ended(turn_id) == "cancelled"
    row = (await till.rows())[0]
    assert (row["source"], row["prompt_tokens"], row["step"]) == ("price_table", 90_000, 1)
    assert row["completion_tokens"] > 1
    assert row["cost_u"] > 90_000  # a dollar per million tokens would be that


async def test_a_call_that_is_cancelled_before_its_first_word_is_paid_for_by_what_was_asked(till: Till):
    """13.4, 13.7"""
    script = await till.play("anthropic", Answer(text=("late",), delay=30), model=CLAUDE)
    turn_id = await till.bridge.start("talk " * 4_000)
    await until(lambda: bool(script.asked))
    await till.bridge.chat.cancel_turn(till.bridge.stand.ann.actor, till.bridge.session_id)
    assert await till.bridge.ended(turn_id) == "cancelled"
    (row,) = await till.rows()
    assert (row["source"], row["completion_tokens"]) == ("price_table", 0)
    assert row["prompt_tokens"] > 4_000
    assert row["cost_u"] > 0


async def test_a_call_in_flight_when_its_worker_dies_is_paid_for_by_an_estimate(till: Till):
    """13.4, 13.7, P1: once, beside the call that replaces it, and it counts towards the turn's ceiling"""
    spoken = Answer(text=("word ",) * 400, pause=0.02, tokens=Tokens(90_000, 7))
    script = await till.play("anthropic", spoken, model=CLAUDE)
    turn_id = await till.bridge.start("talk")

    async def speaks() -> bool:
        return any(event.type == events.TEXT_DELTA for event in await till.bridge.events())

    await until(speaks)
    script.answers[:] = [Answer(text=("Done.",))]
    await till.switch.replace_worker(till.installation)
    assert await till.bridge.ended(turn_id) == "completed"
    lost, whole = sorted(await till.rows(), key=lambda row: -len(row["call_id"]))
    assert (whole["call_id"], whole["prompt_tokens"]) == (f"{turn_id}:1", 11)
    [begun] = [event.data["part_ids"] for event in await till.bridge.events() if event.type == events.STEP_RESET]
    assert isinstance(begun, list)
    assert lost["call_id"] == f"{turn_id}:1:{begun[0]}"
    assert (lost["source"], lost["job_id"], lost["step"]) == ("price_table", turn_id, 1)
    assert lost["cost_u"] > 0
    assert 0 < lost["completion_tokens"] < 400 < lost["prompt_tokens"] < 90_000  # with instructions and tools


@pytest.mark.usefixtures("hurried")
async def test_a_call_that_breaks_off_is_paid_for_beside_the_one_that_replaces_it(till: Till):
    """13.4, C4"""
    half = Answer(text=("Half an ans",), ends="early", tokens=Tokens(90_000, 7))
    await till.play("anthropic", half, Answer(text=("Whole.",)), model=CLAUDE)
    said = await till.bridge.ask("hi")
    rows = await till.rows()
    assert said.text == "Whole."
    assert [row["prompt_tokens"] for row in rows] == [90_000, 11]
    assert len({row["call_id"] for row in rows}) == 2


async def test_a_summary_that_breaks_off_is_paid_for_what_is_known_of_it(till: Till):
    """13.4, 12.3: the conversation is cut by rule instead, and the turn goes on"""
    full = Answer(text=("A lot. " * 100,), tokens=Tokens(500_000, 7))  # more than fits
    half = Answer(text=("They spoke of ",), ends="cut", tokens=Tokens(90_000, 7))
    script = await till.play("anthropic", full, half, BYE, model=CLAUDE)
    await till.bridge.ask("tell me a lot")
    said = await till.bridge.ask("and now?")
    assert (said.status, said.text, len(said.of(events.COMPACTION))) == ("completed", "All done.", 1)
    assert "They spoke of" not in str(script.asked[-1])
    rows = await till.rows()
    assert [row["prompt_tokens"] for row in rows] == [500_000, 90_000, 11]
    broken = rows[1]
    assert (broken["source"], broken["job_id"]) == ("price_table", said.events[0].turn_id)
    assert broken["completion_tokens"] > 1
    assert broken["cost_u"] > 90_000
    assert said.of(events.USAGE)[0].data["cost_microdollars"] == broken["cost_u"]


async def test_a_summary_that_is_given_up_before_its_first_word_is_paid_too(till: Till):
    """13.4: by the length of what was asked, since nobody counted"""
    full = Answer(text=("A lot. " * 100,), tokens=Tokens(500_000, 7))
    await till.play("anthropic", full, Answer(text=("late",), delay=30), BYE, model=CLAUDE)
    assert till.switch.pilot is not None
    till.switch.pilot = replace(till.switch.pilot, summary_seconds=0.5)
    await till.bridge.ask("tell me a lot")
    assert (await till.bridge.ask("and now?")).text == "All done."
    given_up = (await till.rows())[1]
    assert (given_up["source"], given_up["completion_tokens"]) == ("price_table", 0)
    assert given_up["cost_u"] > 0


async def test_a_refused_call_costs_nothing(small_till: Till):
    """13.4"""
    await small_till.play("openrouter", Refusal(503, {"Retry-After": "0"}), Answer(text=("Yes.",), cost=0.001))
    await small_till.bridge.ask("hi")
    assert [row["cost_u"] for row in await small_till.rows()] == [1_000]


async def test_the_offline_pilot_leaves_no_row(small_till: Till):
    """17.1: no network, no cost."""
    small_till.connect({})
    said = await small_till.bridge.ask("help")
    assert said.of(events.USAGE)[0].data["cost_microdollars"] == 0
    assert await small_till.rows() == []


@pytest.mark.parametrize(
    ("dollars", "micros"), [("0.0123", 12_300), ("0.0000005", 1), ("0.0000004", 0), ("0", 0), ("12", 12_000_000)]
)
def test_dollars_become_microdollars_once_half_up(dollars: str, micros: int):
    """13.6"""
    assert microdollars(Decimal(dollars)) == micros
