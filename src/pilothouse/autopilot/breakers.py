"""When a model runs in circles: judged from the turn's own events. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from pilothouse.base.tools import Tool
from pilothouse.features.chat import Event, events
from pilothouse.kit.json import Json

EMPTY_CALLS: Final = 5  # in a row, of tools that need arguments
TOLD_TO_STOP: Final = 3  # the n-th identical failing call is not made, but answered
ENDS_THE_TURN: Final = 5
REPEATED: Final = "repeated_tool_failure"
STOP_AND_ASK: Final = "This very call has failed before. Do not make it again: say what is wrong, and ask the user."


@dataclass(slots=True)
class Attempt:
    """A call of this turn."""

    tool: str
    asked: Json
    failed: bool = False


def attempts(own: Iterable[Event]) -> dict[str, Attempt]:
    """The turn's calls by their ids, in their order."""
    made: dict[str, Attempt] = {}
    for event in own:
        call_id = str(event.data.get("tool_call_id", ""))
        if event.type == events.TOOL_INPUT_AVAILABLE:
            made[call_id] = Attempt(str(event.data["tool"]), event.data["input"])
        elif call_id in made:
            failed = event.type == events.TOOL_OUTPUT_ERROR or event.data.get("success") is False
            made[call_id].failed = made[call_id].failed or failed
    return made


def failures_like(own: Iterable[Event], call_id: str) -> int:
    """How often exactly what this call asks for has failed in the turn."""
    made = attempts(own)
    return _same_failures(made.values(), made[call_id])


def tripped(own: Iterable[Event], tools: Mapping[str, Tool]) -> tuple[str, str] | None:
    """The code and the words with which the turn must end, if it must."""
    made = attempts(own).values()
    if _longest_row(one.asked == {} and _needs_some(tools.get(one.tool)) for one in made) >= EMPTY_CALLS:
        return "circuit_breaker_empty_tool_calls", "The model kept calling tools without saying what to do."
    if any(one.failed and _same_failures(made, one) >= ENDS_THE_TURN for one in made):
        return REPEATED, "The model made the same failing call again and again."
    return None


def _same_failures(made: Iterable[Attempt], like: Attempt) -> int:
    return sum(one.failed and one.tool == like.tool and one.asked == like.asked for one in made)


def _longest_row(found: Iterable[bool]) -> int:
    """Of those in a row; calls of one round stand in a row too, and others may stand behind them."""
    return max((len(list(row)) for holds, row in groupby(found) if holds), default=0)


def _needs_some(tool: Tool | None) -> bool:
    return tool is not None and any(about.is_required() for about in tool.arguments.model_fields.values())
