"""autopilot:12.3, 11.5: a turn whose conversation outgrows the model goes on all the same."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

import pytest

from pilothouse.autopilot.compaction import SUMMARISE
from pilothouse.base.tools import ToolBox, ToolContext, ToolResult
from pilothouse.features.chat import events
from tests.autopilot.stage import BYE, Stage, calls
from tests.autopilot.switch import Switched
from tests.autopilot.till import Till
from tests.providers.script import Answer, Refusal, Script, Tokens

SMALL = 6_000
LONG = "many words " * 1_500
OVERFLOW = Refusal(400, body={"error": {"message": "too long", "code": "context_length_exceeded"}})


class Page(ToolResult):
    type: Literal["page"] = "page"
    text: str


def reading() -> ToolBox:
    tools = ToolBox()

    async def read_page(ctx: ToolContext, n: int) -> ToolResult:
        """Read a page."""
        return Page(message="Read.", text=f"page {n} " + "z" * 66_000)

    tools.tool(label="Reading")(read_page)
    return tools


def is_summary(asked: Mapping[str, object]) -> bool:
    return SUMMARISE in str(asked["messages"])


async def outgrown(both: Stage, *answers: Answer | Refusal) -> Script:
    """A session whose first turn was long."""
    script = await both.play(Answer(text=(LONG,)), *answers, tools=ToolBox(), chat_context_window=SMALL)
    await both.bridge.ask("tell me a lot")
    return script


async def test_a_long_conversation_is_summed_up_and_goes_on(both: Stage):
    """12.3: the summary is the model's; the log and the page keep everything; nobody is shown the summary."""
    script = await outgrown(both, Answer(text=("They spoke of words.",)), BYE)
    said = await both.bridge.ask("and now?")
    assert (said.status, said.text) == ("completed", "Done.")
    assert [is_summary(asked) for asked in script.asked] == [False, True, False]
    read = str(script.asked[2]["messages"])
    assert "They spoke of words." in read
    assert "and now?" in read
    assert "many words many words" not in read
    compaction = said.of(events.COMPACTION)[0]
    assert compaction.data["up_to_event"] == said.events[0].id - 1
    assert int(str(compaction.data["tokens_after"])) < int(str(compaction.data["tokens_before"]))
    shown = (await both.bridge.stand.ann.http.get(f"/api/v1/chat/sessions/{both.bridge.session_id}")).text
    assert "many words many words" in shown
    assert "They spoke of words." not in shown
    assert len(said.of(events.USAGE)) == 2  # the summary is paid for too


@pytest.mark.parametrize("fault", [Refusal(400), Answer(text=("half",), ends="early"), Answer()])
async def test_without_a_summary_the_conversation_is_cut_by_rule(both: Stage, fault: Answer | Refusal):
    """12.3: failure never ends the session."""
    script = await outgrown(both, fault, BYE)
    said = await both.bridge.ask("and now?")
    assert (said.status, said.text) == ("completed", "Done.")
    assert "tell me a lot" in str(said.of(events.COMPACTION)[0].data["summary"])
    assert "and now?" in str(script.asked[-1]["messages"])


async def test_a_summary_that_takes_too_long_is_not_waited_for(both: Stage, either: Switched):
    """12.3"""
    script = await outgrown(both, Answer(text=("slow", "er"), pause=20), BYE)
    assert either[1].pilot is not None
    either[1].pilot = replace(either[1].pilot, summary_seconds=0.2)
    said = await both.bridge.ask("and now?")
    assert said.status == "completed"
    assert "tell me a lot" in str(said.of(events.COMPACTION)[0].data["summary"])
    assert len(script.asked) == 3


async def test_the_next_turn_reads_the_summary_and_sums_up_nothing_again(both: Stage):
    """12.3"""
    script = await outgrown(both, Answer(text=("They spoke of words.",)), BYE)
    await both.bridge.ask("and now?")
    said = await both.bridge.ask("and then?")
    assert said.of(events.COMPACTION) == []
    read = str(script.asked[-1]["messages"])
    assert all(words in read for words in ("They spoke of words.", "and now?", "Done.", "and then?"))


PAGES = calls(*[("read_page", f'{{"n": {n}}}') for n in range(5)])
SUMMARY = Answer(text=("They greeted.",))


async def test_an_overflow_is_answered_by_going_further_until_it_fits(both: Stage):
    """11.5: the user's last words stay."""
    script = await both.play(BYE, PAGES, OVERFLOW, SUMMARY, OVERFLOW, BYE, tools=reading())
    await both.bridge.ask("hello")
    said = await both.bridge.ask("read five pages")
    assert (said.status, said.text) == ("completed", "Done.")
    assert [event.data["target"] for event in said.of(events.COMPACTION)] == [None, 50_000]
    assert len(str(script.asked[-1])) < 50_000 * 4 < len(str(script.asked[2]))
    assert "read five pages" in str(script.asked[-1])
    assert len(said.tools) == 5  # no page is read twice


async def test_what_fits_in_no_way_ends_the_turn_and_not_the_session(both: Stage):
    """11.5"""
    await both.play(BYE, PAGES, OVERFLOW, SUMMARY, OVERFLOW, OVERFLOW, OVERFLOW, BYE, tools=reading())
    await both.bridge.ask("hello")
    said = await both.bridge.ask("read five pages")
    assert (said.status, said.of(events.ERROR)[0].data["code"]) == ("failed", "context_overflow")
    assert [event.data["target"] for event in said.of(events.COMPACTION)] == [None, 50_000, 5_000]
    assert (await both.bridge.ask("never mind")).status == "completed"


async def test_room_is_made_between_two_rounds_and_no_call_is_made_again(both: Stage):
    """12.3: what the turn did so far stays word for word."""
    pages = calls(("read_page", '{"n": 7}'))
    script = await both.play(Answer(text=(LONG,)), pages, SUMMARY, BYE, tools=reading(), chat_context_window=20_000)
    await both.bridge.ask("tell me a lot")
    said = await both.bridge.ask("read a page")
    assert (said.status, said.text, len(said.tools)) == ("completed", "Done.", 1)
    assert [is_summary(asked) for asked in script.asked] == [False, False, True, False]
    told = [event.type for event in said.events]
    assert told.index(events.TOOL_OUTPUT_AVAILABLE) < told.index(events.COMPACTION)
    read = str(script.asked[-1]["messages"])
    assert "They greeted." in read
    assert "page 7 " + "z" * 60_000 in read
    assert "many words many words" not in read


async def test_a_turn_may_outgrow_the_window_again_and_again(both: Stage):
    """11.5: each time from the mildest on; what was done stays done"""
    answers = (PAGES, OVERFLOW, PAGES, OVERFLOW, OVERFLOW, PAGES, OVERFLOW, BYE)
    await both.play(*answers, tools=reading())
    said = await both.bridge.ask("read pages")
    assert (said.status, said.text, len(said.tools)) == ("completed", "Done.", 15)
    assert [event.data["target"] for event in said.of(events.COMPACTION)] == [50_000, 50_000, 5_000, 50_000]


async def test_the_second_summary_is_made_from_all_of_the_first(both: Stage):
    """12.3"""
    first = "fact " * 900 + "and the very last one"
    script = await outgrown(both, Answer(text=(first,)), Answer(text=(LONG,)), SUMMARY, BYE)
    await both.bridge.ask("and now?")
    said = await both.bridge.ask("and then?")
    assert said.text == "Done."
    assert [is_summary(asked) for asked in script.asked] == [False, True, False, True, False]
    assert "and the very last one" in str(script.asked[3]["messages"])


async def test_long_thoughts_do_not_make_room(both: Stage):
    """7.2, 12.3: the next turn does not send them"""
    thoughtful = Answer(thinking=("hm " * 1_000,), text=("Yes.",), tokens=Tokens(100, 150_000))
    script = await both.play(thoughtful, BYE)
    await both.bridge.ask("think")
    said = await both.bridge.ask("and now?")
    assert said.of(events.COMPACTION) == []
    assert len(script.asked) == 2


async def test_room_is_made_for_the_model_that_answers(small_till: Till):
    """12.3, 13.3: a fallback may read less than the model that was wanted"""
    large = Answer(text=("Yes. " * 100,), tokens=Tokens(100_000, 7))
    first, url = await small_till.serve("anthropic", large, Refusal(401))
    second, other = await small_till.serve("openai", SUMMARY, BYE)
    keys = {"anthropic_base_url": url, "anthropic_api_key": "k", "chat_model": "anthropic/claude-sonnet-4-6"}
    more = {"openai_base_url": other, "openai_api_key": "k", "chat_fallback_model": "openai/gpt-4o-mini"}
    small_till.connect({**keys, **more})
    await small_till.bridge.ask("tell me a lot")
    said = await small_till.bridge.ask("and now?")
    assert (said.status, said.text, len(first.asked)) == ("completed", "Done.", 2)
    assert [is_summary(asked) for asked in second.asked] == [True, False]
