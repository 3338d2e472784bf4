"""autopilot:7.1, 7.2, 7.5: what a model thinks is logged; whether clients are shown it is the operator's to say."""

from pilothouse.features.chat import Conversations, events
from tests.autopilot.till import Till
from tests.providers.script import Answer, Tool

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
