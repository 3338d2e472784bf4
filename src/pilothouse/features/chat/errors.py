"""What can go wrong with a conversation."""

from pilothouse.kit.errors import Conflict, Invalid, NotFound, RateLimited, Unavailable


class SessionNotFound(NotFound):
    """There is no such session."""


class MessageNotFound(NotFound):
    """There is no such message."""


class MessageConsumed(Conflict):
    """This message was taken into a turn already."""

    wire_code = "conflict"


class MessageIdTaken(Conflict):
    """This message_id was used with another text."""

    wire_code = "idempotency_conflict"
    hint = "Use a new message_id for a new message."


class TurnLimit(RateLimited):
    """Too many turns are under way."""

    hint = "Wait until one of them has ended, or cancel one."


class PendingFull(RateLimited):
    """This session has as many pending messages as it can keep."""

    hint = "Wait until the running turn has taken them, or take one back."


class PendingTooLong(Invalid):
    """A message to a busy session may have at most 32,000 characters."""

    wire_code = "pending_too_long"
    hint = "Send it when the turn has ended, or shorten it."


class TooManyPushes(RateLimited):
    """Too many messages were sent to busy sessions within a minute."""

    wire_code = "rate_limited"


class EventBeyondHead(Conflict):
    """The log does not reach that far yet."""

    wire_code = "conflict"


class MessageNotKept(Unavailable):
    """The message could not be kept."""

    wire_code = "unavailable"
