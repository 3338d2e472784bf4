"""How a mail server, a database or a tool server says no."""

from pilothouse.kit.errors import Invalid, UpstreamRefused


class SignInRefused(UpstreamRefused):
    """The server refused this user name or password."""

    wire_code = "sign_in_refused"


class NotEncrypted(UpstreamRefused):
    """The server offers no encryption that can be trusted, so nothing was sent to it."""

    wire_code = "not_encrypted"


class MailRefused(UpstreamRefused):
    """The mail server did not take this mail."""

    wire_code = "mail_refused"


class MailUncertain(UpstreamRefused):
    """The connection broke after the mail was handed over: it may have been sent."""

    wire_code = "mail_uncertain"


class FolderNotFound(UpstreamRefused):
    """This mailbox has no such folder."""

    wire_code = "folder_not_found"


class QueryRefused(UpstreamRefused):
    """The database did not run this statement."""

    wire_code = "query_refused"


class QueryTooSlow(UpstreamRefused):
    """The statement took longer than it may."""

    wire_code = "query_too_slow"


class QueryUncertain(UpstreamRefused):
    """The connection broke while the database was to keep what the statement did: it may have been kept."""

    wire_code = "query_uncertain"


class ControlCharacter(Invalid):
    """A name or password holds a control character, which no server could tell from a command."""

    wire_code = "control_character"


class ToolRefused(UpstreamRefused):
    """The tool server did not do what it was asked."""

    wire_code = "tool_refused"


def said(text: bytes | str) -> str:
    """What a server said, on one line and not too long."""
    plain = text.decode(errors="replace") if isinstance(text, bytes) else text
    return " ".join("".join(mark if mark.isprintable() else " " for mark in plain).split())[:300]


def refuse_controls(*texts: str) -> None:
    """Raise `ControlCharacter` for what could smuggle a second command into a line."""
    if any(ord(mark) < 32 or ord(mark) == 127 for text in texts for mark in text):
        raise ControlCharacter()
