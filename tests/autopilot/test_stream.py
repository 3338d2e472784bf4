"""autopilot:3.4, 4.4, 4.5, 4.6, 7.1: a provider's events become blocks that open and close one after the other."""

from itertools import count
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from pydantic_ai.messages import (
    ModelResponse,
    PartDeltaEvent,
    PartEndEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
)

from pilothouse.autopilot.halves import mend
from pilothouse.autopilot.history import raw_response
from pilothouse.autopilot.stream import DELTA_CHARACTERS, ResponseStream
from pilothouse.features.chat import Draft
from pilothouse.kit.json import dumps


def stream() -> ResponseStream:
    numbers = count(1)
    return ResponseStream(lambda: f"b{next(numbers)}")


def text(*pieces: str, index: int = 0) -> list[Any]:
    deltas = [PartDeltaEvent(index=index, delta=TextPartDelta(content_delta=piece)) for piece in pieces[1:]]
    return [
        PartStartEvent(index=index, part=TextPart(pieces[0])),
        *deltas,
        PartEndEvent(index=index, part=TextPart("".join(pieces))),
    ]


def thought(*pieces: str, index: int = 0) -> list[Any]:
    deltas = [PartDeltaEvent(index=index, delta=ThinkingPartDelta(content_delta=piece)) for piece in pieces[1:]]
    return [
        PartStartEvent(index=index, part=ThinkingPart(pieces[0])),
        *deltas,
        PartEndEvent(index=index, part=ThinkingPart("".join(pieces))),
    ]


def fed(events: list[Any], *, every: float = 0.0) -> list[Draft]:
    reading, now, told = stream(), 0.0, list[Draft]()
    for event in events:
        told += reading.feed(event, now)
        now += every
    return told + reading.close()


def test_small_pieces_are_gathered_until_there_are_64_characters():
    told = fed(text(*["abcdefgh"] * 20))
    deltas = [draft.data for draft in told if draft.type == "text-delta"]
    assert [len(str(data["delta"])) for data in deltas] == [64, 64, 32]
    assert [data["offset"] for data in deltas] == [0, 64, 128]
    assert told[-1].data == {"id": "b1", "text": "abcdefgh" * 20}


def test_a_piece_waits_no_longer_than_50_ms():
    told = fed(text("a", "b", "c"), every=0.06)
    assert [draft.data["delta"] for draft in told if draft.type == "text-delta"] == ["ab", "c"]


def test_what_waits_is_told_by_the_clock_alone():
    reading = stream()
    assert [draft.type for draft in reading.feed(PartStartEvent(index=0, part=TextPart("a")), 0.0)] == ["text-start"]
    assert reading.flush(0.04) == []
    assert [draft.data["delta"] for draft in reading.flush(0.05)] == ["a"]
    assert reading.flush(1.0) == []


def test_empty_blocks_are_told_to_nobody():
    assert fed([*thought("", ""), *text("")]) == []


def test_reasoning_closes_before_text_and_text_before_a_call():
    call = PartStartEvent(index=2, part=ToolCallPart("f", {}, "c1"))
    told = fed([*thought("hm"), *text("Yes.", index=1), call])
    kinds = [draft.type for draft in told if not draft.type.endswith("delta")]
    assert kinds == ["reasoning-start", "reasoning-end", "text-start", "text-end"]


def test_parts_of_one_kind_in_a_row_are_one_block():
    first = thought("One. ")
    first[-1] = PartEndEvent(index=0, part=ThinkingPart("One. "), next_part_kind="thinking")
    told = fed([*first, *thought("Two.", index=1)])
    assert [draft.data["text"] for draft in told if draft.type == "reasoning-end"] == ["One. Two."]


def test_a_character_that_came_in_two_halves_is_one_again():
    """3.4: nothing that JSON cannot hold is told, by whichever clock."""
    told = fed(text("Hi \ud83d", "\ude00!", " \ude00 ", "\ud83d", "\nx\ud83d"), every=0.06)
    deltas = [str(draft.data["delta"]) for draft in told if draft.type == "text-delta"]
    assert "".join(deltas) == told[-1].data["text"] == "Hi \U0001f600! \ufffd \ufffd\nx\ufffd"
    assert [draft.data["offset"] for draft in told if draft.type == "text-delta"] == [
        sum(map(len, deltas[:n])) for n in range(len(deltas))
    ]
    assert [dumps(draft.data) for draft in told]


def test_a_thought_that_is_half_a_character_has_its_start_and_its_end():
    assert [draft.type for draft in fed(thought("\ud83d"))] == ["reasoning-start", "reasoning-delta", "reasoning-end"]


def test_a_response_is_kept_with_whole_characters():
    call = ToolCallPart("f", '{"a": "\ud83d\ude00"}', "c1")
    response = ModelResponse(parts=[TextPart("\ud83d\ude00 \ude00"), ThinkingPart("hm"), call])
    mend(response)
    assert dumps(raw_response(response))
    assert response.parts[0] == TextPart("\U0001f600 \ufffd")
    assert call.args_as_dict(raise_if_invalid=True) == {"a": "\U0001f600"}


PIECES = st.lists(st.text(max_size=100), min_size=1, max_size=8)


@given(st.lists(st.tuples(st.booleans(), PIECES), max_size=6), st.floats(0, 0.1))
def test_every_start_has_one_end_nothing_interleaves_and_deltas_add_up(
    parts: list[tuple[bool, list[str]]], every: float
):
    made = [(thought if thinks else text)(*pieces, index=n) for n, (thinks, pieces) in enumerate(parts)]
    open_id, texts = None, dict[str, str]()
    for draft in fed([event for events in made for event in events], every=every):
        block = str(draft.data["id"])
        if draft.type.endswith("start"):
            assert open_id is None
            open_id, texts[block] = block, ""
        elif draft.type.endswith("delta"):
            assert block == open_id
            assert draft.data["offset"] == len(texts[block])
            texts[block] += str(draft.data["delta"])
        else:
            assert block == open_id
            assert draft.data["text"] == texts[block] != ""
            open_id = None
    assert open_id is None
    assert "".join(texts.values()) == "".join("".join(pieces) for _, pieces in parts)


def test_the_limit_is_the_documented_one():
    assert DELTA_CHARACTERS == 64
