"""The frame of AutoPilot's door: a typed function becomes a tool that any model can be told of and call.

No agent library is known here. What a tool answers is always a result with a `type`; failure is a result too.
"""

import asyncio
import inspect
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal, TypeVar, cast, get_type_hints

import structlog
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, create_model

from pilothouse.base.actor import Actor
from pilothouse.base.work import Read, Units, Work
from pilothouse.kit.errors import PilothouseError, UserError
from pilothouse.kit.ids import new_id
from pilothouse.kit.json import Json, JsonObject

log = structlog.get_logger()

MAX_TOOL_WAIT_SECONDS = 300

Part = TypeVar("Part")


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


class InvalidArguments(UserError):
    """Some arguments were refused."""


def _clamped(value: object) -> object:
    return min(max(value, 0), MAX_TOOL_WAIT_SECONDS) if isinstance(value, int) else value


# Waits are cut to what is allowed, never refused.
WaitSeconds = Annotated[
    int, BeforeValidator(_clamped), Field(description=f"Seconds to wait for the end, 0 to {MAX_TOOL_WAIT_SECONDS}.")
]


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
    dry_run: bool = False
    tools_used: frozenset[str] = frozenset()  # that gave a result in this session, before this round
    cancelled: asyncio.Event = field(default_factory=asyncio.Event)
    progress: Callable[[str], None] = lambda caption: None  # a line for whoever watches; kept nowhere

    def part(self, kind: type[Part]) -> Part:
        """The process's one object of this kind."""
        return cast(Part, self.parts[kind])

    @asynccontextmanager
    async def read(self) -> AsyncGenerator[Read]:
        async with self.units.read(self.actor) as read:
            yield read

    @asynccontextmanager
    async def write(self) -> AsyncGenerator[Work]:
        async with self.units.write(self.actor) as work:
            yield work


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a call gave: JSON that is stored as it is."""

    output: JsonObject
    success: bool


@dataclass(frozen=True, slots=True)
class Tool:
    """One declaration, from which schema, permission name, label and card are all read."""

    name: str
    description: str
    label: str  # what the chat shows while it runs
    arguments: type[BaseModel]
    function: Callable[..., Awaitable[ToolResult]]
    effect: Effect
    repeat_safe: bool  # whether a call that may have happened is made again, with the same key
    timeout_seconds: float | None  # None: it caps itself, by an argument of `WaitSeconds`

    @property
    def schema(self) -> JsonObject:
        """The arguments as JSON schema, without what only takes room."""
        return cast(JsonObject, _without_titles(self.arguments.model_json_schema()))

    async def call(self, ctx: ToolContext, arguments: Mapping[str, Json]) -> Outcome:
        """Check, run within the budget, answer. Only cancellation is raised."""
        try:
            asked = self._checked(arguments)
            async with asyncio.timeout(self.timeout_seconds):
                result = await self.function(ctx, **{name: getattr(asked, name) for name in type(asked).model_fields})
        except TimeoutError:
            result = ToolError(code="tool_timeout", message=f"{self.name} took over {self.timeout_seconds} seconds.")
        except PilothouseError as error:
            result = _told(error)
        except Exception:  # this door's one net: the turn goes on, the log has the trace
            trace_id = new_id()
            log.exception("tool.fault", tool=self.name, trace_id=trace_id)
            result = ToolError(code="internal", message="This tool failed.", details={"trace_id": trace_id})
        given = result.model_copy(update={"session_id": ctx.session_id})
        return Outcome(given.model_dump(mode="json", exclude_none=True), not isinstance(result, ToolError))

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
    ) -> Callable[[Callable[..., Awaitable[ToolResult]]], Callable[..., Awaitable[ToolResult]]]:
        """Make a function a tool: its docstring is what the model reads, its parameters are the arguments."""
        if timeout_seconds is not None and not 0 < timeout_seconds <= MAX_TOOL_WAIT_SECONDS:
            raise ValueError(f"a tool has at most {MAX_TOOL_WAIT_SECONDS} seconds")

        def declare(function: Callable[..., Awaitable[ToolResult]]) -> Callable[..., Awaitable[ToolResult]]:
            name = function.__name__
            if name in self._tools:
                raise ValueError(f"there are two tools called {name}")
            about = inspect.cleandoc(function.__doc__ or "")
            if not about:
                raise ValueError(f"{name} has no docstring, so no model would know what it is for")
            arguments = _arguments_of(function)
            self._tools[name] = Tool(name, about, label, arguments, function, effect, repeat_safe, timeout_seconds)
            return function

        return declare


class _Arguments(BaseModel):
    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", str_strip_whitespace=True)


def _arguments_of(function: Callable[..., Any]) -> type[BaseModel]:
    hints = get_type_hints(function, include_extras=True)
    fields: dict[str, Any] = {
        name: (hints[name], ... if about.default is inspect.Parameter.empty else about.default)
        for name, about in list(inspect.signature(function).parameters.items())[1:]  # all but the context
    }
    return create_model(f"{function.__name__}_arguments", __base__=_Arguments, **fields)


def _without_titles(schema: Any) -> Any:
    """Titles repeat the names; a property that is itself called `title` stays."""
    if isinstance(schema, list):
        return [_without_titles(item) for item in cast(list[Any], schema)]
    if not isinstance(schema, dict):
        return schema
    told = cast(dict[str, Any], schema)
    return {
        name: {key: _without_titles(value) for key, value in item.items()}
        if name in ("properties", "$defs")
        else _without_titles(item)
        for name, item in told.items()
        if not (name == "title" and isinstance(item, str))
    }
