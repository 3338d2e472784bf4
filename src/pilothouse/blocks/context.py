"""What a block may use of the world: its ids, its clock, a guarded client. Wired in `app`."""

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from random import Random
from typing import Literal, Protocol, TypeAlias

from pilothouse.kit.json import Json


class HttpReply(Protocol):
    """A whole answer, read within the body cap and with its content decoded."""

    @property
    def status(self) -> int: ...
    @property
    def headers(self) -> Mapping[str, str]: ...  # names in lower case
    @property
    def url(self) -> str: ...  # where the answer came from, after redirects
    @property
    def content(self) -> bytes: ...
    @property
    def text(self) -> str: ...
    def json(self) -> Json: ...  # raises ValueError when the body is not JSON


class Http(Protocol):
    """The only way out: refuses private addresses, caps bodies, re-checks every redirect."""

    async def request(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        json: Json = None,
        content: bytes | None = None,
        timeout: float | None = None,
        max_bytes: int | None = None,
    ) -> HttpReply: ...


class BlockLog(Protocol):
    """The run's own log; keyword values are JSON."""

    def info(self, message: str, **facts: Json) -> None: ...
    def warning(self, message: str, **facts: Json) -> None: ...


Scope: TypeAlias = Literal["run", "agent", "user"]


class Memory(Protocol):
    """Values by name that outlive the step: those of this run, of the agent over all its runs, or of the person.

    What a step puts is committed together with what it fires, when it ends or waits; a step that fails puts nothing.
    """

    async def get(self, key: str, scope: Scope, default: Json = None) -> Json:
        """What was put last, by this run or by one that committed it; `default` when nothing was."""
        ...

    def put(self, key: str, value: Json, scope: Scope) -> None:
        """Fails the step with `value_too_large` past 1 MB."""
        ...

    def alone(self) -> AbstractAsyncContextManager[None]:
        """For steps that change a value by what it was: one of them at a time, in this run."""
        ...


class BlockContext(Protocol):
    """Handed to every block. Clock and randomness come from here so that a dry run can fix them."""

    @property
    def run_id(self) -> str: ...
    @property
    def node_id(self) -> str: ...
    @property
    def step_id(self) -> str: ...
    @property
    def attempt(self) -> int: ...  # 1 at the first try
    @property
    def random(self) -> Random: ...
    @property
    def http(self) -> Http: ...
    @property
    def log(self) -> BlockLog: ...
    @property
    def memory(self) -> Memory: ...

    def now(self) -> datetime: ...

    async def timezone(self) -> str:
        """Of the person whose run it is, an IANA name."""
        ...

    def idempotency_key(self, label: str = "") -> str:
        """Equal over crashes and retries of this step; another in every other step, re-run and fork."""
        ...

    def progress(self, message: str, fraction: float | None = None) -> None: ...

    async def wait_timer(self, until: datetime) -> datetime:
        """Wait durably, holding no worker; give back the moment this wait was first due.

        The n-th wait of a step is the same wait whenever the step is repeated: one that is over returns at once
        with the moment recorded first, so that a block which counts on from it does not drift.
        """
        ...

    def skip_laps(self, pin: str) -> int:
        """For a loop that waits in each lap: how often this pin fired in the laps that are over.

        They are not gone through again: what the block fires now comes after them.
        """
        ...

    async def wait_fact(self, name: str) -> Json:
        """Wait durably for somebody to send the run a fact of this name, and give its value back."""
        ...
