"""A run that a step of another run started: how it is admitted, what its parent is told, how a whole tree is cancelled.

The parent is told that there is something new, never what: it reads the child's log, whose order is the order of
commits. So no value is stored twice on the way, and telling twice does no harm.
"""

from typing import Final, NamedTuple, cast

from pilothouse.base.committer import Write
from pilothouse.base.jobs.cancels import CANCEL_JOBS
from pilothouse.base.jobs.inbox import TELL_JOB
from pilothouse.base.scripted import Script, Scripted
from pilothouse.base.statements import REFUSED
from pilothouse.kit.ids import child_id, derived_id
from pilothouse.kit.json import Json, JsonObject, dumps

FACT: Final = "@child"  # the kind of fact that tells a parent of its child
MAX_DEPTH: Final = 10


class Parent(NamedTuple):
    """The step that started a run."""

    run_id: str
    step_id: int
    depth: int  # of the child: 1 when its parent is nobody's


def parent_of(facts: JsonObject) -> Parent | None:
    """From what a run was accepted with."""
    told = facts.get("parent")
    return Parent(*cast(tuple[str, int, int], told)) if isinstance(told, list) else None


def child_run_id(run_id: str, step_id: int, attempt: int) -> str:
    """The same for the same attempt of a step, so that repeating it after a crash attaches and never doubles."""
    return child_id(run_id, f"child {step_id}/{attempt}")


def _guard(job_id: str, fence: int) -> Script:
    rows = yield "select cancel_at from jobs where id=?1 and fence=?2 and state='running' for update", (job_id, fence)
    return 1 if rows and rows[0][0] is None else REFUSED


# Goes first in the set that admits a child: (parent's id, fence). Nobody starts anything for a run that others have
# by now, or that was cancelled.
GUARD_PARENT = Scripted("guard_parent", _guard)


def tell_news(parent: Parent, run_id: str, now: int) -> Write:
    """The child has given something. One such fact waits at a time: the parent reads all there is."""
    body = dumps({"run_id": run_id, "ended": None})
    return (TELL_JOB, (parent.run_id, now, derived_id(run_id, "news"), FACT, body))


def tell_end(parent: Parent, run_id: str, ended: JsonObject, now: int) -> Write:
    """The child is over."""
    body = dumps({"run_id": run_id, "ended": ended})
    return (TELL_JOB, (parent.run_id, now, derived_id(run_id, "end"), FACT, body))


_TREE = (
    "select j.id, j.top_lane, j.lane, j.state from jobs j where j.id in (with recursive tree(id) as"
    " (select r.id from runs r where r.id=?1 union all select c.id from runs c join tree t on c.parent_id=t.id)"
    " select id from tree) order by j.id for update"
)


def _cancel(run_id: str, now: int, owner: str, whole: bool) -> Script:
    rows = yield _TREE, (run_id,)
    if whole and not any(row[0] == run_id for row in rows):
        return REFUSED
    return (yield CANCEL_JOBS, (rows, now, owner))


# Marks a run and everything below it: (run id, now, owner, whole). Refused when `whole` and the run has ended. Needs
# the user's top lane. Answers `CancelledJobs`.
CANCEL_TREE = Scripted("cancel_tree", _cancel)


def ended_json(status: str, reason: Json, stats: JsonObject) -> JsonObject:
    """What a parent must know of a child that is over: how, and what to add to its own figures."""
    return {"status": status, "reason": reason, "stats": {name: stats[name] for name in _ROLLED if name in stats}}


_ROLLED: Final = ("errors_handled", "errors_unhandled", "children", "cost_microdollars", "tokens")
