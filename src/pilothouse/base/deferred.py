"""Calls of tools that wait, without a worker, for something to end."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from math import isfinite
from typing import Annotated, cast

from pydantic import AfterValidator, BeforeValidator, Field

from pilothouse.base.jobs.moves import micros
from pilothouse.kit.json import Json, JsonObject

MAX_TOOL_WAIT_SECONDS = 300


def _whole(value: object) -> object:
    return int(value) if isinstance(value, float) and isfinite(value) else value


def _clamped(value: int) -> int:
    return min(max(value, 0), MAX_TOOL_WAIT_SECONDS)


# Waits are cut to what is allowed, never refused.
WaitSeconds = Annotated[
    int,
    BeforeValidator(_whole),
    AfterValidator(_clamped),
    Field(description=f"Seconds to wait for the end, 0 to {MAX_TOOL_WAIT_SECONDS}."),
]


@dataclass(frozen=True, slots=True)
class Deferred:
    """No answer yet: the call waits, without a worker, for the end of a job. The tool's `finish` makes the result."""

    kind: str  # run, sub_session
    id: str  # the run, or the session
    job_id: str  # whose end is waited for
    since: int  # microseconds
    until: int
    owned: bool = False  # this very call began it: cancelling the turn stops it
    memo: JsonObject = field(default_factory=dict[str, Json])  # what `finish` wants to know

    def as_json(self) -> JsonObject:
        return asdict(self)

    @classmethod
    def of(cls, told: Mapping[str, Json]) -> "Deferred":
        """Read what `as_json` gave."""
        times = cast(int, told["since"]), cast(int, told["until"])
        named = str(told["kind"]), str(told["id"]), str(told["job_id"])
        return cls(*named, *times, bool(told["owned"]), cast(JsonObject, told["memo"]))


def wait_for(kind: str, id: str, job_id: str, seconds: float, *, owned: bool = False, **memo: Json) -> Deferred:
    """Wait for the end of this job from now on, at most so long."""
    now = micros()
    return Deferred(kind, id, job_id, now, now + int(min(seconds, MAX_TOOL_WAIT_SECONDS) * 1_000_000), owned, memo)
