"""When a model runs in circles: judged from the turn's own events. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from pilothouse.base.tools import Tool
from pilothouse.features.chat import Event, events
from pilothouse.kit.json import Json

EMPTY_CALLS: Final = 5  # in a row, of tools that need arguments
TOLD_TO_STOP: Final = 3  # the n-th identical failing call is not made, but answered
ENDS_THE_TURN: Final = 5
STOP_AND_ASK: Final = "This very call has failed before. Do not make it again: say what is wrong, and ask the user."


@dataclass(slots=True)
class Attempt:
    """A call of this turn."""

    tool: str
    asked: Json
    failed: bool = False


def attempts(own: Iterable[Event]) -> list[Attempt]:
    """The turn's calls, in their order."""
    made: dict[str, Attempt] = {}
    for event in own:
        call_id = str(event.data.get("tool_call_id", ""))
        if event.type == events.TOOL_INPUT_AVAILABLE:
            made[call_id] = Attempt(str(event.data["tool"]), event.data["input"])
        elif call_id in made:
            failed = event.type == events.TOOL_OUTPUT_ERROR or event.data.get("success") is False
            made[call_id].failed = made[call_id].failed or failed
    return list(made.values())


def failures_like(own: Iterable[Event], tool: str, asked: Json) -> int:
    """How often exactly this has failed in the turn."""
    return sum(one.failed and one.tool == tool and one.asked == asked for one in attempts(own))


def tripped(own: Iterable[Event], tools: Mapping[str, Tool]) -> tuple[str, str] | None:
    """The code and the words with which the turn must end, if it must."""
    made = attempts(own)
    last = made[-EMPTY_CALLS:]
    if len(last) == EMPTY_CALLS and all(one.asked == {} and _needs_some(tools.get(one.tool)) for one in last):
        return "circuit_breaker_empty_tool_calls", "The model kept calling tools without saying what to do."
    if any(_same_failures(made, one) >= ENDS_THE_TURN for one in made):
        return "repeated_tool_failure", "The model made the same failing call again and again."
    return None


def _same_failures(made: list[Attempt], like: Attempt) -> int:
    return sum(one.failed and one.tool == like.tool and one.asked == like.asked for one in made) if like.failed else 0


def _needs_some(tool: Tool | None) -> bool:
    return tool is not None and any(about.is_required() for about in tool.arguments.model_fields.values())
