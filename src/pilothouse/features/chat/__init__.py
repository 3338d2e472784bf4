"""Chat: AutoPilot's sessions and turns as rows and events. What answers is not here, but in `autopilot`."""

from pilothouse.features.chat import events
from pilothouse.features.chat.background import Background
from pilothouse.features.chat.cancelling import Cancelled
from pilothouse.features.chat.closing import OpenParts, closing_events
from pilothouse.features.chat.copies import for_model, whole_copy
from pilothouse.features.chat.errors import SessionNotFound, TurnLimit
from pilothouse.features.chat.events import Draft, Event
from pilothouse.features.chat.limits import KIND, MAX_ATTEMPTS, MAX_BACKGROUND_TASKS, MAX_TOOL_TEXT, user_channel
from pilothouse.features.chat.lines import Lines
from pilothouse.features.chat.piloting import BlockPilot
from pilothouse.features.chat.queries import builder_session_of
from pilothouse.features.chat.reaching import RUN, SUB_SESSION
from pilothouse.features.chat.reading import Conversations
from pilothouse.features.chat.service import Chat, MessagePending, TurnBegun
from pilothouse.features.chat.trimming import Trimming
from pilothouse.features.chat.turnlog import TurnLog
from pilothouse.features.chat.turns import Drive, OpenTurn, SessionFacts, StopRun, TurnFacts, Turns
from pilothouse.features.chat.writes import parking
from pilothouse.features.chat.writes.keeping import Slept
from pilothouse.features.chat.writes.messages import Message, follow_up_of
from pilothouse.features.chat.writes.parking import Parked
from pilothouse.features.chat.writes.sessions import NewSession

__all__ = [
    "KIND",
    "MAX_ATTEMPTS",
    "MAX_BACKGROUND_TASKS",
    "MAX_TOOL_TEXT",
    "RUN",
    "SUB_SESSION",
    "Background",
    "BlockPilot",
    "Cancelled",
    "Chat",
    "Conversations",
    "Draft",
    "Drive",
    "Event",
    "Lines",
    "Message",
    "MessagePending",
    "NewSession",
    "OpenParts",
    "OpenTurn",
    "Parked",
    "SessionFacts",
    "SessionNotFound",
    "Slept",
    "StopRun",
    "Trimming",
    "TurnBegun",
    "TurnFacts",
    "TurnLimit",
    "TurnLog",
    "Turns",
    "builder_session_of",
    "closing_events",
    "events",
    "follow_up_of",
    "for_model",
    "parking",
    "user_channel",
    "whole_copy",
]
