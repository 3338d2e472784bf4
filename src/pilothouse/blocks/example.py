"""Examples: a block's promise in plain values, run as tests and used by dry runs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from pilothouse.blocks.credentials import Credential
from pilothouse.kit.errors import PilothouseError
from pilothouse.kit.json import Json, JsonObject
from pilothouse.kit.outside import RawMail, Rows, ToolAnswer


@dataclass(frozen=True, slots=True)
class Reply:
    """One prepared HTTP answer of an example."""

    status: int
    body: str | bytes | JsonObject | list[Json] = ""
    headers: dict[str, str] = field(default_factory=dict[str, str])


def reply(status: int, body: str | bytes | JsonObject | list[Json] = "", **headers: str) -> Reply:
    """An answer the example's HTTP gives, in order; `content_type="text/html"` names a header."""
    return Reply(status, body, {name.replace("_", "-").lower(): value for name, value in headers.items()})


@dataclass(frozen=True, slots=True)
class LeftFile:
    """A file that the program of an example left."""

    path: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Ran:
    """How the program of an example ended."""

    code: int | None = 0
    stopped: str | None = None
    stdout: str = ""
    stderr: str = ""
    result: JsonObject | None = None
    files: tuple[LeftFile, ...] = ()


# What a mail server, a database or a tool server says in an example; None: a mail was taken.
Said: TypeAlias = list[RawMail] | Rows | ToolAnswer | PilothouseError | None

Expected: TypeAlias = Json | type | Callable[[Json], bool]


@dataclass(frozen=True, slots=True)
class Example:
    """Asked this, the block fires exactly that: a value, a type or a predicate per pin. Runs as a test.

    `fails` is the code of an example that ends by raising. The first example must hold plain values: dry runs use it.
    """

    ask: JsonObject
    fires: list[tuple[str, Expected]] = field(default_factory=list[tuple[str, Expected]])
    http: list[Reply] = field(default_factory=list[Reply])
    ran: list[Ran] = field(default_factory=list[Ran])  # what became of the programs that the block has run
    outside: list[Said] = field(default_factory=list[Said])
    fails: str | None = None
    # What its pins name; of no real account.
    credentials: Mapping[str, Credential] = field(default_factory=dict[str, Credential])


def plain(example: Example) -> JsonObject:
    """The example as the index keeps it; expectations that are no plain values are left out."""
    fires: list[Json] = [[pin, value] for pin, value in example.fires if not callable(value)]
    return {"ask": example.ask, "fires": fires}
