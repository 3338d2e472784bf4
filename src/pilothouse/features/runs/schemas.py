"""The wire shapes of runs."""

from typing import Annotated, Literal

from pydantic import AfterValidator, AwareDatetime, Field, JsonValue, StringConstraints

from pilothouse.base.http import IdText, In, Out, Whole, WireTime
from pilothouse.kit.json import MAX_DEPTH, depth

JsonObject = dict[str, JsonValue]
RunStatus = Literal["queued", "running", "waiting", "completed", "completed_with_errors", "failed", "cancelled"]


def _shallow(value: JsonObject) -> JsonObject:
    """What is deeper could be read here and not be written there."""
    if any(isinstance(item, dict | list) and depth(item) > MAX_DEPTH for item in value.values()):
        raise ValueError(f"must not nest deeper than {MAX_DEPTH} levels")
    return value


Shallow = Annotated[JsonObject, AfterValidator(_shallow)]


class CredentialChoice(In):
    """A credential, by its id."""

    id: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9:_-]{1,100}$")]


class DryRunIn(In):
    """How to try a run without consequences."""

    mode: Annotated[
        Literal["stub", "recorded", "simulate"],
        Field(
            default_factory=lambda: "stub",
            description="What blocks that reach outside give: examples, values of another run, or a model's ideas.",
        ),
    ]
    run_id: Annotated[IdText, Field(description="The run whose values count; for `recorded`.")] | None = None
    as_of: Annotated[AwareDatetime, Field(description="The moment at which it seems to happen.")] | None = None
    seed: Annotated[Whole, Field(default_factory=int, description="Equal seeds make equal chances.")]


class RunIn(In):
    """What to run."""

    inputs: Annotated[Shallow, Field(default_factory=dict, description="Values by input name.")]
    version: Annotated[Whole, Field(ge=1, description="A version to run; the active one if left out.")] | None = None
    input_masks: Annotated[
        dict[str, Shallow],
        Field(default_factory=dict, description="Values by node id and pin that override what is delivered."),
    ]
    credentials: Annotated[
        dict[str, CredentialChoice],
        Field(default_factory=dict, description="A credential for each of the agent's needs, by the need's key."),
    ]
    dry_run: Annotated[bool | DryRunIn, Field(default_factory=bool, description="Whether to try it only, and how.")]


class RunPinIn(In):
    """Whether to keep a run whatever its age."""

    pinned: bool


class RunForkIn(In):
    """From which step of a run to go on, and what to change."""

    step: Annotated[Whole, Field(ge=1, description="The number of a step that started.")]
    inputs: Annotated[
        Shallow | None, Field(description="New values for some of its pins; the others stay as they were.")
    ] = None
    version: Annotated[Whole, Field(ge=1, description="Another version of the agent.")] | None = None
    plan_only: Annotated[bool, Field(default_factory=bool, description="Say what would happen, and start nothing.")]
    confirm: Annotated[bool, Field(default_factory=bool, description="Start it even if effects would be repeated.")]


class PlannedStep(Out):
    """A step of the run that is forked."""

    step_id: int
    node_id: str
    block: str


class PlannedSteps(Out):
    """How many, and the first of them."""

    count: int
    steps: list[PlannedStep]


class ForkPlan(Out):
    """What a fork would take over, what it would do again, and which outside effects that would repeat."""

    reused: PlannedSteps
    again: PlannedSteps
    effects: PlannedSteps


class RunReason(Out):
    """Why a run did not simply complete."""

    code: str
    message: str
    step_id: int | None


class RunOrigin(Out):
    """The run that this one goes back to, and for a fork the step of it."""

    kind: Literal["rerun", "fork", "replay"]
    run_id: str
    step_id: int | None


class Leftover(Out):
    """A step that was still open when its run ended: which of its pins had a value, and which never got one."""

    step_id: int
    node_id: str
    filled: list[str]
    missing: list[str]


class RunOut(Out):
    """A run. `outputs` has a list of values for each output name.

    Once it has ended, `not_reached` are the nodes that never ran, and `leftovers` steps that never had all they needed:
    the first 1,000, counted in `stats`.
    """

    id: str
    agent_id: str
    version: int
    status: RunStatus
    trigger: str
    dry_run: bool
    inputs: JsonObject
    outputs: dict[str, list[JsonValue]]
    reason: RunReason | None
    not_reached: list[str]
    leftovers: list[Leftover]
    stats: JsonObject | None
    created_at: WireTime
    started_at: WireTime | None
    ended_at: WireTime | None
    last_event_id: int
    parent_id: str | None
    parent_step: int | None
    pinned: bool
    origin: RunOrigin | None


class RunBrief(Out):
    """A run in a list: without what went in and came out, which may be large."""

    id: str
    agent_id: str
    version: int
    status: RunStatus
    trigger: str
    dry_run: bool
    reason: RunReason | None
    created_at: WireTime
    started_at: WireTime | None
    ended_at: WireTime | None
    last_event_id: int
    parent_id: str | None
    parent_step: int | None
    pinned: bool
    origin: RunOrigin | None


class NodeFigures(Out):
    """What the steps of a node came to in one run."""

    steps: int
    statuses: dict[str, int]
    cost_microdollars: int
    duration_ms: float


class NodeComparison(Out):
    """A node in two runs; null where it was not reached."""

    node_id: str
    same_outputs: bool
    a: NodeFigures | None
    b: NodeFigures | None


class OutputComparison(Out):
    """The values of one output in two runs."""

    name: str
    same: bool
    a: list[JsonValue]
    b: list[JsonValue]


class ComparedRun(Out):
    """One of two runs."""

    id: str
    version: int
    status: RunStatus
    cost_microdollars: int
    duration_ms: int


class RunComparison(Out):
    """Two runs side by side."""

    a: ComparedRun
    b: ComparedRun
    same_status: bool
    same_outputs: bool
    outputs: list[OutputComparison]
    nodes: list[NodeComparison]


class RunList(Out):
    """A page of runs, newest first."""

    items: list[RunBrief]
    next_cursor: str | None


class RunCancelled(Out):
    """The run after the request, and whether the request changed anything."""

    cancelled: bool
    run: RunOut


class RunSummary(Out):
    """How many runs there are, by status."""

    total: int
    by_status: dict[str, int]


class StepWait(Out):
    """What a step waits for: a child run (`ref.run_id`), a review (`ref.review_id`), a moment, or a fact."""

    for_: Annotated[str, Field(alias="for")]
    due: WireTime | None
    ref: JsonValue


class StepOut(Out):
    """One execution of one node. `outputs` has the first hundred; the events have all."""

    step_id: int
    node_id: str
    status: str
    attempt: int
    inputs: JsonObject | None
    outputs: list[JsonObject]
    output_count: int
    error: JsonObject | None
    waiting: StepWait | None
    started_at: str | None
    ended_at: str | None
    recorded: int | None  # the step of the run's origin whose result this is: it was not executed
    simulated: bool  # a model made up what it gave


class StepList(Out):
    """A page of the steps of a run, in the order they started."""

    items: list[StepOut]
    next_cursor: str | None


class RunEvent(Out):
    """One entry of a run's log; other fields depend on its type."""

    id: int
    type: str
    at: str


class RunEvents(Out):
    """A part of a run's log."""

    items: list[JsonObject]
    head: int
    ended: bool
