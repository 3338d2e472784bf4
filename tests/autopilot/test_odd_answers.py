"""autopilot:7.3, 11.4, 13.6: a turn whose provider says what nobody can read, count or believe."""

import pytest

from pilothouse.features.chat import events
from tests.autopilot.test_costs import BYE
from tests.autopilot.till import Till
from tests.providers.script import Answer, Tokens
from tests.providers.test_odd_streams import UNREADABLE, block, thought


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize(("wire", "raw"), [UNREADABLE[0], UNREADABLE[2], UNREADABLE[4]])
async def test_an_answer_that_nobody_can_read_is_asked_for_again(small_till: Till, wire: str, raw: tuple[str, ...]):
    """11.4: by the same worker, which is not lost over it"""
    script = await small_till.play(wire, Answer(raw=raw, text=("Yes.",)), BYE)
    claims = len(small_till.switch.turns)
    said = await small_till.bridge.ask("hi")
    assert (said.status, said.text, len(script.asked)) == ("completed", "All done.", 2)
    assert len(small_till.switch.turns) == claims + 1


@pytest.mark.usefixtures("hurried")
async def test_who_never_says_anything_readable_ends_the_turn_as_a_failing_provider(small_till: Till):
    """11.4"""
    wire, raw = UNREADABLE[0]
    script = await small_till.play(wire, Answer(raw=raw, text=("Yes.",)))
    said = await small_till.bridge.ask("hi")
    assert said.of(events.ERROR)[0].data["code"] == "all_attempts_exhausted"
    assert len(script.asked) == 3


async def test_an_odd_thought_of_anthropics_does_not_disturb_the_turn(small_till: Till):
    """7.3"""
    raw = block({"type": "thinking", "thinking": "", "signature": ""}, thought("I see."), thought(7))
    script = await small_till.play("anthropic", Answer(raw=raw, text=("Yes.",)))
    said = await small_till.bridge.ask("hi")
    assert (said.status, said.text, len(script.asked)) == ("completed", "Yes.", 1)
    assert [event.data["text"] for event in said.of(events.REASONING_END)] == ["I see."]


@pytest.mark.parametrize("wire", ["openai", "openrouter", "anthropic"])
async def test_counts_that_no_column_holds_were_not_told(till: Till, wire: str):
    """13.6: and the turn is kept"""
    await till.play(wire, Answer(text=("Yes.",), tokens=Tokens(2**63, 7)))
    said = await till.bridge.ask("hi")
    assert (said.status, said.text) == ("completed", "Yes.")
    told = said.of(events.USAGE)[0].data
    assert (told["prompt_tokens"], told["completion_tokens"]) == (0, 7)


async def test_a_model_that_refuses_to_answer_is_asked_once(small_till: Till):
    """11.4, 6.11"""
    script = await small_till.play("openai", Answer(odd=({"refusal": "I will not."},)))
    said = await small_till.bridge.ask("hi")
    assert said.of(events.ERROR)[0].data["code"] == "empty_completion"
    assert len(script.asked) == 1
