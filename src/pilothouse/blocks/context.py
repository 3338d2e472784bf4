"""What a block may use of the world: its ids, its clock, a guarded client. Wired in `app`."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime
from random import Random
from typing import Literal, Protocol, TypeAlias

from pilothouse.blocks.credentials import Credential
from pilothouse.blocks.files import Files
from pilothouse.blocks.outside import Outside
from pilothouse.blocks.sandbox import Sandbox
from pilothouse.kit.json import Json, JsonObject


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
        private: Mapping[str, str] | None = None,  # for this origin alone: gone when it redirects to another
        json: Json = None,
        content: bytes | None = None,
        timeout: float | None = None,
        max_bytes: int | None = None,
    ) -> HttpReply: ...


class BlockLog(Protocol):
    """The run's own log; keyword values are JSON."""

    def info(self, message: str, **facts: Json) -> None: ...
    def warning(self, message: str, **facts: Json) -> None: ...


@dataclass(frozen=True, slots=True)
class ChildOrder:
    """A run of another agent; masks are by that agent's node ids."""

    agent_id: str
    version: int
    inputs: JsonObject
    masks: Mapping[str, JsonObject] = field(default_factory=dict[str, JsonObject])


@dataclass(frozen=True, slots=True)
class Question:
    """What a person is asked: to let `data` pass, perhaps changed."""

    name: str
    data: Json
    editable: bool = True
    instructions: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """What a person said. `data` is what was approved, or what was refused."""

    approved: bool
    data: Json
    message: str | None = None
    automatic: bool = False  # nobody was asked, for the agent's settings do not want that


@dataclass(frozen=True, slots=True)
class PilotOrder:
    """A task for AutoPilot. `permissions` is a filter of tools and blocks; the run's own limits count beside it."""

    prompt: str
    context: str = ""  # the caller's own words
    session_id: str = ""  # a session to go on with; empty: a new one
    max_depth: int = 3
    permissions: JsonObject | None = None
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class PilotAnswer:
    """What AutoPilot did and said."""

    session_id: str
    response: str
    tool_calls: list[JsonObject]  # tool_call_id, tool_name, input, output, success
    conversation: list[JsonObject]  # role and content, oldest first
    prompt_tokens: int
    completion_tokens: int


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
    def is_last_attempt(self) -> bool: ...  # after it the step's policy tries no more
    @property
    def random(self) -> Random: ...
    @property
    def http(self) -> Http: ...
    @property
    def outside(self) -> Outside: ...  # mail servers, databases, tool servers
    @property
    def log(self) -> BlockLog: ...
    @property
    def memory(self) -> Memory: ...
    @property
    def files(self) -> Files: ...
    @property
    def sandbox(self) -> Sandbox: ...
    @property
    def credentials(self) -> Mapping[str, Credential]:
        """What the step's credentials pins name, opened, by pin; a pin that names none is not there."""
        ...

    def now(self) -> datetime: ...

    async def timezone(self) -> str:
        """Of the person whose run it is, an IANA name."""
        ...

    def idempotency_key(self, label: str = "") -> str:
        """Equal over crashes and retries of this step; another in every other step, re-run and fork."""
        ...

    def progress(self, message: str, fraction: float | None = None) -> None: ...

    def spend(self, provider: str, microdollars: int, tokens: Mapping[str, int] | None = None) -> None:
        """Say what this step costs; it stands in the statistics of the run, and of the runs above it."""
        ...

    @property
    def kept(self) -> Json:
        """What the block kept with the wait from which it goes on; null when it starts at its beginning."""
        ...

    async def wait_timer(self, until: datetime, *, keep: Json = None) -> datetime:
        """Wait durably, holding no worker; give back the moment this wait was first due.

        The n-th wait of a step is the same wait whenever the step is repeated: one that is over returns at once
        with the moment recorded first, so that a block which counts on from it does not drift.

        With `keep` the block goes on from this wait: called again it finds that value in `kept`, what it fired before
        is behind it, and its first wait is this one. For blocks that wait often.
        """
        ...

    async def wait_fact(self, name: str) -> Json:
        """Wait durably for somebody to send the run a fact of this name, and give its value back."""
        ...

    async def wait_review(self, question: Question) -> Decision:
        """Wait durably for a person to approve or reject."""
        ...

    def run_agent(self, order: ChildOrder) -> AsyncIterator[tuple[str, Json]]:
        """Run another agent and give its outputs, by name, in the order they were committed, while it still works.

        The run is this step's: asked for again after a crash, it is the same one. Fails when that run fails.
        """
        ...

    async def run_autopilot(self, order: PilotOrder) -> PilotAnswer:
        """Give AutoPilot a task in a session and wait durably for the end of its turn.

        The turn is this step's: asked for again after a crash, it is the same one. Fails when the turn fails.
        """
        ...
