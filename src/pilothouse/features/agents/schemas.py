"""Agents and blocks on the wire."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, JsonValue, StringConstraints

from pilothouse.base.http import IdText, In, Out, Whole, WireTime
from pilothouse.features.agents.shapes import Graph, LinkShape, OperationShape
from pilothouse.graph.catalogue import Effects, Kind
from pilothouse.graph.report import Level

MAX_VERSION = 2**31 - 1


def _storable(text: str) -> str:
    if "\x00" in text:
        raise ValueError("must not hold NUL characters")
    return text


Note = Annotated[str, StringConstraints(strip_whitespace=True, max_length=2000), AfterValidator(_storable)]
VersionNumber = Annotated[Whole, Field(ge=1, le=MAX_VERSION)]


class GraphIn(In):
    graph: Graph
    note: Note | None = None


class ForkedFrom(Out):
    """The version that an agent began as."""

    agent_id: str
    version: int


class ForkedFromIn(In):
    """A version of an agent of one's own."""

    agent_id: IdText
    version: VersionNumber


class AgentIn(GraphIn):
    forked_from: ForkedFromIn | None = None


class AgentSave(GraphIn):
    base_version: VersionNumber | None = None


class AgentEdit(In):
    ops: list[OperationShape]
    base_version: VersionNumber | None = None
    save: bool = True
    rebase: bool = False
    note: Note | None = None


class ActiveVersionIn(In):
    version: VersionNumber
    base_version: VersionNumber | None = None


class RollbackIn(In):
    version: VersionNumber
    note: Note | None = None


class ValidateIn(In):
    graph: dict[str, JsonValue]  # any object: saying what is wrong with it is what this is for
    level: Level = "save"
    inputs: dict[str, JsonValue] | None = None


class ValidateAgentIn(In):
    version: VersionNumber | None = None
    level: Level = "run"
    inputs: dict[str, JsonValue] | None = None


class ImportIn(In):
    document: dict[str, JsonValue]


class VersionOut(Out):
    agent_id: str
    version: int
    name: str
    description: str
    note: str | None
    node_count: int
    input_schema: dict[str, JsonValue]
    output_schema: dict[str, JsonValue]
    content_hash: str
    author_id: str
    by_autopilot: bool
    forked_from: ForkedFrom | None
    created_at: WireTime


class VersionDetail(VersionOut):
    graph: Graph


class AgentOut(Out):
    """An agent, and of the version shown what a list, or a form to run it, needs."""

    id: str
    name: str
    description: str
    version: int
    active_version: int
    newest_version: int
    node_count: int
    input_schema: dict[str, JsonValue]
    output_schema: dict[str, JsonValue]
    content_hash: str
    created_at: WireTime
    updated_at: WireTime


class AgentDetail(AgentOut):
    graph: Graph


class IssueOut(Out):
    node_id: str
    field: str
    link: LinkShape | None
    code: str
    message: str
    severity: Literal["error", "warning"]


class ReportOut(Out):
    valid: bool
    errors: dict[str, dict[str, str]]
    issues: list[IssueOut]


class OpOut(Out):
    """What became of one operation; `dropped` names literals and links that it had to take away."""

    index: int
    ok: bool
    code: str | None
    message: str | None
    node_id: str | None
    allowed: list[str]
    dropped: dict[str, JsonValue]


class EditOut(Out):
    """The agent after an edit, or as it would be (`saved` false); `nodes` says which node each `@i` is."""

    agent: AgentDetail
    saved: bool
    ops: list[OpOut]
    nodes: dict[str, str]
    report: ReportOut


class DiffOut(Out):
    """`operations` make the one version of the other."""

    from_version: int
    to_version: int
    diff: dict[str, JsonValue]
    operations: list[OperationShape]


class PartOut(Out):
    """A node that cannot run here; one inside another agent is named by its way there, `parent/child`."""

    node_id: str
    block_id: str


class ChangedOut(Out):
    node_id: str
    field: str
    before: JsonValue = Field(alias="from")
    after: JsonValue = Field(alias="to")
    reason: str


class DroppedOut(Out):
    """What was left behind; `$agent` stands for the node where it is about the agent as a whole."""

    node_id: str
    field: str
    link: LinkShape | None
    reason: str


class CoverageOut(Out):
    """How much of a file works here; whatever does not is named."""

    nodes: int
    supported: int
    placeholders: list[PartOut]
    disabled: list[PartOut]
    changed: list[ChangedOut]
    dropped: list[DroppedOut]
    credentials_needed: list[str]
    sub_agents: int
    runnable: bool


class ImportOut(Out):
    agent_id: str
    version: int
    report: CoverageOut


class PreviewOut(Out):
    name: str
    description: str
    report: CoverageOut


class BlockOut(Out):
    """A block as the builder shows it: pins as JSON schemas."""

    id: str
    name: str
    description: str
    categories: list[str]
    kind: Kind
    effects: Effects
    static_output: bool
    streams: bool
    sensitive: bool
    timeout_s: float | None
    inputs: dict[str, JsonValue]
    outputs: dict[str, JsonValue]
    happy_pins: list[str]
    examples: list[dict[str, JsonValue]]
    at_least_once: bool
    webhook: dict[str, JsonValue] | None
    cost: list[dict[str, JsonValue]]
    disabled: bool
    reason: str | None
    plugin: str | None
