"""The hot path's write sets: how a run is admitted, journaled, suspended and settled. Pure descriptions."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from pilothouse.base.committer import Write, WriteSet
from pilothouse.base.jobs.claims import FORGIVE_JOB, Claimed
from pilothouse.base.jobs.moves import ADMIT_JOB, END_JOB, GUARD_JOB, SUSPEND_JOB, Admission
from pilothouse.base.logs import (
    INSERT_SEGMENT,
    KEEP_VALUES,
    SAVE_SNAPSHOT,
    SEGMENT_LANDED,
    log_values,
    segments,
    snapshots,
)
from pilothouse.base.statements import JOINS_GO, Sql, delete_by, insert_into
from pilothouse.features.runs.children import GUARD_PARENT, Parent
from pilothouse.features.runs.models import runs
from pilothouse.graph.sub_agents import NO_MASKS, Masks
from pilothouse.kit.json import dumps

KIND = "run.advance"

DELETE_SNAPSHOT = delete_by(snapshots, ["log_id"])
_DELETE_SEGMENTS = delete_by(segments, ["log_id"])
_DELETE_VALUES = delete_by(log_values, ["log_id"])

_INSERT_RUN = insert_into(
    runs, "id", "user_id", "agent_id", "version", "trigger", "inputs", "dry_run", "head", "created_at"
)
_INSERT_CHILD = insert_into(
    runs,
    *("id", "user_id", "agent_id", "version", "trigger", "inputs", "dry_run", "head", "created_at"),
    *("parent_id", "parent_step"),
)
_INSERT_AGAIN = insert_into(
    runs,
    *("id", "user_id", "agent_id", "version", "trigger", "inputs", "dry_run", "head", "created_at"),
    "origin",
)
_RUN_EXISTS = Sql(
    name="run_exists",
    sqlite="select 1 from runs where id=?",
    postgres="select v.n from unnest($1::text[]) with ordinality as v(id, n) join runs r on r.id=v.id",
)
_END_RUN = Sql(
    name="end_run",
    sqlite="update runs set head=?3, status=?4, reason=?5, outputs=?6, stats=?7, started_at=?8, ended_at=?9"
    " where id=?1 and head=?2 and status is null",
    postgres="update runs t set head=v.after, status=v.status, reason=v.reason, outputs=v.outputs, stats=v.stats,"
    " started_at=v.started_at, ended_at=v.ended_at from unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[],"
    " $5::text[], $6::text[], $7::text[], $8::bigint[], $9::bigint[]) with ordinality as"
    " v(id, before, after, status, reason, outputs, stats, started_at, ended_at, nth)"
    f" where t.id=v.id and t.head=v.before and t.status is null{JOINS_GO} returning v.nth",
)
# Moves the head, as every flush must; a gap means that somebody else wrote.
_MOVE_RUN = Sql(
    name="move_run",
    sqlite="update runs set head=?3, started_at=coalesce(started_at, ?4) where id=?1 and head=?2",
    postgres="update runs t set head=v.after, started_at=coalesce(t.started_at, v.started_at) from"
    " unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[]) with ordinality"
    f" as v(id, before, after, started_at, nth) where t.id=v.id and t.head=v.before{JOINS_GO} returning v.nth",
)


class NewRun(NamedTuple):
    """A run to be admitted."""

    id: str
    user_id: str
    agent_id: str
    version: int
    trigger: str
    inputs: str
    dry_run: bool
    created_at: int
    first_entry: str
    values: tuple[tuple[str, str], ...] = ()  # large ones that the entry refers to: (hash, JSON text)
    hidden: Masks = NO_MASKS  # secret ones, which the entry has sealed: for a worker in this very process
    origin: str | None = None  # JSON text
    head: int = 1
    taken_over: str = ""  # the entries after the first, as a JSON array


class Caps(NamedTuple):
    """How many runs may go at a time."""

    per_user: int
    per_agent: int


class Ending(NamedTuple):
    """A run's final row."""

    status: str
    reason: str | None
    outputs: str
    stats: str
    started_at: int | None  # a run that was cancelled in the queue never started
    ended_at: int


def lanes_of(user_id: str, agent_id: str) -> tuple[str, str]:
    """The user's lane over all agents, and the narrower one of this agent."""
    return f"run/{user_id}", f"run/{user_id}/{agent_id}"


def admit_child(run: NewRun, caps: Caps, parent: Parent, job: Claimed) -> WriteSet:
    """As `admit_run`, in the name of the parent's job: refused when that is not ours any more, or was cancelled.

    The second answer is the job's state. A child that was started before is a `Clash`.
    """
    admitted = admit_run(run, caps, owner=None, reply_to=None)
    admit, _, *rest = admitted.writes
    row = (*run[:7], 1, run.created_at, parent.run_id, parent.step_id)
    writes = ((GUARD_PARENT, (job.id, job.fence)), admit, (_INSERT_CHILD, row), *rest)
    return replace(admitted, writes=writes)


def admit_run(
    run: NewRun, caps: Caps, *, owner: str | None, reply_to: str | None, also: Sequence[Write] = ()
) -> WriteSet:
    """Job, run and first event in one set. The first answer is the job's state."""
    top, lane = lanes_of(run.user_id, run.agent_id)
    admission = Admission(
        run.id, KIND, run.user_id, top, caps.per_user, lane, caps.per_agent, owner, run.created_at, reply_to
    )
    return WriteSet(
        writes=(
            (ADMIT_JOB, tuple(admission)),
            *_begin(run),
            *_keep(run.id, run.values),
            *also,
        ),
        proof=(_RUN_EXISTS, (run.id,)),
        size=len(run.inputs) + len(run.first_entry) + len(run.taken_over) + 400,
        locks=(top, lane),
    )


def _begin(run: NewRun) -> tuple[Write, ...]:
    first = (INSERT_SEGMENT, (run.id, 1, 1, 0, f"[{run.first_entry}]"))
    if run.origin is None:
        return (_INSERT_RUN, (*run[:7], 1, run.created_at)), first
    row = (_INSERT_AGAIN, (*run[:7], run.head, run.created_at, run.origin))
    rest = (INSERT_SEGMENT, (run.id, 2, run.head, 0, run.taken_over))
    return (row, first, rest) if run.taken_over else (row, first)


class Segment(NamedTuple):
    """Entries first..last of a run's log, as a JSON array."""

    first: int
    last: int
    body: str
    values: tuple[tuple[str, str], ...] = ()  # large ones that the entries refer to: (hash, JSON text)

    @property
    def size(self) -> int:
        return len(self.body) + sum(len(text) for _, text in self.values)


def flush_journal(
    job: Claimed, segment: Segment, started_at: int | None, *, also: Sequence[Write] = (), locks: tuple[str, ...] = ()
) -> WriteSet:
    """A segment under the job's fence."""
    return WriteSet(
        writes=(
            (GUARD_JOB, (job.id, job.fence)),
            (_MOVE_RUN, (job.id, segment.first - 1, segment.last, started_at)),
            _insert(job, segment),
            *_keep(job.id, segment.values),
            *also,
        ),
        proof=_proof(job, segment),
        size=segment.size,
        locks=locks,
    )


def in_name_of(job: Claimed, writes: Sequence[Write]) -> WriteSet:
    """Writes without an entry, under the job's fence; they must be safe to repeat."""
    return WriteSet(((GUARD_JOB, (job.id, job.fence)), *writes))


def save_snapshot(job: Claimed, segment: Segment, snapshot: str) -> Write:
    """What the run is after this segment."""
    return SAVE_SNAPSHOT, (job.id, segment.last, snapshot)


def delete_log(run_id: str) -> tuple[Write, ...]:
    """Forget everything that happened in a run."""
    return tuple((delete, (run_id,)) for delete in (_DELETE_SEGMENTS, _DELETE_VALUES, DELETE_SNAPSHOT))


def _keep(run_id: str, values: tuple[tuple[str, str], ...]) -> tuple[Write, ...]:
    return ((KEEP_VALUES, (run_id, values)),) if values else ()


def _insert(job: Claimed, segment: Segment) -> Write:
    return INSERT_SEGMENT, (job.id, segment.first, segment.last, job.fence, segment.body)


def _proof(job: Claimed, segment: Segment) -> Write:
    return SEGMENT_LANDED, (job.id, segment.first, job.fence)


def forgive(job: Claimed) -> Write:
    """The run got further than its last owner: earlier faults no longer count."""
    return (FORGIVE_JOB, (job.id, job.fence))


class Rest(NamedTuple):
    """A run that goes to sleep."""

    snapshot: str | None  # None: the one that is stored is new enough
    wake_at: int | None
    started_at: int | None
    now: int


def suspend_run(job: Claimed, segment: Segment, rest: Rest, *, also: Sequence[Write] = ()) -> WriteSet:
    """Let the run wait. The first answer says whether it sleeps or must go on for its inbox."""
    return WriteSet(
        writes=(
            (SUSPEND_JOB, (job.id, job.fence, job.top, job.lane, rest.now, rest.wake_at)),
            (_MOVE_RUN, (job.id, segment.first - 1, segment.last, rest.started_at)),
            _insert(job, segment),
            *_keep(job.id, segment.values),
            *([save_snapshot(job, segment, rest.snapshot)] if rest.snapshot is not None else []),
            *also,
        ),
        proof=_proof(job, segment),
        size=segment.size + len(rest.snapshot or ""),
        locks=lanes_locked(job),
    )


def settle_run(job: Claimed, segment: Segment, ending: Ending, *, slept: bool, also: Sequence[Write] = ()) -> WriteSet:
    """The run's last entries, its final row, the end of its job. The first answer: held jobs that got its place.

    `slept`: a snapshot was saved, of which nobody has any more use.
    """
    return WriteSet(
        writes=(
            (END_JOB, (job.id, job.fence, job.top, job.lane, ending.ended_at)),
            (_END_RUN, (job.id, segment.first - 1, segment.last, *ending)),
            _insert(job, segment),
            *_keep(job.id, segment.values),
            *([(DELETE_SNAPSHOT, (job.id,))] if slept else []),
            *also,
        ),
        proof=_proof(job, segment),
        size=segment.size + len(ending.outputs),
        locks=lanes_locked(job),
    )


def lanes_locked(job: Claimed) -> tuple[str, ...]:
    return (job.top,) if job.lane is None else (job.top, job.lane)


def text_or_none(value: object) -> str | None:
    return None if value is None else dumps(value)
