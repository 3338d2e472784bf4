"""autopilot:4.4, 4.5, 7.1: the order of a turn's events, with models that think, speak, think again and then call."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest

from pilothouse.features.chat import Event, events
from tests.autopilot.till import Till
from tests.base.waiting import until
from tests.providers.script import Answer, Tool

WAVERING = Answer(
    turns=(("thinking", "Let me see."), ("text", "I look."), ("thinking", "Which?"), ("text", "Both.")),
    tools=(Tool("c1", "find_block", '{"query": "web request"}'), Tool("c2", "find_library_agent", "{}")),
)
RANKS = {"reasoning": 0, "text": 0, "tool-input": 1, "tool-output": 2}


@dataclass(slots=True)
class Reader:
    """Takes the events of a turn in order, and no others."""

    in_step: bool = False
    rank: int = 0
    open: str | None = None
    ended: list[str] = field(default_factory=list[str])

    def take(self, event: Event) -> None:
        kind, _, mark = event.type.rpartition("-")
        if event.type in (events.START_STEP, events.FINISH_STEP):
            assert self.in_step is (event.type == events.FINISH_STEP)
            assert self.open is None
            self.in_step, self.rank = not self.in_step, 0
        elif kind in RANKS:
            assert self.in_step
            assert RANKS[kind] >= self.rank, event
            self.rank = RANKS[kind]
            self._take_block(kind, mark, str(event.data.get("id") or event.data["tool_call_id"]))
        elif event.type == events.FOLLOW_UP:
            assert not self.in_step

    def _take_block(self, kind: str, mark: str, block: str) -> None:
        if mark == "start":
            assert self.open is None
            assert block not in self.ended
            self.open = block
        elif kind != "tool-output":
            assert self.open == block
            if mark != "delta":
                self.ended.append(block)
                self.open = None


def read(told: Sequence[Event]) -> None:
    reader = Reader()
    for event in told:
        reader.take(event)
    assert (reader.open, reader.in_step) == (None, False)


@pytest.mark.parametrize("wire", ["anthropic", "openai", "openrouter"])
async def test_blocks_never_overlap_and_follow_ups_come_between_steps(small_till: Till, wire: str):
    """4.4, 4.5, 7.1: a thought after words is a block of its own, since the first one was closed before the words."""
    gate = asyncio.Event()
    bye = Answer(turns=(("thinking", "So."), ("text", "Done.")))
    script = await small_till.play(wire, replace(WAVERING, gate=gate), bye)
    bridge = small_till.bridge
    turn_id = await bridge.start("look")
    await until(lambda: bool(script.asked))
    await bridge.chat.start_turn(bridge.stand.ann.actor, bridge.session_id, bridge.message("and be brief"))
    gate.set()
    assert await bridge.ended(turn_id) == "completed"
    told = await bridge.events()
    read(told)
    ends = [event for event in told if event.type in (events.REASONING_END, events.TEXT_END)]
    assert [str(event.data["text"]) for event in ends] == ["Let me see.", "I look.", "Which?", "Both.", "So.", "Done."]
    assert len({str(event.data["id"]) for event in ends}) == len(ends)
    marks = (events.START_STEP, events.FINISH_STEP, events.FOLLOW_UP)
    assert [event.type for event in told if event.type in marks] == [*marks, *marks[:2]]


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("wire", ["anthropic", "openai"])
async def test_a_call_that_breaks_off_and_is_made_again_keeps_the_order(small_till: Till, wire: str):
    """4.4, 4.5, 11.3: what comes meanwhile waits for the end of the step, also when the model is asked again."""
    gate = asyncio.Event()
    script = await small_till.play(
        wire, WAVERING, replace(WAVERING, tools=(), ends="early", gate=gate), Answer(text=("Done.",))
    )
    bridge = small_till.bridge
    turn_id = await bridge.start("look")
    await until(lambda: len(script.asked) == 2)
    await bridge.chat.start_turn(bridge.stand.ann.actor, bridge.session_id, bridge.message("and be brief"))
    gate.set()
    assert await bridge.ended(turn_id) == "completed"
    own = [event for event in await bridge.events() if event.turn_id == turn_id]
    read(own)
    await until(lambda: len(script.asked) == 4)  # what came meanwhile starts the next turn
    assert len([event for event in own if event.type == events.STEP_RESET]) == 1
