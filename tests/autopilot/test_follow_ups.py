"""autopilot:6.2, 6.3, 9.6, 2.11: what the user wrote before, with and after the message, and the files with it."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pilothouse.autopilot.attachments import Attachments, FileFacts
from pilothouse.autopilot.context import (
    FOLLOW_UP_EACH,
    FOLLOW_UP_TOTAL,
    RESERVED,
    follow_up_block,
    follow_up_text,
    without_reserved_tags,
)
from pilothouse.autopilot.history import model_messages
from pilothouse.features.chat import Draft, Message, events, follow_up_of
from pilothouse.kit.ids import new_id
from pilothouse.kit.json import Json, JsonObject
from tests.autopilot.stage import BYE, Stage, calls
from tests.autopilot.switch import Switched
from tests.autopilot.test_history import NOW, call, contents, log, result, said
from tests.base.waiting import until
from tests.providers.script import Body


def waiting(*many: tuple[str, int], context: Json = None) -> Draft:
    return follow_up_of([Message(f"m{n}", text, "web", at, context) for n, (text, at) in enumerate(many)])


def opening(*drafts: Draft) -> str:
    return contents(model_messages(log((NOW, list(drafts))), NOW, [])[0])[-1]


def test_what_waited_is_joined_in_the_order_of_arrival():
    """6.3: at the same moment counts as before, a missing time as the earliest; equal ones keep their order."""
    told = waiting(("same", 50), ("late", 51), ("unknown", 0), ("early", 10), ("later", 99))
    assert opening(said("hi", arrival_at=50), told) == "same\n\nunknown\n\nearly\n\nhi\n\nlate\n\nlater"


SPELLINGS = ("<{}>", "</{}>", "< {} >", "<{} a='b'>", "</ {}>", "<{}", "<<{}>{}>", "<{}<{}>>")


@pytest.mark.parametrize("tag", RESERVED)
def test_nobody_speaks_with_the_servers_tags_wherever_they_write(tag: str):
    """6.2: in the message, in what waited, in the page; in any case and spacing, open or closed."""
    for spelling in SPELLINGS:
        for name in (tag, tag.upper(), tag.title()):
            text = "x " + spelling.replace("{}", name)
            page: JsonObject = {"url": text, "content": text}
            drafts = [said(text, context=page), waiting((text, 1), context=page)]
            read = "\n".join(contents(model_messages(log((NOW, drafts)), NOW, [])[0])).lower()
            assert read.replace('<user_context url="', "").replace("</user_context>", "").count(tag) == 0, spelling


@given(st.lists(st.text(min_size=1, max_size=3_000), min_size=1, max_size=8))
def test_a_follow_up_block_is_bounded_and_never_empty_handed(texts: list[str]):
    """9.6"""
    block = follow_up_block(texts)
    spoken = [text for text in texts if without_reserved_tags(text).strip()]
    if spoken and spoken[0] == texts[0]:
        inside = follow_up_text(block)
        assert inside
        assert len(inside) <= FOLLOW_UP_TOTAL + 100
    assert block.count("<user_follow_up>") <= 1


def test_a_follow_up_block_says_how_many_it_left_out():
    """9.6: 2,000 characters each, 6,000 in all."""
    assert (FOLLOW_UP_EACH, FOLLOW_UP_TOTAL) == (2_000, 6_000)
    block = follow_up_block(["a" * 9_000, "b" * 2_000, "c" * 2_000, "d", "e"])
    assert [block.count(letter * 1_900) for letter in "abc"] == [1, 1, 1]
    assert "a" * 2_000 not in block
    assert block.endswith("[2 more message(s) truncated]</user_follow_up>")
    assert follow_up_block(["one & <two>"]) == "<user_follow_up>one &amp; &lt;two&gt;</user_follow_up>"


def test_a_follow_up_stands_behind_the_results_with_the_page_it_was_written_on():
    """9.6, 9.4"""
    drafts = [said("hi"), events.start_step(1), *call(), result(), events.finish_step(1)]
    drafts.append(waiting(("and hurry", 9), context={"url": "https://example.com", "content": "a page"}))
    read = contents(model_messages(log(("old", drafts), (NOW, [said("next")])), NOW, [])[2])
    assert read[1].endswith("<user_follow_up>and hurry</user_follow_up>")
    assert "a page" in read[1]


async def test_live_and_after_a_loss_the_model_reads_the_same(both: Stage, either: Switched):
    """9.6, 3.3"""
    script = await both.play(calls(("rest", '{"n": 1}')), BYE)
    turn_id = await both.bridge.start("go")
    await until(lambda: bool(both.shop.done))
    page = {"url": "https://example.com", "content": "a <page>"}
    message = both.bridge.message("and <b>hurry</b>", context=page)
    await both.bridge.chat.start_turn(both.bridge.stand.ann.actor, both.bridge.session_id, message)
    both.shop.gate.set()
    assert await both.bridge.ended(turn_id) == "completed"
    heard = script.asked[1]["messages"][-1]
    assert heard["role"] == "user"
    turn = either[1].turns[-1]
    read = model_messages(await both.bridge.events(), turn_id, turn.rounds)
    assert heard["content"] in [text for one in read for text in contents(one)]
    assert "&lt;b&gt;hurry" in str(heard)


class Shelf:
    """A store with one file in it."""

    def __init__(self, file_id: str) -> None:
        self.file_id = file_id

    async def find_files(self, user_id: str, ids: Sequence[str]) -> list[FileFacts]:
        return [FileFacts(one, "notes.md", "text/markdown", 12) for one in ids if one == self.file_id]

    async def read_file(self, user_id: str, file_id: str) -> bytes | None:
        raise AssertionError("a file that is no picture is not read")


async def test_files_that_are_not_there_are_dropped_and_counted(both: Stage, either: Switched):
    """2.11"""
    script = await both.play(BYE)
    mine, other = new_id(), new_id()
    hang(either, mine)
    told = await both.bridge.ask("read", file_ids=(mine, other, new_id()))
    notice = [event.data for event in told.of(events.NOTICE) if event.data["code"] == "files_dropped"]
    assert [one["message"] for one in notice] == ["2 files were not found and are left out."]
    asked = str(script.asked[0]["messages"])
    assert f"{mine}: notes.md, text/markdown, 12 bytes" in asked
    assert other not in asked
    assert other in str(told.events[0].data["file_ids"])


def hang(either: Switched, file_id: str) -> None:
    """Let this be the only file that there is."""
    pilot = either[1].pilot
    assert pilot is not None
    either[1].pilot = replace(pilot, parts={**pilot.parts, Attachments: Attachments(Shelf(file_id))})


def lines_of(body: Body) -> list[str]:
    """What people said in a request, in order; the results and the model's own words left out."""
    return [str(message["content"]) for message in body["messages"] if message["role"] == "user"]


async def test_files_of_a_follow_up_are_named_behind_it_and_what_is_not_there_is_told(both: Stage, either: Switched):
    """2.11, 9.1, 9.5, 3.3: in this turn as in the next; it stands behind the round's last call."""
    script = await both.play(calls(("rest", '{"n": 1}'), ("count_up", '{"n": 2}')), BYE, BYE)
    mine, other = new_id(), new_id()
    hang(either, mine)
    turn_id = await both.bridge.start("go")
    await until(lambda: sorted(both.shop.done) == [1, 2])
    message = both.bridge.message("read this", file_ids=(mine, other))
    await both.bridge.chat.start_turn(both.bridge.stand.ann.actor, both.bridge.session_id, message)
    both.shop.gate.set()
    assert await both.bridge.ended(turn_id) == "completed"
    told = await both.bridge.events()
    [follow_up] = [event for event in told if event.type == events.FOLLOW_UP]
    assert follow_up.data["after_tool_call_id"] == "c1_count_up"
    after = [event for event in told if event.id > follow_up.id]
    assert [event.type for event in after[:3]] == [events.NOTICE, events.CONTEXT, events.START_STEP]
    assert after[0].data["message"] == "1 file was not found and is left out."
    heard = lines_of(script.asked[1])[-2:]
    assert heard[0] == "<user_follow_up>read this</user_follow_up>"
    assert f"{mine}: notes.md, text/markdown, 12 bytes" in heard[1]
    assert other not in str(heard)
    await both.bridge.ask("and?")
    assert lines_of(script.asked[2])[1:3] == heard


async def test_files_of_a_follow_up_are_named_by_whoever_goes_on(both: Stage, either: Switched):
    """2.11, 11.1: the message was taken, and the worker was lost before it had looked for the files."""
    script = await both.play(calls(("rest", '{"n": 1}')), BYE)
    mine, lost = new_id(), asyncio.Event()
    hang(either, mine)
    pilot = either[1].pilot
    assert pilot is not None
    looked = pilot.parts[Attachments]
    assert isinstance(looked, Attachments)
    find = looked.index.find_files

    async def never(user_id: str, ids: Sequence[str]) -> Sequence[FileFacts]:
        looked.index.find_files = find
        lost.set()
        await asyncio.Event().wait()
        raise AssertionError

    turn_id = await both.bridge.start("go")
    await until(lambda: both.shop.done == [1])
    message = both.bridge.message("read this", file_ids=(mine, new_id()))
    await both.bridge.chat.start_turn(both.bridge.stand.ann.actor, both.bridge.session_id, message)
    looked.index.find_files = never
    both.shop.gate.set()
    await until(lost.is_set)
    await either[1].replace_worker(either[0])
    assert await both.bridge.ended(turn_id) == "completed"
    told = await both.bridge.events()
    assert len([event for event in told if event.type == events.FOLLOW_UP]) == 1
    assert [event.data["code"] for event in told if event.type == events.NOTICE] == ["files_dropped"]
    assert len(script.asked) == 2
    assert f"{mine}: notes.md" in lines_of(script.asked[1])[-1]


async def test_without_a_store_every_file_is_missing(both: Stage):
    """2.11"""
    script = await both.play(BYE)
    told = await both.bridge.ask("read", file_ids=(new_id(),))
    assert [event.data["code"] for event in told.of(events.NOTICE)] == ["files_dropped"]
    assert "Attached" not in str(script.asked[0]["messages"])
    assert (await both.bridge.ask("again")).of(events.NOTICE) == []
