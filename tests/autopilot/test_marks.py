"""autopilot:12.2: cache markers as they leave: how many, on what, and that none is shared between two calls."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

import pytest
from anthropic.resources.beta.messages import AsyncMessages
from openai.resources.chat.completions import AsyncCompletions

from pilothouse.autopilot import turn
from pilothouse.autopilot.asking import Asking
from pilothouse.features.models import CostRow
from pilothouse.features.runs import ModelAsk
from tests.autopilot.test_manner import marks_of
from tests.autopilot.till import Till
from tests.providers.refusing import MOST_MARKS
from tests.providers.script import Answer, Tool

Sent: TypeAlias = list[list[object]]
Create: TypeAlias = Callable[..., Awaitable[object]]

BYE = Answer(text=("Done.",))
MARK = {"type": "ephemeral", "ttl": "1h"}
CLAUDES = [("anthropic", "claude-sonnet-4-6"), ("openrouter", "anthropic/claude-sonnet-4-6")]


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Sent:
    """The markers of each call, as the very objects that the client libraries are handed."""
    found: Sent = []

    def noting(create: Create) -> Create:
        async def create_and_note(self: object, **asked: object) -> object:
            found.append([mark for mark in marks_of(asked) if isinstance(mark, dict)])
            return await create(self, **asked)

        return create_and_note

    for place in (AsyncMessages, AsyncCompletions):
        monkeypatch.setattr(place, "create", noting(place.create))
    return found


@pytest.mark.parametrize(("wire", "name"), CLAUDES)
async def test_markers_are_fresh_objects_in_every_call(small_till: Till, sent: Sent, wire: str, name: str):
    """12.2: what somebody does to one changes no other, in this call or the next."""
    await small_till.play(wire, BYE, model=name)
    await small_till.bridge.ask("one")
    await small_till.bridge.ask("two")
    assert sent == [[MARK, MARK], [MARK, MARK]]
    assert len({id(mark) for call in sent for mark in call}) == 4


@pytest.mark.parametrize(("wire", "name"), CLAUDES)
@pytest.mark.parametrize("text", ["", "\n"])
async def test_an_empty_system_text_is_not_marked(
    small_till: Till, monkeypatch: pytest.MonkeyPatch, wire: str, name: str, text: str
):
    """12.2: the server would refuse it"""

    def nothing(suffix: str) -> str:
        return text

    monkeypatch.setattr(turn, "system_prompt", nothing)
    script = await small_till.play(wire, BYE, model=name)
    assert (await small_till.bridge.ask("hi")).status == "completed"
    assert script.asked[0]["tools"][-1]["cache_control"] == MARK
    assert marks_of(script.asked[0]) == [MARK]

    async def pay(row: CostRow) -> None:
        assert row.prompt_tokens

    assert small_till.switch.pilot is not None
    asking = Asking(small_till.switch.pilot.models, pay)
    assert await asking.answer(ModelAsk(small_till.user_id, "run", 1, 1, text, "Well?")) == "Done."
    assert marks_of(script.asked[1]) == []


@pytest.mark.parametrize(("wire", "name"), CLAUDES)
async def test_a_long_conversation_has_no_more_markers_than_a_short_one(small_till: Till, wire: str, name: str):
    """12.2: at most 4"""
    looks = tuple(Tool(f"call_{n}", "find_block", f'{{"query": "{n}"}}') for n in range(3))
    rounds = [Answer(text=("I look.",), tools=looks[n : n + 1]) for n in range(3)]
    script = await small_till.play(wire, Answer(tools=looks), *rounds, BYE, model=name)
    for text in ("one", "two", "three"):
        assert (await small_till.bridge.ask(text)).status == "completed"
    counts = [len(marks_of(asked)) for asked in script.asked]
    assert counts == [2] * 7
    assert max(counts) <= MOST_MARKS == 4
