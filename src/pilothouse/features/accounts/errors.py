"""What can go wrong with accounts."""

from pilothouse.kit.errors import Conflict, Forbidden, Gone, NotFound, Unauthenticated


class SignInRefused(Unauthenticated):
    """The mail address or the password is wrong."""

    wire_code = "unauthenticated"
    hint = "An administrator can set a new password with `pilothouse user reset-password`."


class PasswordWrong(Forbidden):
    """The present password is wrong."""

    wire_code = "forbidden"


class SetupDone(Gone):
    """This installation has an owner already."""

    hint = "Sign in instead."


class SetupLinkExpired(Gone):
    """This set-up link is used up, expired or unknown."""

    wire_code = "expired"
    hint = "Run `pilothouse owner-link` for a new one."


class MailTaken(Conflict):
    """Somebody has this mail address already."""

    wire_code = "already_exists"


class UserNotFound(NotFound):
    """There is no such user."""


class SessionNotFound(NotFound):
    """There is no such session."""


class ApiKeyNotFound(NotFound):
    """There is no such API key."""


class LimitNotYours(Forbidden):
    """Only the owner and administrators set the rate limit of a key."""

    wire_code = "forbidden"


class OwnerStays(Conflict):
    """The owner cannot be disabled or given another role."""

    wire_code = "conflict"


class OwnerMissing(Conflict):
    """This installation has no owner yet."""

    wire_code = "conflict"
    hint = "Make one with the link that `pilothouse owner-link` prints, or name a user with --user."
