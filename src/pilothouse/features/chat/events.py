"""The session log's vocabulary: one constructor per type of event, and how entries are written and read.

An entry of the log is `[type, turn_id | null, created_at in microseconds, data]`; its number comes from the log.
Whoever works on a turn writes with the constructors below, so that every reader may rely on what `data` holds.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, cast

from pilothouse.kit.json import Json, JsonObject, dumps

USER_MESSAGE = "user-message"
TURN_QUEUED = "turn-queued"
TURN_STARTED = "turn-started"
TURN_SUSPENDED = "turn-suspended"
TURN_RESUMED = "turn-resumed"
TURN_ENDED = "turn-ended"
CONTEXT = "context"
START_STEP = "start-step"
FINISH_STEP = "finish-step"
STEP_RESET = "step-reset"
TEXT_START, TEXT_DELTA, TEXT_END = "text-start", "text-delta", "text-end"
REASONING_START, REASONING_DELTA, REASONING_END = "reasoning-start", "reasoning-delta", "reasoning-end"
TOOL_INPUT_START, TOOL_INPUT_DELTA = "tool-input-start", "tool-input-delta"
TOOL_INPUT_AVAILABLE = "tool-input-available"
TOOL_OUTPUT_AVAILABLE, TOOL_OUTPUT_ERROR = "tool-output-available", "tool-output-error"
BACKGROUND = "background"
FOLLOW_UP = "follow-up"
COMPACTION = "compaction"
USAGE = "usage"
NOTICE = "notice"
ERROR = "error"
TITLE = "title"

COMPLETED, FAILED, CANCELLED = "completed", "failed", "cancelled"
# Codes that a client may offer to try again.
RETRYABLE = frozenset({"idle_timeout", "transient_api_error", "all_attempts_exhausted", "worker_lost"})


class Draft(NamedTuple):
    """An event that has no number and no time yet."""

    type: str
    data: JsonObject


class Event(NamedTuple):
    """An event of the log."""

    id: int
    type: str
    turn_id: str | None
    created_at: int  # microseconds
    data: JsonObject


def entry_text(draft: Draft, turn_id: str | None, now: int) -> str:
    """An entry as the log stores it."""
    return dumps((draft.type, turn_id, now, draft.data))


def event_of(seq: int, entry: Json) -> Event:
    """Read an entry. Raises `ValueError` when it is none."""
    if not isinstance(entry, list) or len(entry) != 4:
        raise ValueError("an entry of a session's log has four parts")
    kind, turn_id, created_at, data = cast(Any, entry)
    return Event(seq, kind, turn_id, created_at, data)


def events_of(numbered: Iterable[tuple[int, Json]]) -> list[Event]:
    """Read entries with their numbers; those that were trimmed are passed over."""
    return [event_of(seq, entry) for seq, entry in numbered if entry is not None]


def user_message(
    message_id: str,
    text: str,
    *,
    context: Json = None,
    file_ids: Sequence[str] = (),
    origin: str = "web",
    arrival_at: int = 0,
) -> Draft:
    data: JsonObject = {
        "message_id": message_id,
        "text": text,
        "context": context,
        "file_ids": list(file_ids),
        "origin": origin,
        "arrival_at": arrival_at,
    }
    return Draft(USER_MESSAGE, data)


def turn_queued(position: int | None, retries: int | None = None) -> Draft:
    """`position` in line, if it must wait. `retries`: the event of an earlier message, that is answered again."""
    data: JsonObject = {"position": position}
    return Draft(TURN_QUEUED, data if retries is None else data | {"retries": retries})


def turn_started(attempt: int, model: str, mode: str | None, tier: str | None) -> Draft:
    return Draft(TURN_STARTED, {"attempt": attempt, "model": model, "mode": mode, "tier": tier})


def turn_resumed(attempt: int, model: str, mode: str | None, tier: str | None) -> Draft:
    """Somebody goes on with the turn: after a sleep, or after its worker was lost."""
    return Draft(TURN_RESUMED, {"attempt": attempt, "model": model, "mode": mode, "tier": tier})


def turn_suspended(waits_for: Sequence[JsonObject]) -> Draft:
    """`waits_for`: what the turn sleeps for, such as `{"kind": "run", "id": ..., "tool_call_id": ...}`."""
    return Draft(TURN_SUSPENDED, {"waits_for": list(waits_for)})


def turn_ended(status: str, reason: str | None, duration_ms: int) -> Draft:
    return Draft(TURN_ENDED, {"status": status, "reason": reason, "duration_ms": duration_ms})


def context(blocks: Sequence[JsonObject]) -> Draft:
    """What the server told the model beside the user's text: `{"kind": ..., "text": ...}` each. Never shown."""
    return Draft(CONTEXT, {"blocks": list(blocks)})


def start_step(step: int) -> Draft:
    return Draft(START_STEP, {"step": step})


def finish_step(step: int, usage: Json = None) -> Draft:
    return Draft(FINISH_STEP, {"step": step, "usage": usage})


def step_reset(part_ids: Sequence[str]) -> Draft:
    """These blocks and tool calls belong to a model call that was given up; they are taken back."""
    return Draft(STEP_RESET, {"part_ids": list(part_ids)})


def text_start(block_id: str) -> Draft:
    return Draft(TEXT_START, {"id": block_id})


def text_delta(block_id: str, delta: str, offset: int) -> Draft:
    """`offset`: how many characters of the block came before."""
    return Draft(TEXT_DELTA, {"id": block_id, "delta": delta, "offset": offset})


def text_end(block_id: str, text: str) -> Draft:
    """The whole text: it sets what the deltas have built."""
    return Draft(TEXT_END, {"id": block_id, "text": text})


def reasoning_start(block_id: str) -> Draft:
    return Draft(REASONING_START, {"id": block_id})


def reasoning_delta(block_id: str, delta: str, offset: int) -> Draft:
    return Draft(REASONING_DELTA, {"id": block_id, "delta": delta, "offset": offset})


def reasoning_end(block_id: str, text: str) -> Draft:
    return Draft(REASONING_END, {"id": block_id, "text": text})


def tool_input_start(tool_call_id: str, tool: str) -> Draft:
    return Draft(TOOL_INPUT_START, {"tool_call_id": tool_call_id, "tool": tool})


def tool_input_delta(tool_call_id: str, delta: str) -> Draft:
    return Draft(TOOL_INPUT_DELTA, {"tool_call_id": tool_call_id, "delta": delta})


def tool_input_available(tool_call_id: str, tool: str, tool_input: Json, idempotency_key: str | None = None) -> Draft:
    data: JsonObject = {"tool_call_id": tool_call_id, "tool": tool, "input": tool_input}
    return Draft(TOOL_INPUT_AVAILABLE, data | {"idempotency_key": idempotency_key})


def tool_output_available(
    tool_call_id: str,
    tool: str,
    output: Json,
    *,
    success: bool = True,
    duration_ms: int = 0,
    file: tuple[str, str] | None = None,
) -> Draft:
    """`file`: id and path of the one that holds the whole of a result too long for models. Beside it, never in it."""
    data: JsonObject = {"tool_call_id": tool_call_id, "tool": tool, "output": output}
    data |= {"success": success, "duration_ms": duration_ms}
    named: JsonObject = {} if file is None else {"file_id": file[0], "workspace_path": file[1]}
    return Draft(TOOL_OUTPUT_AVAILABLE, data | named)


def tool_output_error(tool_call_id: str, tool: str, code: str, message: str, *, duration_ms: int = 0) -> Draft:
    data: JsonObject = {"tool_call_id": tool_call_id, "tool": tool, "code": code, "message": message}
    return Draft(TOOL_OUTPUT_ERROR, data | {"duration_ms": duration_ms})


def background(background_id: str, tool: str, state: str, ref_kind: str, ref_id: str | None) -> Draft:
    data: JsonObject = {"background_id": background_id, "tool": tool, "state": state}
    return Draft(BACKGROUND, data | {"ref_kind": ref_kind, "ref_id": ref_id})


def follow_up(message_ids: Sequence[str], texts: Sequence[str], after_tool_call_id: str | None) -> Draft:
    data: JsonObject = {"message_ids": list(message_ids), "texts": list(texts)}
    return Draft(FOLLOW_UP, data | {"after_tool_call_id": after_tool_call_id})


def compaction(
    up_to_event: int, summary: str, tokens_before: int, tokens_after: int, target: int | None = None, overhead: int = 0
) -> Draft:
    """From now on models read the summary in place of everything up to an event. With a `target`, results that were
    there by then are cut until it all fits, the `overhead` of prompt and tools included.
    """
    data: JsonObject = {"up_to_event": up_to_event, "summary": summary, "target": target, "overhead": overhead}
    return Draft(COMPACTION, data | {"tokens_before": tokens_before, "tokens_after": tokens_after})


def usage(**fields: Json) -> Draft:
    """`prompt_tokens`, `completion_tokens`, `total_tokens`, cache tokens, `cost_microdollars`, `model`, ..."""
    return Draft(USAGE, dict(fields))


def notice(code: str, message: str, *, level: str = "info", retryable: bool = False) -> Draft:
    return Draft(NOTICE, {"code": code, "level": level, "message": message, "retryable": retryable})


def error(code: str, message: str, *, retryable: bool | None = None) -> Draft:
    """`message` is shown to the user: no stack trace, no secret."""
    known = code in RETRYABLE if retryable is None else retryable
    return Draft(ERROR, {"code": code, "retryable": known, "message": message})


def title(text: str) -> Draft:
    return Draft(TITLE, {"title": text})
