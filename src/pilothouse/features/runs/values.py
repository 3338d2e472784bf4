"""What a block fires must fit into the log: written as JSON, not too large, not nested too deeply. Pure."""

from math import isfinite

from pilothouse.blocks.pins import BlockFailed
from pilothouse.blocks.runner import Fired
from pilothouse.engine.ports import StepFailed
from pilothouse.kit.json import Json, dump_bytes

MAX_MESSAGE = 10_000
MAX_VALUE_BYTES = 16 * 1024 * 1024
_SURE = MAX_VALUE_BYTES // 6  # no character takes more than six bytes of JSON
_SLACK = 24  # levels that the log and a snapshot put around a value; the writer refuses what nests past its limit
_INTEGERS = range(-(2**63), 2**64)
_ALWAYS_FINE = frozenset({bool, type(None)})


def checked(fired: Fired) -> Fired:
    """The same, or `StepFailed`. Only what can be large or odd is looked at closely."""
    for pin, value in fired:
        kind = type(value)
        if kind is str:
            assert isinstance(value, str)
            fine = len(value) < _SURE and value.isascii()
        elif kind is int:
            fine = value in _INTEGERS
        elif kind is float:
            assert isinstance(value, float)
            fine = isfinite(value)
        else:
            fine = kind in _ALWAYS_FINE
        if not fine:
            _look_closely(pin, value)
    return fired


def is_writable(value: Json) -> bool:
    return _size(value) is not None


def _look_closely(pin: str, value: Json) -> None:
    size = None if isinstance(value, float) else _size(value)
    if size is None:
        raise StepFailed("not_json", f"What {pin} gave cannot be written as JSON.")
    if size > MAX_VALUE_BYTES:
        detail: Json = {"pin": pin, "bytes": size, "limit_bytes": MAX_VALUE_BYTES}
        raise StepFailed("value_too_large", f"What {pin} gave is larger than 16 MB.", detail)


def _size(value: Json) -> int | None:
    """In bytes of JSON; None when it cannot be written: text that is no text, a huge number, too many levels."""
    wrapped: Json = value
    for _ in range(_SLACK):
        wrapped = [wrapped]
    try:
        return len(dump_bytes(wrapped)) - 2 * _SLACK
    except TypeError:
        return None


def step_failed(failure: BlockFailed) -> StepFailed:
    """What is said of the failure goes into the log, so it must be short enough and possible to write."""
    message = failure.message[:MAX_MESSAGE].encode(errors="replace").decode()
    return StepFailed(
        failure.code,
        message,
        failure.detail if is_writable(failure.detail) else None,
        retryable=failure.retryable,
        retry_after=failure.retry_after,
    )
