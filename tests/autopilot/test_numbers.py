"""AutoPilot's numbers, copied from the promise: whoever changes one changes what people were told.

Each is read where the product uses it, so that a copy of a number cannot part from its original.
"""

import inspect
from collections.abc import Callable
from dataclasses import fields

import pytest
from pydantic import BaseModel, ValidationError

from pilothouse.autopilot import breakers, builder, compaction, context, faults, pictures, rounds, stream
from pilothouse.autopilot import titles as naming
from pilothouse.autopilot.room import Room
from pilothouse.autopilot.turn import AutoPilot
from pilothouse.base import deferred
from pilothouse.base.http.sse import EventStream
from pilothouse.base.jobs import claims
from pilothouse.base.settings import Settings
from pilothouse.base.tools import ToolBox
from pilothouse.blocks import autopilot as block
from pilothouse.features.chat import cancelling, copies, delegating, outcomes, present, reading, schemas
from pilothouse.features.chat import piloting as asked_by_blocks
from pilothouse.features.chat import turns as chat_turns
from pilothouse.features.chat.routes import turns as doors
from pilothouse.features.chat.writes import parking, starting
from pilothouse.features.runs import piloting


def of_setting(name: str) -> object:
    """What holds where nothing is configured."""
    return Settings.model_fields[name].default


def of_parameter(function: Callable[..., object], name: str) -> object:
    return inspect.signature(function).parameters[name].default


def of_field(kind: type[AutoPilot | Room], name: str) -> object:
    return next(field.default for field in fields(kind) if field.name == name)


def longest(model: type[BaseModel], name: str) -> int:
    """How long a field of a request may be."""
    schema = model.model_json_schema()["properties"][name]
    return schema.get("maxLength") or schema["maxItems"]


NUMBERS: dict[str, tuple[object, object]] = {
    "6.13 a tool's wait": (deferred.MAX_TOOL_WAIT_SECONDS, 300),
    "6.13 an idle stream": (of_field(AutoPilot, "idle_seconds"), 600),
    "8.2 a tool's budget": (of_parameter(ToolBox.tool, "timeout_seconds"), 300),
    "8.4 parked work of a session": (parking.MAX_BACKGROUND_TASKS, 32),
    "4.7 heartbeat": (doors.HEARTBEAT_SECONDS, 8),
    "4.7 captions": (reading.CAPTIONS, (10, 30, 60)),
    "4.8 a slow reader": (of_parameter(EventStream, "slow"), 5),
    "10.1 how often a cancel looks": (cancelling.CANCEL_POLL_SECONDS, 0.5),
    "10.1 how long a cancel looks": (cancelling.CANCEL_CONFIRM_SECONDS, 5),
    "10.3 a cancelled job's lease": (claims.CANCEL_MICROS, 2_000_000),
    "2.5 running turns of a user": (starting.MAX_RUNNING_TURNS, 5),
    "2.6 turns in flight": (starting.MAX_TURNS_IN_FLIGHT, 15),
    "9.1 messages that wait": (starting.MAX_PENDING_MESSAGES, 10),
    "9.1 pushes": (starting.PENDING_CALL_LIMIT, 30),
    "9.1 in a window of": (starting.PENDING_WINDOW_MICROS, 60_000_000),
    "9.1 a message that waits": (starting.MAX_PENDING_MESSAGE, 32_000),
    "2.2 a message": (longest(schemas.MessageIn, "message"), 64_000),
    "2.2 files of a message": (longest(schemas.MessageIn, "file_ids"), 20),
    "2.2 a page's address": (longest(schemas.PageContext, "url"), 2_000),
    "2.2 a page's content": (longest(schemas.PageContext, "content"), 32_000),
    "2.11 a picture": (pictures.MAX_BYTES, 20 * 1024 * 1024),
    "9.6 a follow-up": (context.FOLLOW_UP_EACH, 2_000),
    "9.6 all follow-ups": (context.FOLLOW_UP_TOTAL, 6_000),
    "8.8 a tool's text for the model": (copies.MAX_TOOL_TEXT, 70_000),
    "8.8 a live frame": (present.MAX_FRAME, 64 * 1024),
    "3.4 characters of a delta": (stream.DELTA_CHARACTERS, 64),
    "3.4 seconds of a delta": (stream.DELTA_SECONDS, 0.05),
    "6.8 nodes of a snapshot": (builder.MAX_NODES, 100),
    "6.8 links of a snapshot": (builder.MAX_LINKS, 200),
    "6.9 rounds": (rounds.MAX_ROUNDS, 100),
    "11.4 attempts": (rounds.ATTEMPTS, 3),
    "11.4 backoff": (faults.MAX_BACKOFF_SECONDS, 30),
    "11.5 what is tried on overflow": (compaction.TARGETS, (50_000, 5_000)),
    "11.6 empty calls": (breakers.EMPTY_CALLS, 5),
    "11.6 identical failures, told": (breakers.TOLD_TO_STOP, 3),
    "11.6 identical failures, ended": (breakers.ENDS_THE_TURN, 5),
    "11.7 attempts of a turn": (chat_turns.MAX_ATTEMPTS, 3),
    "12.2 how long a marker holds": (of_setting("prompt_cache_ttl"), "1h"),
    "12.3 share of the window": (compaction.WINDOW_SHARE, 0.7),
    "12.3 seconds of a summary": (of_field(AutoPilot, "summary_seconds"), 60),
    "12.3 and of a room's": (of_field(Room, "seconds"), 60),
    "7.4 thinking": (of_setting("thinking_budget_tokens"), 8192),
    "1.9 words of a title": (naming.MAX_WORDS, 6),
    "1.9 characters of a title": (naming.MAX_CHARACTERS, 50),
    "1.9 of the first words": (starting.TITLE_LENGTH, 50),
    "15.5 messages of progress": (outcomes.PROGRESS_MESSAGES, 5),
    "15.5 characters of each": (outcomes.PROGRESS_CHARACTERS, 400),
    "15.6 nesting of sub-sessions": (delegating.MAX_NESTING, 3),
    "15.6 nesting of blocks": (asked_by_blocks.MAX_NESTING, 3),
    "15.7 the block's time": (block.MAX_SECONDS, 21_600),
    "15.7 and its run's": (piloting.MAX_SECONDS, 21_600),
    "13.7 a day, while nobody is billed": (of_setting("autopilot_daily_cost_limit_microdollars"), 0),
    "13.7 a week": (of_setting("autopilot_weekly_cost_limit_microdollars"), 0),
    "13.7 a turn": (of_setting("turn_cost_ceiling_microdollars"), 0),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_is_as_promised(name: str):
    """The table of constants, and the numbers of 1.9, 2.11, 6.8, 12.3 and 15.5."""
    number, promised = NUMBERS[name]
    assert number == promised


@pytest.mark.parametrize(("tokens", "fits"), [(0, True), (128_000, True), (128_001, False), (-1, False)])
def test_a_thinking_budget_has_bounds(tokens: int, fits: bool):
    """7.4"""
    ask = {"thinking_budget_tokens": tokens}
    if fits:
        assert Settings.model_validate(ask).thinking_budget_tokens == tokens
    else:
        with pytest.raises(ValidationError):
            Settings.model_validate(ask)
