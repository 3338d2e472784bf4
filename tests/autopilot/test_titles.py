"""autopilot:1.9: a conversation is named beside its first turn."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio
from hypothesis import given
from hypothesis import strategies as st

from pilothouse.autopilot.models import Models
from pilothouse.autopilot.titles import ASK, DEFAULT, MAX_CHARACTERS, MAX_WORDS, Titles, tidy
from pilothouse.base.committer import WriteSet
from pilothouse.base.settings import Settings
from pilothouse.features.models import CostRow, insert_cost
from tests.autopilot.bridge import Bridge
from tests.autopilot.stage import BYE, Stage
from tests.autopilot.switch import Switched
from tests.base.waiting import until
from tests.providers.script import Answer, Refusal, Script
from tests.providers.server import provider


@given(st.text(max_size=300))
def test_a_title_is_short_whatever_the_model_says(answer: str):
    """1.9: at most six words and fifty characters, on one line."""
    title = tidy(answer)
    assert len(title) <= MAX_CHARACTERS == 50
    assert len(title.split()) <= MAX_WORDS == 6
    assert "\n" not in title


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ('"Weekly digest of news."', "Weekly digest of news"),
        ("Title: Plans for May\nand more", "Plans for May"),
        ("one two three four five six seven", "one two three four five six"),
        ("incomprehensibilities " * 5, "incomprehensibilities incomprehensibilities"),
        ("  \n\n", ""),
    ],
)
def test_a_title_is_taken_out_of_its_dress(said: str, title: str):
    """1.9"""
    assert tidy(said) == title


async def test_the_title_model_is_used_where_it_can_be(tmp_path: Path):
    """1.9, 13.2"""

    async def chosen(**told: str) -> str | None:
        models = Models(Settings.model_validate({"data_dir": tmp_path, **told}))
        found = await models.choose_for_titles("somebody", models.settings.chat_title_model or DEFAULT)
        return None if found is None else found.slug

    assert await chosen() is None
    assert await chosen(openai_api_key="k", chat_title_model="offline") is None
    assert await chosen(openai_api_key="k") == DEFAULT
    assert await chosen(anthropic_api_key="k") == "anthropic/claude-sonnet-4-6"
    assert await chosen(anthropic_api_key="k", chat_title_model="anthropic/claude-haiku") == "anthropic/claude-haiku"


Name = Callable[[Answer | Refusal], Awaitable[Script]]


@pytest_asyncio.fixture(loop_scope="session")
async def name(both: Stage, either: Switched) -> AsyncGenerator[Name]:
    """A provider of its own for titles."""
    async with AsyncExitStack() as stack:

        async def names(answer: Answer | Refusal) -> Script:
            await both.play(BYE)
            script, house = Script([answer]), either[0].worker
            url = await stack.enter_async_context(provider(script, "openai"))
            told = {"openai_base_url": url, "openai_api_key": "k"}
            models = Models(house.settings.model_validate(house.settings.model_dump() | told))
            stack.push_async_callback(models.aclose)

            async def pay(row: CostRow) -> None:
                await house.committer.land(WriteSet((insert_cost(row),)))

            titles = Titles(models, house.chat.suggest_title, pay)
            assert either[1].pilot is not None
            either[1].pilot = replace(either[1].pilot, titles=titles)
            return script

        yield names


async def title_of(bridge: Bridge) -> tuple[str, str]:
    shown = await bridge.stand.ann.http.get(f"/api/v1/chat/sessions/{bridge.session_id}")
    session = shown.json()["session"]
    return session["title"], session["title_source"]


async def test_the_first_turn_names_the_session_and_the_next_does_not(both: Stage, name: Name, either: Switched):
    """1.9, 13.4: a name is paid for like any other call."""
    script = await name(Answer(text=("Birds ", "of Iceland")))
    await both.bridge.ask("Which birds live in Iceland? " * 5)

    async def named() -> bool:
        return await title_of(both.bridge) == ("Birds of Iceland", "auto")

    await until(named)
    assert ASK in str(script.asked[0])
    sql = "select completion_tokens from cost_log where user_id=?1 and call_id like '%:title %'"
    [(took,)] = await either[0].worker.reader.rows(sql, both.bridge.stand.ann.actor.user_id)
    assert took > 0
    await both.bridge.ask("And in Norway?")
    assert len(script.asked) == 1


async def test_a_name_from_the_owner_stays(both: Stage, name: Name):
    """1.9"""
    script = await name(Answer(text=("Another",)))
    await both.bridge.chat.set_title(both.bridge.stand.ann.actor, both.bridge.session_id, "Mine")
    await both.bridge.ask("Which birds?")
    assert await title_of(both.bridge) == ("Mine", "user")
    assert script.asked == []


@pytest.mark.parametrize("fault", [Refusal(401), Answer(), Answer(text=("Half a",), ends="early")])
async def test_without_a_name_the_first_words_stay_and_the_turn_does_not_care(
    both: Stage, name: Name, fault: Answer | Refusal
):
    """1.9"""
    script = await name(fault)
    assert (await both.bridge.ask("Which birds live there?")).status == "completed"
    await until(lambda: bool(script.asked))
    assert await title_of(both.bridge) == ("Which birds live there?", "auto")


async def test_the_turn_does_not_wait_for_its_name(both: Stage, name: Name):
    """1.9"""
    await name(Answer(text=("Slow", " name"), pause=30))
    assert (await both.bridge.ask("Which birds?")).status == "completed"
