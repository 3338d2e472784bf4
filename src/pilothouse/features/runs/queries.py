"""Every read of runs, scoped to the actor."""

from typing import Any, Final, NamedTuple, cast

from sqlalchemy import text

from pilothouse.base.actor import Actor
from pilothouse.base.reader import Reader
from pilothouse.base.work import Read
from pilothouse.features.runs.errors import RunNotFound, ValueNotFound
from pilothouse.features.runs.present import BRIEF_COLUMNS, COLUMNS, RunFacts, facts_of
from pilothouse.features.runs.steps import lengthened
from pilothouse.kit.ids import RunId
from pilothouse.kit.json import Json, JsonObject, loads


class Filter(NamedTuple):
    """Which runs to list."""

    agent_id: str | None = None
    status: str | None = None
    parent_id: str | None = None  # its children; None: runs that are nobody's


_FROM = "from runs r left join jobs j on j.id=r.id"
# There are few jobs and many runs. SQLite takes the tables of a cross join in this order; PostgreSQL finds its own.
_FROM_JOBS = "from jobs j cross join runs r"

MAX_TREE: Final = 1_000
_TREE = (
    "with recursive tree(id) as (select r.id from runs r where r.id=?1"
    " union all select c.id from runs c join tree t on c.parent_id=t.id) select id from tree order by id limit ?2"
)
# A status that is not final is the job's state.
_STATUS = {
    "queued": "r.id=j.id and j.state in ('held', 'queued')",
    "running": "r.id=j.id and j.state='running'",
    "waiting": "r.id=j.id and j.state='waiting'",
}


async def get_run(reader: Reader, actor: Actor, run_id: RunId) -> RunFacts:
    rows = await reader.rows(f"select {COLUMNS} {_FROM} where r.id=?1 and r.user_id=?2", run_id, actor.user_id)
    if not rows:
        raise RunNotFound
    return facts_of(rows[0])


async def runs_below(reader: Reader, run_id: str) -> list[str]:
    """The run and what its steps started, at every depth; of very many, the first."""
    rows = await reader.rows(_TREE, run_id, MAX_TREE)
    return [row[0] for row in rows]


async def get_value(reader: Reader, actor: Actor, run_id: RunId, value_hash: str) -> str:
    """A large value of a run, as JSON text."""
    rows = await reader.rows(
        "select v.body from runs r join log_values v on v.log_id=r.id where r.id=?1 and r.user_id=?2 and v.hash=?3",
        run_id,
        actor.user_id,
        value_hash,
    )
    if not rows:
        raise ValueNotFound
    return rows[0][0]


async def list_runs(reader: Reader, actor: Actor, wanted: Filter, *, before: str | None, limit: int) -> list[RunFacts]:
    """Newest first, without inputs, outputs and statistics; ids sort by the moment they were made."""
    where, params = _where(actor, wanted)
    if before is not None:
        params.append(before)
        where += f" and r.id < ?{len(params)}"
    params.append(limit)
    source = _FROM_JOBS if wanted.status in _STATUS else _FROM
    sql = f"select {BRIEF_COLUMNS} {source} where {where} order by r.id desc limit ?{len(params)}"
    rows = await reader.rows(sql, *params)
    return [facts_of(row) for row in rows]


async def count_runs(read: Read) -> dict[str, int]:
    """How many runs the actor has, by status. Looks at all of them, so it is read beside the event loop."""
    sql = (
        "select coalesce(r.status, case j.state when 'running' then 'running' when 'waiting' then 'waiting'"
        f" else 'queued' end) as shown, count(*) {_FROM} where r.user_id=:user_id and r.parent_id is null"
        " and not r.dry_run group by 1"
    )
    rows = await read.session.execute(text(sql), {"user_id": read.actor.user_id})
    return {row[0]: row[1] for row in rows}


class LogHead(NamedTuple):
    """What a reader of a run's log must know first."""

    agent_id: str
    version: int
    head: int
    ended: bool
    expired: bool  # only summaries of its steps are left


async def log_head(reader: Reader, actor: Actor, run_id: RunId) -> LogHead:
    rows = await reader.rows(
        "select agent_id, version, head, status is not null, steps is not null from runs where id=?1 and user_id=?2",
        run_id,
        actor.user_id,
    )
    if not rows:
        raise RunNotFound
    agent_id, version, head, ended, expired = rows[0]
    return LogHead(agent_id, version, head, bool(ended), bool(expired))


async def is_unfinished(reader: Reader, run_id: str) -> bool:
    return bool(await reader.rows("select 1 from runs where id=?1 and status is null", run_id))


async def kept_steps(reader: Reader, run_id: RunId) -> list[JsonObject]:
    """What is left of the steps of a run whose log has expired."""
    rows = await reader.rows("select steps from runs where id=?1", run_id)
    kept = cast(list[list[Json]], loads(rows[0][0])) if rows and rows[0][0] is not None else []
    return [lengthened(step) for step in kept]


def _where(actor: Actor, wanted: Filter) -> tuple[str, list[Any]]:
    where = "r.user_id=?1"
    params: list[Any] = [actor.user_id]
    if wanted.parent_id is None:
        where += " and r.parent_id is null"
    else:
        params.append(wanted.parent_id)
        where += " and r.parent_id=?2"
    if wanted.agent_id is not None:
        params.append(wanted.agent_id)
        where += f" and r.agent_id=?{len(params)}"
    if wanted.status in _STATUS:
        where += f" and {_STATUS[wanted.status]}"
    elif wanted.status is not None:
        params.append(wanted.status)
        where += f" and r.status=?{len(params)}"
    return where, params
