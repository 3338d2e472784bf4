"""autopilot:2.11: pictures that come with a message are shown to models that can see; other files are named."""

import base64
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import pytest
from pydantic_ai.messages import BinaryContent, UserPromptPart

from pilothouse.autopilot.attachments import Attachments, FileFacts
from pilothouse.autopilot.compaction import size_of, transcript
from pilothouse.autopilot.history import model_messages
from pilothouse.autopilot.pictures import MAX_BYTES, PICTURE_TOKENS, can_see
from pilothouse.features.chat import Message, events, follow_up_of
from pilothouse.kit.ids import new_id
from tests.autopilot.bridge import Bridge, open_bridge
from tests.autopilot.stage import BYE, Stage, calls
from tests.autopilot.switch import Switched
from tests.autopilot.test_history import NOW, OLD, log, said
from tests.autopilot.test_retrying import FAILED
from tests.base.waiting import until
from tests.providers.script import Script
from tests.providers.server import provider

SEEING = "openai/gpt-5"
PIXEL = b"\x89PNG\r\n\x1a\n and so on"


class Album:
    """A store of files with their bytes; `reads` counts how often one was fetched."""

    def __init__(self, *files: tuple[FileFacts, bytes]) -> None:
        self.files = {facts.id: (facts, data) for facts, data in files}
        self.reads = 0

    async def find_files(self, user_id: str, ids: Sequence[str]) -> list[FileFacts]:
        return [self.files[one][0] for one in ids if one in self.files]

    async def read_file(self, user_id: str, file_id: str) -> bytes | None:
        self.reads += 1
        return self.files[file_id][1] if file_id in self.files else None

    def hang(self, switched: Switched) -> None:
        pilot = switched[1].pilot
        assert pilot is not None
        switched[1].pilot = replace(pilot, parts={**pilot.parts, Attachments: Attachments(self)})


def picture(size: int | None = None, kind: str = "image/png") -> FileFacts:
    return FileFacts(new_id(), "look.png", kind, len(PIXEL) if size is None else size)


def shown_in(messages: Sequence[Any]) -> list[str]:
    """The data of the pictures in a request on OpenAI's wire."""
    parts = [part for message in messages if isinstance(message["content"], list) for part in message["content"]]
    return [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]


IN_THE_WIRE = "data:image/png;base64," + base64.b64encode(PIXEL).decode()


async def test_a_picture_goes_inline_to_a_model_that_sees(both: Stage, either: Switched):
    """2.11"""
    one = picture()
    script = await both.play(BYE, BYE, chat_model=SEEING)
    album = Album((one, PIXEL))
    album.hang(either)
    await both.bridge.ask("what is this?", file_ids=(one.id,))
    assert shown_in(script.asked[0]["messages"]) == [IN_THE_WIRE]
    assert f"{one.id}: look.png, image/png" in str(script.asked[0]["messages"]), "and it can be named to tools"
    await both.bridge.ask("and its colour?")
    assert shown_in(script.asked[1]["messages"]) == [IN_THE_WIRE], "a later turn still sees it"


async def test_a_model_that_cannot_see_is_told_the_name(both: Stage, either: Switched):
    """2.11"""
    one = picture()
    script = await both.play(BYE)
    album = Album((one, PIXEL))
    album.hang(either)
    await both.bridge.ask("what is this?", file_ids=(one.id,))
    assert shown_in(script.asked[0]["messages"]) == []
    assert album.reads == 0
    assert f"{one.id}: look.png, image/png" in str(script.asked[0]["messages"])


async def test_the_setting_overrules_what_is_known(both: Stage, either: Switched):
    """2.11"""
    one = picture()
    script = await both.play(BYE, chat_vision=True)
    Album((one, PIXEL)).hang(either)
    await both.bridge.ask("what is this?", file_ids=(one.id,))
    assert shown_in(script.asked[0]["messages"]) == [IN_THE_WIRE]


@pytest.mark.parametrize(
    "other", [picture(MAX_BYTES + 1), picture(kind="image/svg+xml"), picture(kind="application/pdf")]
)
async def test_too_large_or_no_picture_is_named_only(stage: Stage, switched: Switched, other: FileFacts):
    """2.11"""
    script = await stage.play(BYE, chat_model=SEEING)
    album = Album((other, PIXEL))
    album.hang(switched)
    await stage.bridge.ask("what is this?", file_ids=(other.id,))
    assert shown_in(script.asked[0]["messages"]) == []
    assert album.reads == 0
    assert f"{other.id}: look.png, {other.type}, {other.size} bytes" in str(script.asked[0]["messages"])


async def test_a_picture_that_comes_while_a_tool_runs_is_seen_in_the_next_round(both: Stage, either: Switched):
    """2.11, 9.6"""
    one = picture()
    script = await both.play(calls(("rest", '{"n": 1}')), BYE, chat_model=SEEING)
    Album((one, PIXEL)).hang(either)
    turn_id = await both.bridge.start("go")
    await until(lambda: bool(both.shop.done))
    message = both.bridge.message("look at this", file_ids=(one.id,))
    await both.bridge.chat.start_turn(both.bridge.stand.ann.actor, both.bridge.session_id, message)
    both.shop.gate.set()
    assert await both.bridge.ended(turn_id) == "completed"
    assert shown_in(script.asked[1]["messages"]) == [IN_THE_WIRE]


def test_pictures_stand_before_the_words_that_came_with_them():
    """2.11: and those of a message that waited are shown with it."""
    first, second = BinaryContent(b"1", media_type="image/png"), BinaryContent(b"2", media_type="image/png")
    waited = follow_up_of([Message("m1", "and this", "web", 60, None, ("f2", "gone"))])
    told = log((NOW, [said("hi", arrival_at=50, file_ids=("f1",)), waited]))
    [request] = model_messages(told, NOW, [], {"f1": first, "f2": second})
    assert [cast(UserPromptPart, part).content for part in request.parts] == [[first, second], "hi\n\nand this"]


def test_a_picture_weighs_what_providers_count_and_is_one_line_of_a_summary():
    """12: its bytes are no text."""
    seen = BinaryContent(b"x" * 100_000, media_type="image/png")
    told = log((NOW, [said("hi", file_ids=("f",))]))
    with_it, without = model_messages(told, NOW, [], {"f": seen}), model_messages(told, NOW, [])
    assert size_of(with_it) - size_of(without) == PICTURE_TOKENS
    assert transcript(with_it) == ["User shows pictures: 1", "User: hi"]


def test_asked_again_the_picture_is_shown_once():
    """A turn that is retried hears its message again, not twice."""
    seen = BinaryContent(b"1", media_type="image/png")
    told = log((OLD, [said("hi", file_ids=("f",)), *FAILED]), (NOW, [events.turn_queued(None, 1)]))
    [request] = model_messages(told, NOW, [], {"f": seen})
    assert [cast(UserPromptPart, part).content for part in request.parts] == [[seen], "hi"]


async def test_only_as_many_as_one_request_carries_the_newest_first(stage: Stage, switched: Switched):
    """2.11"""
    old, new = picture(MAX_BYTES - 10), picture(20)
    script = await stage.play(BYE, chat_model=SEEING)
    Album((old, b"old"), (new, b"new")).hang(switched)
    await stage.bridge.ask("look", file_ids=(old.id, new.id))
    assert shown_in(script.asked[0]["messages"]) == ["data:image/png;base64," + base64.b64encode(b"new").decode()]


@pytest.mark.parametrize(
    ("slug", "sees"),
    [
        *((slug, True) for slug in ("anthropic/claude-sonnet-4-5", "openai/gpt-4o-mini", "openai/o3")),
        ("google/gemini-3-pro", True),
        *((slug, True) for slug in ("ollama/llava:13b", "openrouter/qwen/qwen2.5-vl-72b", "groq/llama-4-scout")),
        *((slug, False) for slug in ("openai/gpt-3.5-turbo", "ollama/llama3.1", "anthropic/claude-2.1", "openai/test")),
    ],
)
def test_what_is_known_of_models(slug: str, sees: bool):
    """2.11"""
    assert can_see(slug) is sees
    assert can_see(slug, not sees) is not sees


async def test_anthropics_wire_carries_it_too(chosen: Bridge, switched: Switched):
    """2.11"""
    one, script = picture(), Script([BYE])
    async with provider(script, "anthropic") as url:
        keys: dict[str, Any] = {
            "anthropic_base_url": url,
            "anthropic_api_key": "k",
            "chat_model": "anthropic/maker/test",
            "chat_vision": True,
        }
        models = switched[1].connect(switched[0], **keys)
        Album((one, PIXEL)).hang(switched)
        await chosen.ask("what is this?", file_ids=(one.id,))
        await models.aclose()
    content = [part for message in script.asked[0]["messages"] for part in message["content"]]
    [image] = [part for part in content if part["type"] == "image"]
    assert image["source"]["media_type"] == "image/png"
    assert image["source"]["data"] == base64.b64encode(PIXEL).decode()


async def test_what_was_uploaded_is_seen_and_another_persons_is_not(both: Stage, either: Switched):
    """2.11"""
    script = await both.play(BYE, BYE, chat_model=SEEING)
    stand = both.bridge.stand
    stored = await stand.ann.browser.post(
        "/api/workspace/files", params={"path": "/look.png"}, content=PIXEL, headers={"Content-Type": "image/png"}
    )
    assert stored.status_code == 201, stored.text
    file_id = stored.json()["id"]
    await both.bridge.ask("what is this?", file_ids=(file_id,))
    assert shown_in(script.asked[0]["messages"]) == [IN_THE_WIRE]
    async with either[0].stand() as other:
        told = await (await open_bridge(other)).ask("and this?", file_ids=(file_id,))
    assert shown_in(script.asked[1]["messages"]) == []
    assert [event.data["code"] for event in told.of(events.NOTICE)] == ["files_dropped"]
