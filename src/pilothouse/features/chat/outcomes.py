"""What a turn of another session came to, read from that session's log."""

from typing import Literal, NamedTuple, cast

from pilothouse.base.actor import Actor
from pilothouse.base.jobs.moves import micros
from pilothouse.base.reader import Reader
from pilothouse.features.chat import events, queries
from pilothouse.features.chat.events import CANCELLED, COMPLETED, Event
from pilothouse.features.chat.fold import fold
from pilothouse.features.chat.limits import PROGRESS_CHARACTERS, PROGRESS_MESSAGES
from pilothouse.kit.json import Json, JsonObject

AT_MOST = 200_000  # events of a log that are looked at


class TurnOutcome(NamedTuple):
    """How a turn stands. `status` is running while it has not ended."""

    status: Literal["running", "completed", "cancelled", "error"]
    response: str
    tool_calls: list[JsonObject]
    error: str | None
    elapsed_seconds: int


NOTHING = TurnOutcome("error", "", [], "There is no turn in this session.", 0)

SILENCE = TurnOutcome("cancelled", "", [], None, 0)


async def outcome_of(reader: Reader, actor: Actor, session_id: str, turn_id: str) -> TurnOutcome:
    """Raises `SessionNotFound` when it is not theirs, or gone."""
    span = await queries.get_turn(reader, actor, session_id, turn_id)
    log = await queries.read_events(reader, session_id, span.first - 1, AT_MOST)
    return outcome([event for event in log if event.turn_id == turn_id], micros())


def outcome(own: list[Event], now: int) -> TurnOutcome:
    """From the events of one turn. Pure. While it works nothing is read of what it has said so far."""
    began = own[0].created_at if own else now
    ended = next((event for event in own if event.type == events.TURN_ENDED), None)
    elapsed = ((ended.created_at if ended is not None else now) - began) // 1_000_000
    if ended is None:
        return TurnOutcome("running", "", [], None, elapsed)
    answer = next((one for one in fold(own) if one["role"] == "assistant"), None)
    parts = cast(list[JsonObject], answer["parts"]) if answer is not None else []
    response = "\n\n".join(str(part["text"]) for part in parts if part["type"] == "text")
    calls = [_call(part) for part in parts if part["type"] == "tool"]
    status = cast(str, ended.data["status"])
    if status == COMPLETED:
        return TurnOutcome("completed", response, calls, None, elapsed)
    if status == CANCELLED:
        return TurnOutcome("cancelled", response, calls, None, elapsed)
    told = [str(event.data["message"]) for event in own if event.type == events.ERROR]
    return TurnOutcome("error", response, calls, " ".join([*told, response]).strip() or "It failed.", elapsed)


def _call(part: JsonObject) -> JsonObject:
    return {
        "tool_call_id": part["tool_call_id"],
        "tool_name": part["tool"],
        "input": part["input"],
        "output": part["output"] if part["error"] is None else part["error"],
        "success": part["success"],
    }


async def progress_of(reader: Reader, session_id: str) -> JsonObject | None:
    """How many messages there are and how the last few begin; None when they cannot be read."""
    try:
        messages = fold(await queries.read_events(reader, session_id, 0, AT_MOST))
        last: list[Json] = [_brief(message) for message in messages[-PROGRESS_MESSAGES:]]
    except (AttributeError, KeyError, TypeError, ValueError):  # each an event of another shape than ours
        return None
    return {"message_count": len(messages), "last_messages": last}


def _brief(message: JsonObject) -> JsonObject:
    parts = cast(list[JsonObject], message.get("parts", []))
    said = message.get("text") or " ".join(str(part["text"]) for part in parts if part["type"] == "text")
    return {"role": message["role"], "content": str(said)[:PROGRESS_CHARACTERS]}
