"""The frame of AutoPilot's door: a typed function becomes a tool that any model can be told of and call.

No agent library is known here. What a tool answers is always a result with a `type`; failure is a result too.
"""

import asyncio
import inspect
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256
from typing import Any, Literal, TypeAlias, TypeVar, cast

import structlog
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pilothouse.base.actor import Actor
from pilothouse.base.committer import CommitterOverloaded, DatabaseUnavailable
from pilothouse.base.deferred import MAX_TOOL_WAIT_SECONDS, Deferred
from pilothouse.base.expander import Expander
from pilothouse.base.outages import told_as_away
from pilothouse.base.permissions import UNRESTRICTED, Permissions
from pilothouse.base.tool_schemas import arguments_of, schema_of
from pilothouse.base.work import Read, Units, Work
from pilothouse.kit.errors import PilothouseError, UserError
from pilothouse.kit.ids import new_id
from pilothouse.kit.json import Json, JsonObject

log = structlog.get_logger()

Part = TypeVar("Part")
Given = TypeVar("Given")


class Effect(StrEnum):
    """What a call does: look, change what is the user's here, or reach the outside world."""

    READ = "read"
    WRITE = "write"
    OUTSIDE = "outside"


class ToolResult(BaseModel):
    """What every result has, beside a literal `type` of its own, which names the card that shows it.

    `message` is written for the model and holds no fact that the fields lack.
    """

    model_config = ConfigDict(extra="forbid")

    message: str
    session_id: str | None = None


class ToolError(ToolResult):
    """A failure, in words that tell the model what to do about it."""

    type: Literal["error"] = "error"
    code: str
    hint: str | None = None
    details: dict[str, Any] = Field(default_factory=dict)


class NoResults(ToolResult):
    """Nothing was found; never an invented id."""

    type: Literal["no_results"] = "no_results"
    query: str
    suggestions: list[str] = Field(default_factory=list)


class Simulated(ToolResult):
    """Stands for an effect outside that a rehearsal does not have."""

    type: Literal["simulated"] = "simulated"
    tool: str
    is_dry_run: bool = True  # for the page; models are not shown it


class InvalidArguments(UserError):
    """Some arguments were refused."""


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a tool may use: on whose behalf it acts, and the parts of the house that `app` handed in."""

    actor: Actor
    session_id: str
    turn_id: str
    tool_call_id: str
    idempotency_key: str  # the same when a crash makes the call run again
    units: Units
    parts: Mapping[type, object] = field(default_factory=dict[type, object])
    dry_run: bool = False  # the session rehearses: nothing reaches the outside, whatever the model asks
    builder_graph_id: str | None = None  # the one agent that the session is bound to
    permissions: Permissions = UNRESTRICTED
    tools_used: frozenset[str] = frozenset()  # that gave a result in this session, before this round
    cancelled: asyncio.Event = field(default_factory=asyncio.Event)
    progress: Callable[[str], None] = lambda caption: None  # a line for whoever watches; kept nowhere

    @property
    def background_id(self) -> str:
        """Under which the work of this call is found, should it go on in the background."""
        return f"bg-{sha256(self.idempotency_key.encode()).hexdigest()[:12]}"

    def part(self, kind: type[Part]) -> Part:
        """The process's one object of this kind."""
        return cast(Part, self.parts[kind])

    @asynccontextmanager
    async def read(self) -> AsyncGenerator[Read]:
        with told_as_away():
            async with self.units.read(self.actor) as read:
                yield read

    @asynccontextmanager
    async def write(self) -> AsyncGenerator[Work]:
        with told_as_away():
            async with self.units.write(self.actor) as work:
                yield work


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a call gave: JSON that is stored as it is."""

    output: JsonObject
    success: bool


Answer: TypeAlias = ToolResult | Deferred
Function: TypeAlias = Callable[..., Awaitable[Answer]]
# (context, what was waited for, whether the time is over): the result, or None to go on waiting. Called whenever
# something may have changed, so it looks for itself; when the time is over it must answer.
Finish: TypeAlias = Callable[[ToolContext, Deferred, bool], Awaitable[ToolResult | None]]
# (context, the tool's schema, what the model wrote): the schema of these very arguments, for files that they name.
Shape: TypeAlias = Callable[[ToolContext, JsonObject, Mapping[str, Json]], Awaitable[JsonObject]]


@dataclass(frozen=True, slots=True)
class Tool:
    """One declaration, from which schema, permission name, label and card are all read."""

    name: str
    description: str
    label: str  # what the chat shows while it runs
    arguments: type[BaseModel]
    function: Function
    effect: Effect
    repeat_safe: bool  # whether a call that may have happened is made again, with the same key
    timeout_seconds: float | None  # None: it caps itself, by an argument of `WaitSeconds`
    rehearses: bool = False  # knows by itself what to do in a dry run; else its outside effect is left out
    finish: Finish | None = None  # of a tool that may defer
    shape: Shape | None = None  # of a tool that takes values whose types only it can find out

    @property
    def schema(self) -> JsonObject:
        """The arguments as JSON schema, without what only takes room; the same object each time."""
        return schema_of(self.arguments)

    async def call(self, ctx: ToolContext, arguments: Mapping[str, Json]) -> Outcome | Deferred:
        """Check, run, answer. Only cancellation is raised, and that the database is away: nobody knows then what was
        done. Whoever calls sees to the budget: work that takes longer is not lost.
        """
        answer = await self._guarded(self._ask(ctx, arguments))
        return answer if isinstance(answer, Deferred) else outcome_of(ctx, answer)

    async def look(self, ctx: ToolContext, waiting: Deferred, *, late: bool) -> Outcome | None:
        """The result of a call that waits, once there is one; `late`: now, whatever it is."""
        assert self.finish is not None
        answer = await self._guarded(self.finish(ctx, waiting, late))
        if answer is None and late:
            answer = ToolError(code="tool_timeout", message=f"{self.name} gave nothing in its time.")
        return None if answer is None else outcome_of(ctx, answer)

    async def _ask(self, ctx: ToolContext, arguments: Mapping[str, Json]) -> Answer:
        expander = cast(Expander | None, ctx.parts.get(Expander))
        if expander is not None and expander.refers(arguments):
            schema = self.schema if self.shape is None else await self.shape(ctx, self.schema, arguments)
            arguments = await expander.expand(ctx.actor, ctx.session_id, schema, arguments)
        asked = self._checked(arguments)
        if ctx.dry_run and self.effect is Effect.OUTSIDE and not self.rehearses:
            return Simulated(message=f"{self.name} was done.", tool=self.name)
        return await self.function(ctx, **{name: getattr(asked, name) for name in type(asked).model_fields})

    async def _guarded(self, work: Awaitable[Given]) -> "Given | ToolError":
        try:
            return await work
        except (CommitterOverloaded, DatabaseUnavailable):
            raise
        except PilothouseError as error:
            return _told(error)
        except Exception:  # this door's one net: the turn goes on, the log has the trace
            trace_id = new_id()
            log.exception("tool.fault", tool=self.name, trace_id=trace_id)
            return ToolError(code="internal", message="This tool failed.", details={"trace_id": trace_id})

    def _checked(self, arguments: Mapping[str, Json]) -> BaseModel:
        try:
            return self.arguments.model_validate(dict(arguments))
        except ValidationError as error:
            faults: list[Json] = [
                {"field": ".".join(str(place) for place in fault["loc"]), "message": fault["msg"]}
                for fault in error.errors(include_url=False, include_context=False, include_input=False)
            ]
            needed = [name for name, about in self.arguments.model_fields.items() if about.is_required()]
            hint = f"{self.name} needs {', '.join(needed)}." if needed else None
            raise InvalidArguments(hint=hint, errors=faults) from error


def outcome_of(ctx: ToolContext, result: ToolResult) -> Outcome:
    """A result as it is stored."""
    given = result.model_copy(update={"session_id": ctx.session_id})
    return Outcome(given.model_dump(mode="json", exclude_none=True), not isinstance(result, ToolError))


def _told(error: PilothouseError) -> ToolError:
    return ToolError(code=error.code, message=error.message, hint=error.advice, details=dict(error.facts))


class ToolBox(Mapping[str, Tool]):
    """The tools of one slice, or of all of them; in the order in which they were declared."""

    def __init__(self, *boxes: Mapping[str, Tool]) -> None:
        self._tools: dict[str, Tool] = {name: tool for box in boxes for name, tool in box.items()}

    def __getitem__(self, name: str) -> Tool:
        return self._tools[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tools)

    def __len__(self) -> int:
        return len(self._tools)

    def tool(
        self,
        *,
        label: str,
        effect: Effect = Effect.READ,
        repeat_safe: bool = True,
        timeout_seconds: float | None = MAX_TOOL_WAIT_SECONDS,
        rehearses: bool = False,
        finish: Finish | None = None,
        shape: Shape | None = None,
    ) -> Callable[[Function], Function]:
        """Make a function a tool: its docstring is what the model reads, its parameters are the arguments.

        One that may answer with `Deferred` needs a `finish`.
        """
        if timeout_seconds is not None and not 0 < timeout_seconds <= MAX_TOOL_WAIT_SECONDS:
            raise ValueError(f"a tool has at most {MAX_TOOL_WAIT_SECONDS} seconds")

        def declare(function: Function) -> Function:
            name = function.__name__
            if name in self._tools:
                raise ValueError(f"there are two tools called {name}")
            about = inspect.cleandoc(function.__doc__ or "")
            if not about:
                raise ValueError(f"{name} has no docstring, so no model would know what it is for")
            manner = (effect, repeat_safe, timeout_seconds, rehearses, finish, shape)
            self._tools[name] = Tool(name, about, label, arguments_of(function), function, *manner)
            return function

        return declare
