"""What can go wrong with a conversation."""

from pilothouse.kit.errors import Conflict, Invalid, NotFound, PilothouseError, RateLimited, Unavailable


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


class TurnActive(Conflict):
    """The session is busy with another turn."""

    hint = "Wait until it has ended, or cancel it."


class NothingToRetry(Conflict):
    """The session's last turn did not fail."""

    hint = "Send a new message."


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


class BackgroundUnnamed(Invalid):
    """Say which work: give `background_id`, or `list`."""

    wire_code = "missing_background_id"


class BackgroundNotFound(NotFound):
    """There is no such background work, or its result was given already."""


class CallNotFound(NotFound):
    """This session has no result of such a call."""


class NestingLimit(Conflict):
    """Sub-sessions nest at most three deep."""

    hint = "Do this task here instead of delegating it further."


class ParentOver(Conflict):
    """The turn that delegates this was stopped."""


class WouldCycle(Conflict):
    """This session is the caller itself, or waits for it."""


class DryRunLeft(Conflict):
    """A dry run cannot go on in a session that acts for real."""


class EventBeyondHead(Conflict):
    """The log does not reach that far yet."""

    wire_code = "conflict"


class MessageNotKept(Unavailable):
    """The message could not be kept."""

    wire_code = "unavailable"


# Why a message or a retry was refused, by the word that the transaction answers with.
DENIED: dict[str, type[PilothouseError]] = {
    "absent": SessionNotFound,
    "parent_over": ParentOver,
    "turn_limit": TurnLimit,
    "pending_full": PendingFull,
    "pending_too_long": PendingTooLong,
    "too_many_pushes": TooManyPushes,
    "turn_active": TurnActive,
    "nothing_to_retry": NothingToRetry,
}
