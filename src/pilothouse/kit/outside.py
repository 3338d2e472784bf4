"""What is asked of mail servers, databases and tool servers, and what they answer: plain values, with no wire in them.

`blocks` ask with these and `base` answers with them; the two do not know each other.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Literal

from pilothouse.kit.json import Json, JsonObject


@dataclass(frozen=True, slots=True)
class Login:
    """Where to go, and as whom."""

    host: str
    port: int
    username: str
    password: str = field(repr=False)
    tls_first: bool = True  # else the connection begins in the clear and is encrypted before anything is told


@dataclass(frozen=True, slots=True)
class Letter:
    """A whole mail in the form in which it travels; who sees it is said by `recipients`, not by its headers."""

    sender: str
    recipients: Sequence[str]
    content: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class MailSearch:
    """Which mails of a folder to read: the newest `limit` of those that fit."""

    folder: str = "INBOX"
    unseen_only: bool = False
    since: date | None = None
    limit: int = 10
    max_bytes: int = 2_000_000  # of one mail; what is larger comes without its end


@dataclass(frozen=True, slots=True)
class RawMail:
    """A mail as it lies in the folder."""

    uid: int
    seen: bool
    size: int  # of the whole mail, also where `content` lacks its end
    content: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class DatabaseQuery:
    """One statement, and how much of its answer is wanted."""

    kind: Literal["postgres", "sqlite"]
    database: str
    statement: str
    params: Sequence[Json] = ()
    read_only: bool = True
    tls: Literal["verify", "unverified", "off"] = "verify"
    timeout: float = 30.0
    max_rows: int = 1000


@dataclass(frozen=True, slots=True)
class Rows:
    """What a statement gave. `affected` counts rows that it wrote; None when it only read."""

    columns: Sequence[str]
    rows: Sequence[JsonObject]
    truncated: bool = False
    affected: int | None = None


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of one tool of a server."""

    url: str
    tool: str
    arguments: JsonObject
    token: str | None = field(default=None, repr=False)
    key: str = ""  # equal when the same call is repeated after a crash
    timeout: float = 60.0


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a tool gave; `failed` when the tool itself says that it could not do its work."""

    value: Json
    failed: bool = False
