"""3, 4: what each event is on the wire, and the rules that every stream keeps."""

import json
from typing import Any

import pytest
from hypothesis import given

from pilothouse.features.chat import Event, events
from pilothouse.features.chat.present import event_json, lean
from pilothouse.features.chat.reading import Quiet
from pilothouse.features.chat.wire import Wire, caption
from pilothouse.kit.ids import new_id
from pilothouse.kit.json import Json, dump_bytes
from tests.features.chat.logs import logs

STARTS = {"text-start": "text-end", "reasoning-start": "reasoning-end"}


def chunks_of(log: list[Event], **options: Any) -> list[Any]:
    """The first turn's."""
    wire = Wire(log[0].turn_id or "", **options)
    return [chunk for event in log for chunk in wire.chunks(event)]


@given(logs)
def test_every_start_has_one_end_and_deltas_lie_between(log: list[Event]):
    """4.4, 4.5, 4.6."""
    if not log:
        return
    chunks, opened = chunks_of(log), dict[str, str]()
    seen: set[str] = set()
    inside = False
    for chunk in chunks:
        kind = chunk["type"]
        if kind in ("start-step", "finish-step"):
            inside = kind == "start-step"
        if kind in STARTS:
            assert inside
            assert not opened
            assert chunk["id"] not in seen
            opened[chunk["id"]] = kind
            seen.add(chunk["id"])
        elif kind in ("text-delta", "reasoning-delta"):
            assert chunk["id"] in opened
            assert chunk["delta"]
        elif kind in STARTS.values():
            assert STARTS[opened.pop(chunk["id"])] == kind
    assert opened == {}
    assert [chunk["type"] for chunk in chunks].count("finish") == 1
    assert chunks[-1]["type"] == "finish"


@given(logs)
def test_the_text_on_the_wire_is_the_text_of_the_log(log: list[Event]):
    """3.4: also when the deltas are gone."""
    turn = log[0].turn_id if log else None
    texts = {e.data["id"]: e.data["text"] for e in log if e.turn_id == turn and e.type == events.TEXT_END}
    for kept in (log, [event for event in log if event.type != events.TEXT_DELTA]):
        heard: dict[Any, str] = {}
        for chunk in chunks_of(kept) if kept else []:
            if chunk["type"] == "text-delta":
                heard[chunk["id"]] = heard.get(chunk["id"], "") + chunk["delta"]
        assert heard == {block: text for block, text in texts.items() if text}


@given(logs)
def test_nothing_is_null_and_nothing_is_the_servers_own(log: list[Event]):
    """3.5, 4.2."""
    for chunk in chunks_of(log) if log else []:
        assert None not in chunk.values()
        if chunk["type"].startswith("data-"):
            assert None not in chunk["data"].values()
        assert "secret" not in str(chunk)
        assert "cost" not in str(chunk)


def event(draft: events.Draft, seq: int = 7) -> Event:
    return Event(seq, draft.type, "t", 0, draft.data)


def test_an_error_is_told_twice_under_one_event():
    frames = Wire("t").frames(event(events.error("provider_error", "It broke."))).decode()
    assert [line for line in frames.splitlines() if line.startswith("id")] == ["id: 6", "id: 7"]
    assert '"data":{"code":"provider_error","retryable":false,"message":"It broke."}' in frames
    assert '{"type":"error","errorText":"It broke."}' in frames


def test_who_was_cut_off_behind_a_blocks_start_is_not_given_it_again():
    """5.2: at each frame of a block, what follows is what was not there yet."""
    drafts = [events.text_start("b"), events.text_delta("b", "hi", 0), events.text_delta("b", " you", 2)]
    log = [event(draft, 4 + n) for n, draft in enumerate([*drafts, events.text_end("b", "hi you")])]

    def frames(after: int) -> list[str]:
        wire = Wire("t")
        return b"".join(wire.frames(each, after) for each in log).decode().split("\n\n")[:-1]

    whole = frames(0)
    assert [json.loads(frame.partition("data: ")[2])["type"] for frame in whole] == [
        *("text-start", "text-delta", "text-delta", "text-end")
    ]
    for seen, frame in enumerate(whole, 1):
        last = int(frame.partition("\n")[0].removeprefix("id: "))
        assert frames(last) == whole[seen:]


def test_a_block_whose_start_was_overtaken_is_given_whole():
    """5.3: a title may land between a block's start and its first words."""
    log = [
        event(events.text_start("b"), 4),
        event(events.title("A title"), 5),
        event(events.text_delta("b", "hi", 0), 6),
    ]
    wire = Wire("t")
    assert b"text-start" in b"".join(wire.frames(each, 5) for each in log)


def test_each_end_has_its_reason():
    ends = {"completed": ["stop"], "failed": ["error"], "cancelled": [None, "other"]}
    for status, reasons in ends.items():
        chunks = Wire("t").chunks(event(events.turn_ended(status, None, 1)))
        assert [chunk.get("finishReason") for chunk in chunks] == reasons


def test_a_turn_that_goes_on_starts_once():
    wire = Wire("t")
    started = wire.chunks(event(events.turn_started(1, "m", None, None)))
    resumed = wire.chunks(event(events.turn_resumed(2, "m", None, None)))
    assert [chunk["type"] for chunk in started] == ["start", "data-status"]
    assert started[0] == {"type": "start", "messageId": "t"}
    assert [chunk["type"] for chunk in resumed] == ["data-status"]


def test_reasoning_can_be_kept_off_the_wire():
    """7.5."""
    drafts = [events.reasoning_start("r"), events.reasoning_delta("r", "hm", 0), events.reasoning_end("r", "hm")]
    assert chunks_of([event(draft) for draft in drafts], show_reasoning=False) == []


def test_a_live_frame_is_bounded():
    """8.8, H53, T10: a result too large for one is named, with the file that has the whole of it."""
    rows: list[Json] = ["x" * 1000] * 100
    large = event(events.tool_output_available("c", "find", {"rows": rows}, file=("f1", "/sessions/s/x.json")))
    cut: Any = lean(large).data["output"]
    assert (cut["type"], cut["event_id"], len(cut["preview"])) == ("too_large", 7, 2000)
    assert (cut["truncated"], cut["file_id"], cut["workspace_path"]) == (True, "f1", "/sessions/s/x.json")
    assert lean(event(events.notice("n", "small"))).data["message"] == "small"


@pytest.mark.parametrize("filling", ["x", '"', "\n", "ж", "🎈"])
def test_no_frame_of_a_result_is_larger_than_64_kilobytes(filling: str):
    """8.8: as it goes out in a stream and on a socket, with all that is around it."""
    one, sizes = len(json.dumps(filling, ensure_ascii=False).encode()) - 2, set[bool]()
    for length in range(64 * 1024 // one - 700, 64 * 1024 // one + 100, 7):
        given_back = event(events.tool_output_available("c", "find", filling * length))
        frame, told = Wire("t").frames(given_back), event_json(new_id(), lean(given_back))
        assert max(len(frame), len(dump_bytes(told))) <= 64 * 1024
        sizes.add(len(frame) > 8 * 1024)
    assert sizes == {True, False}


@pytest.mark.parametrize(
    "late", [events.tool_output_available("c", "find", 2), events.tool_output_error("c", "find", "late", "Too late.")]
)
def test_a_second_result_of_a_call_is_not_told(late: events.Draft):
    """3.7."""
    drafts = [events.tool_input_available("c", "find", {}), events.tool_output_available("c", "find", 1), late]
    told = chunks_of([event(draft, seq) for seq, draft in enumerate(drafts, 1)])
    assert [chunk.get("output") for chunk in told] == [None, 1]


def test_a_caption_is_told_and_kept_nowhere():
    assert caption(10) == b'data: {"type":"data-status","data":{"state":"quiet","seconds":10},"transient":true}\n\n'


def test_quiet_is_told_at_ten_thirty_and_sixty_seconds():
    """4.7."""
    now = [0.0]
    quiet = Quiet(lambda: now[0])
    told: list[float] = []
    for _ in range(50):
        now[0] += 2
        told += [now[0]] if quiet.caption() else []
    assert told == [10, 30, 60]
    quiet.broken()
    now[0] += 11
    assert quiet.caption() == caption(10)
