"""A model that answers by what it is told, not by how often it was asked: a call made again is answered alike."""

import re
import time
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from pilothouse.kit.json import Json, dumps
from tests.faults.place import Place
from tests.faults.scale import FULL
from tests.providers.script import Answer, Asked, Body, Refusal, Script, Tool
from tests.providers.server import provider

PAUSE = 0.04 if FULL else 0.02  # seconds between two pieces of an answer
_ERRAND = re.compile(r"errand ([es][0-9]{5}) ([a-z]+)")
_TALK = 3_000  # words of an answer that nobody hears to its end

Rounds: TypeAlias = Sequence[Answer]


def errand(tag: str, plan: str) -> str:
    """What the user says."""
    return f"errand {tag} {plan}"


def below(tag: str) -> str:
    """The tag of what an errand hands on to a session of its own."""
    return f"s{tag[1:]}"


@dataclass(slots=True)
class Mind(Script):
    """Answers errands; notes which rounds it was asked for, and when it wrote what."""

    answers: list[Answer | Refusal] = field(default_factory=list[Answer | Refusal])
    lines: Path = Path()  # the file that its tools append to
    rounds: Counter[tuple[str, int]] = field(default_factory=Counter[tuple[str, int]])
    first_word: dict[str, float] = field(default_factory=dict[str, float])  # wall clock, by errand
    last_word: dict[str, float] = field(default_factory=dict[str, float])
    words: Counter[str] = field(default_factory=Counter[str])
    listening: set[int] = field(default_factory=set[int])
    most_listening: int = 0

    def take(self, request: Asked) -> Answer | Refusal:
        if not _is_turn(request):
            return Answer(text=("An errand",))
        tag, plan, number = _place_of(request)
        self.rounds[tag, number] += 1
        self.listening.add(id(request))
        self.most_listening = max(self.most_listening, len(self.listening))
        rounds = PLANS[plan](self, tag)
        return rounds[number - 1] if number <= len(rounds) else Answer(text=("Noted.",))  # a word that came too late

    def wrote(self, request: Asked) -> None:
        if not _is_turn(request):
            return
        tag, now = _place_of(request)[0], time.time()
        self.first_word.setdefault(tag, now)
        self.last_word[tag] = now
        self.words[tag] += 1

    def over(self, request: Asked) -> None:
        self.listening.discard(id(request))


def _is_turn(request: Asked) -> bool:
    """Names for conversations are asked for without tools."""
    return bool(request.body.get("tools"))


def _place_of(request: Asked) -> tuple[str, str, int]:
    """The errand that was said last, its plan, and the round that is to be made: one answer each since then."""
    messages: list[Body] = request.body["messages"]
    told = [(message["role"], _ERRAND.findall(dumps(message["content"]))) for message in messages]
    last = max(at for at, (role, found) in enumerate(told) if role == "user" and found)
    tag, plan = told[last][1][-1]
    return tag, plan, 1 + sum(role == "assistant" for role, _ in told[last:])


def _call(tag: str, number: str, tool: str, **arguments: Json) -> Tool:
    return Tool(f"call_{tag}_{number}", tool, dumps(arguments))


def _lines(mind: Mind, tag: str, number: str, tool: str) -> Tool:
    return _call(tag, number, tool, path=str(mind.lines), text=f"{tag} {number}", seconds=2 * PAUSE)


def _thought(*tools: Tool, text: tuple[str, ...] = ()) -> Answer:
    return Answer(thinking=("Let me ", "see what ", "is next."), text=text, tools=tools, pause=PAUSE)


def by_tools(mind: Mind, tag: str) -> Rounds:
    """Parallel calls, one of which must not be made twice; then two that may; then the other one alone."""
    return (
        _thought(
            _lines(mind, tag, "1a", "append_line"),
            _lines(mind, tag, "1b", "append_once"),
            _call(tag, "1c", "find_block", query="add two numbers"),
            text=("First, ", "three ", "things."),
        ),
        _thought(_lines(mind, tag, "2a", "append_line"), _lines(mind, tag, "2b", "append_line")),
        _thought(_lines(mind, tag, "3a", "append_once"), text=("One ", "more.")),
        Answer(text=("All ", "is ", "done."), pause=PAUSE),
    )


def by_run(mind: Mind, tag: str) -> Rounds:
    """Waits for a run with effects of its own, asleep."""
    run = _call(tag, "1b", "run_agent", agent_name="effects", inputs={"n": 1}, wait_for_result=120)
    return (
        _thought(_lines(mind, tag, "1a", "append_once"), run, text=("I ", "run it.")),
        _thought(_lines(mind, tag, "2a", "append_line")),
        Answer(text=("It ", "ran."), pause=PAUSE),
    )


def by_parking(mind: Mind, tag: str) -> Rounds:
    """Does not wait for the end of a run that takes long."""
    run = _call(tag, "1a", "run_agent", agent_name="sleeper", inputs={"n": 1}, wait_for_result=1)
    return (
        _thought(run),
        _thought(_lines(mind, tag, "2a", "append_line")),
        Answer(text=("It ", "goes on."), pause=PAUSE),
    )


def by_delegating(mind: Mind, tag: str) -> Rounds:
    """Waits for a session of its own, asleep."""
    task = errand(below(tag), "aside")
    delegated = _call(tag, "1b", "run_sub_session", prompt=task, wait_for_result=120)
    return (
        _thought(_lines(mind, tag, "1a", "append_once"), delegated, text=("Another ", "does it.")),
        _thought(_lines(mind, tag, "2a", "append_line")),
        Answer(text=("It ", "was ", "done."), pause=PAUSE),
    )


def by_the_way(mind: Mind, tag: str) -> Rounds:
    """What the session below does. All of it may be repeated: the session above shows how each call ended."""
    return (
        _thought(_lines(mind, tag, "1a", "append_line"), _lines(mind, tag, "1b", "append_line")),
        Answer(text=("Done ", "aside."), pause=PAUSE),
    )


def by_hearing(mind: Mind, tag: str) -> Rounds:
    """Goes on for a while, so that more can be said meanwhile."""
    return (
        _thought(_lines(mind, tag, "1a", "append_line"), text=("I ", "begin.")),
        _thought(_lines(mind, tag, "2a", "append_once"), _lines(mind, tag, "2b", "append_line")),
        _thought(_lines(mind, tag, "3a", "append_line")),
        Answer(text=("I ", "heard."), pause=PAUSE),
    )


def by_talking(mind: Mind, tag: str) -> Rounds:
    return (Answer(text=(f"{tag} ",) * _TALK, pause=0.02),)


def by_a_word(mind: Mind, tag: str) -> Rounds:
    return (Answer(text=(f"{tag} ", "it is."), pause=0.1),)


PLANS: dict[str, Callable[[Mind, str], Rounds]] = {
    "tools": by_tools,
    "run": by_run,
    "parking": by_parking,
    "delegating": by_delegating,
    "aside": by_the_way,
    "followed": by_hearing,
    "talking": by_talking,
    "word": by_a_word,
}


@dataclass(slots=True)
class _Connected:
    """What a place is told, by the wire that is spoken there."""

    wire: str
    url_name: str
    model: str
    more: dict[str, str]


_EMBEDDED = _Connected("openai", "OLLAMA_BASE_URL", "ollama/test", {})
_SCALED = _Connected("anthropic", "ANTHROPIC_BASE_URL", "anthropic/test", {"ANTHROPIC_API_KEY": "sk-loopback"})


@asynccontextmanager
async def open_mind(place: Place) -> AsyncGenerator[tuple[Mind, Place]]:
    """A provider in this process, and the place with it connected: another wire on each profile."""
    way = _EMBEDDED if place.embedded else _SCALED
    mind = Mind(lines=place.folder / "lines.txt")
    async with provider(mind, way.wire) as url:
        told = {way.url_name: url, "CHAT_MODEL": way.model, **way.more}
        yield mind, replace(place, extra={**place.extra, **told})


def appended(mind: Mind) -> Counter[str]:
    """How often each call appended its line, by key."""
    if not mind.lines.exists():
        return Counter()
    return Counter(line.partition(" ")[0] for line in mind.lines.read_text().splitlines())
