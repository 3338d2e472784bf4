"""What chat takes and gives on the wire."""

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from pilothouse.base.http import IdText, In, Line, Out, WireTime
from pilothouse.features.chat.limits import MAX_CONTEXT_CONTENT, MAX_CONTEXT_URL, MAX_FILE_IDS, MAX_MESSAGE

Mode = Literal["fast", "extended_thinking"]
Tier = Literal["standard", "advanced"]
SessionStatus = Literal["idle", "queued", "running", "waiting"]
TurnStatus = Literal["queued", "running", "waiting", "completed", "failed", "cancelled"]


class SessionIn(In):
    """A new session."""

    dry_run: bool = False
    builder_graph_id: Annotated[str, StringConstraints(min_length=1, max_length=128)] | None = None


class TitleIn(In):
    title: Line


class PinnedIn(In):
    pinned: bool


class SeenIn(In):
    event_id: Annotated[int, Field(ge=0, le=2**53)]


class PageContext(In):
    """The page that the user was looking at."""

    url: Annotated[str, StringConstraints(max_length=MAX_CONTEXT_URL)]
    content: Annotated[str, StringConstraints(max_length=MAX_CONTEXT_CONTENT)]


class MessageIn(In):
    """A message to AutoPilot."""

    message: Annotated[str, StringConstraints(min_length=1, max_length=MAX_MESSAGE)]
    is_user_message: Literal[True] = True
    context: PageContext | None = None
    file_ids: Annotated[list[IdText], Field(max_length=MAX_FILE_IDS, default_factory=list[str])]
    mode: Mode | None = None
    model: Tier | None = None
    message_id: IdText | None = None


class SessionMetadata(Out):
    """What a session was made with."""

    dry_run: bool
    builder_graph_id: str | None
    parent_session_id: str | None
    parent_turn_id: str | None
    depth: int
    source_platform: str | None
    permissions: dict[str, Any] | None


class SessionState(Out):
    """What a session remembers of what AutoPilot did in it."""

    guide_read: bool  # of building agents
    runs: dict[str, int]  # real ones, by agent


class SessionMade(Out):
    id: str
    created_at: WireTime
    user_id: str
    metadata: SessionMetadata


class SessionOut(Out):
    """A session of the caller's."""

    id: str
    user_id: str
    title: str | None
    title_source: Literal["auto", "user"]
    pinned: bool
    origin: str
    status: SessionStatus
    unread: bool
    needs_user: bool
    created_at: WireTime
    updated_at: WireTime
    metadata: SessionMetadata
    state: SessionState
    prompt_tokens: int
    completion_tokens: int


class SessionList(Out):
    sessions: list[SessionOut]
    total: int


class ActiveTurnOut(Out):
    turn_id: str
    status: Literal["queued", "running", "waiting"]
    started_at: WireTime | None
    first_event_id: int


class StepPart(Out):
    """Where a round of the model begins."""

    type: Literal["step"]
    step: int
    state: Literal["running", "done"]
    usage: Any


class BlockPart(Out):
    type: Literal["text", "reasoning"]
    id: str
    text: str
    state: Literal["streaming", "done"]


class ToolError(Out):
    code: str
    message: str


class ToolPart(Out):
    """A tool call and what came of it."""

    type: Literal["tool"]
    tool_call_id: str
    tool: str | None
    state: Literal["input-streaming", "input-available", "output-available", "output-error"]
    input_text: str
    input: Any
    output: Any
    success: bool | None
    error: ToolError | None
    duration_ms: int | None


class BackgroundPart(Out):
    """Work that goes on beside the turn."""

    type: Literal["background"]
    background_id: str
    tool: str
    state: str
    ref_kind: str
    ref_id: str | None


class FollowUpPart(Out):
    """Messages that the user sent while the turn was running, where the turn took them in."""

    type: Literal["follow-up"]
    event_id: int
    message_ids: list[str]
    texts: list[str]
    after_tool_call_id: str | None


class CompactionPart(Out):
    type: Literal["compaction"]
    event_id: int
    up_to_event: int
    tokens_before: int
    tokens_after: int


class NoticePart(Out):
    type: Literal["notice"]
    event_id: int
    code: str
    level: str
    message: str
    retryable: bool


class ErrorPart(Out):
    type: Literal["error"]
    event_id: int
    code: str
    message: str
    retryable: bool


Part = Annotated[
    StepPart | BlockPart | ToolPart | BackgroundPart | FollowUpPart | CompactionPart | NoticePart | ErrorPart,
    Field(discriminator="type"),
]


class UserMessage(Out):
    """What the user said."""

    id: str
    role: Literal["user"]
    turn_id: str | None
    first_event_id: int
    last_event_id: int
    created_at: WireTime
    text: str
    context: PageContext | None
    file_ids: list[str]
    origin: str


class AssistantMessage(Out):
    """A turn: what AutoPilot did and said."""

    id: str
    role: Literal["assistant"]
    turn_id: str
    first_event_id: int
    last_event_id: int
    created_at: WireTime
    status: TurnStatus
    reason: str | None
    model: str | None
    position: int | None
    waits_for: list[dict[str, Any]] | None
    duration_ms: int | None
    parts: list[Part]


class SessionDetail(Out):
    """A session and a page of its conversation, oldest message first."""

    session: SessionOut
    messages: list[Annotated[UserMessage | AssistantMessage, Field(discriminator="role")]]
    has_more: bool
    last_event_id: int
    active_turn: ActiveTurnOut | None


class Buffered(Out):
    """The session is busy: the message waits."""

    buffer_length: int
    max_buffer_length: int
    turn_in_flight: bool


class SessionEvent(Out):
    """An event of the session's log."""

    id: int
    session_id: str
    turn_id: str | None
    type: str
    created_at: WireTime
    data: dict[str, Any]


class SessionEvents(Out):
    """A page of the log."""

    items: list[SessionEvent]
    head: int


class PendingMessage(Out):
    message_id: str
    text: str
    context: PageContext | None
    file_ids: list[str]
    origin: str
    arrival_at: WireTime


class PendingMessages(Out):
    messages: list[PendingMessage]
    count: int


class TurnCancelled(Out):
    """What the cancel came to."""

    cancelled: bool
    reason: Literal["no_active_task", "dequeued", "cancel_published_not_confirmed"] | None
