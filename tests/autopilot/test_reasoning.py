"""autopilot:7.1, 7.2, 7.5: what a model thinks is logged; whether clients are shown it is the operator's to say."""

import pytest

from pilothouse.features.chat import Conversations, events
from tests.autopilot.stage import BYE
from tests.autopilot.till import KEY, Till
from tests.providers.script import Answer, Refusal, Tool

FIND = Tool("call_1", "find_block", '{"query": "web request"}')
SECRETLY = "let me see"


async def test_hidden_reasoning_is_in_the_log_and_on_no_wire(till: Till):
    """7.5"""
    await till.play("openai", Answer(thinking=(SECRETLY,), text=("Yes.",)))
    said = await till.bridge.ask("hi")
    assert [event.data["text"] for event in said.of(events.REASONING_END)] == [SECRETLY]
    house, turn = till.installation.api, said.events[0]
    session_id, turn_id = till.bridge.session_id, str(turn.turn_id)
    for shows in (True, False):
        reading = Conversations(house.reader, house.fanout, show_reasoning=shows)
        frames = b"".join([frame async for frame in reading.turn_frames(session_id, turn_id, turn.id)]).decode()
        folded = await reading.get_session(till.bridge.stand.ann.actor, session_id, 50, None)
        envelopes = await reading.read(session_id, 0, 1000)
        for wire in (frames, str(folded), str(envelopes)):
            assert (SECRETLY in wire) is shows
            assert "Yes." in wire
        assert ("reasoning" in frames) is shows
        assert [each["id"] for each in envelopes] == [event.id for event in await till.bridge.events()]


async def test_each_round_thinks_in_a_block_of_its_own(small_till: Till):
    """7.1"""
    await small_till.play(
        "openai", Answer(thinking=("One.",), tools=(FIND,)), Answer(thinking=("Two.",), text=("Ok.",))
    )
    said = await small_till.bridge.ask("hi")
    told = [(str(event.data["id"]), event.data["text"]) for event in said.of(events.REASONING_END)]
    assert [text for _, text in told] == ["One.", "Two."]
    assert len({block for block, _ in told}) == 2


async def test_within_a_turn_thoughts_go_back_to_the_model_that_had_them(small_till: Till):
    """7.2: with the signature that it wants to see again, as it sent them; the next turn knows nothing of them."""
    script = await small_till.play("anthropic", Answer(thinking=("I ", "wonder."), tools=(FIND,)), BYE)
    await small_till.bridge.ask("hi")
    answered = [message for message in script.asked[1]["messages"] if message["role"] == "assistant"]
    assert [block["type"] for block in answered[0]["content"]] == ["thinking", "tool_use"]
    assert answered[0]["content"][0] == {"type": "thinking", "thinking": "I wonder.", "signature": "signed"}
    await small_till.bridge.ask("and?")
    assert "wonder" not in str(script.asked[2])


@pytest.mark.parametrize(("first", "second"), [("anthropic", "openai"), ("openai", "openrouter"), ("openai", "openai")])
async def test_another_model_is_never_told_what_the_first_one_thought(small_till: Till, first: str, second: str):
    """7.2: it goes on from what was said, called and found."""
    failing, url = await small_till.serve(first, Answer(thinking=("I wonder.",), tools=(FIND,)), Refusal(403))
    other, there = (failing, url) if first == second else await small_till.serve(second, BYE)
    keys = {f"{first}_base_url": url, f"{first}_api_key": KEY, "chat_model": f"{first}/maker/test"}
    more = {f"{second}_base_url": there, f"{second}_api_key": KEY, "chat_fallback_model": f"{second}/maker/other"}
    small_till.connect({**keys, **more})
    if first == second:
        failing.answers.append(BYE)
    said = await small_till.bridge.ask("hi")
    assert (said.status, said.text) == ("completed", "Done.")
    assert "wonder" in str(failing.asked[1])
    assert "wonder" not in str(other.asked[-1])
    assert "find_block" in str(other.asked[-1]["messages"])
