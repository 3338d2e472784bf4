"""Every read of the library, scoped to the actor.

It joins the tables of the slices below by their names: a list that is ordered by the last run and cut into pages cannot
be put together from lists that are not.
"""

from typing import Any, Final, Literal, NamedTuple, TypeAlias, cast

from sqlalchemy import Row, text

from pilothouse.base.work import Read
from pilothouse.features.agents import AgentNotFound
from pilothouse.features.library.entry import Entry, EntryStatus, LastRun
from pilothouse.kit.clock import from_micros
from pilothouse.kit.ids import AgentId

Sort: TypeAlias = Literal["created", "changed", "last_run", "name"]
Order: TypeAlias = Literal["asc", "desc"]

_PLACES: Final[dict[Sort, str]] = {
    "created": "a.id",  # ids sort by the moment they were made
    "changed": "a.updated_at",
    "last_run": "coalesce(l.id, '')",
    "name": "lower(v.name)",
}
# Jobs are the few runs that have not ended. A run that waits for a person only is not at work: it wants its owner.
_ENTRIES: Final = """
with asked as (select distinct agent_id from reviews where user_id=:user_id and state='waiting'),
busy as (
  select distinct r.agent_id from jobs j cross join runs r
  where r.id=j.id and r.user_id=:user_id and r.parent_id is null
    and (j.state <> 'waiting' or r.agent_id not in (select agent_id from asked))
),
entries as (
  select a.id, v.name, v.description, a.active_version, a.newest_version, v.node_count, a.created_at, a.updated_at,
    a.favourite,
    case
      when a.id in (select agent_id from busy) then 'running'
      when a.id in (select agent_id from asked) then 'attention'
      when l.status in ('failed', 'completed_with_errors') then 'attention'
      when l.id is null then 'never_run'
      else 'idle'
    end as status,
    case when a.id in (select agent_id from asked) then 'review_waits' else 'run_failed' end as attention,
    l.id as run_id, coalesce(l.status, case j.state when 'held' then 'queued' else j.state end) as run_status,
    l.created_at as run_at, {place} as place
  from agents a
  join agent_versions v on v.agent_id=a.id and v.version=a.active_version
  left join runs l on l.id=(
    select r.id from runs r where r.agent_id=a.id and r.user_id=:user_id and r.parent_id is null
    order by r.id desc limit 1
  )
  left join jobs j on j.id=l.id
  where a.user_id=:user_id and a.deleted_at is null {found}
)
select * from entries where {past} order by place {order}, id {order} limit :limit
"""
_FOUND: Final = r"and (lower(v.name) like :term escape '\' or lower(v.description) like :term escape '\')"


class Wanted(NamedTuple):
    """Which entries, and in which order."""

    term: str = ""
    status: EntryStatus | None = None
    sort: Sort = "created"
    order: Order = "desc"
    favourite: bool | None = None


async def list_entries(
    read: Read, wanted: Wanted, limit: int, after: tuple[str | int, str] | None = None
) -> list[Entry]:
    """The actor's agents; `after` is the place and the id of the last one that was seen."""
    params: dict[str, Any] = {"user_id": read.actor.user_id, "limit": limit}
    past = ["1=1"]
    if wanted.term:
        params["term"] = f"%{_literal(wanted.term.lower())}%"
    if wanted.status is not None:
        past.append("status=:status")
        params["status"] = wanted.status
    if wanted.favourite is not None:
        past.append("favourite=:favourite")
        params["favourite"] = wanted.favourite
    if after is not None:
        past.append(f"(place, id) {'<' if wanted.order == 'desc' else '>'} (:place, :id)")
        params |= {"place": after[0], "id": after[1]}
    sql = _ENTRIES.format(
        place=_PLACES[wanted.sort],
        found=_FOUND if wanted.term else "",
        past=" and ".join(past),
        order=wanted.order,
    )
    return [_entry(row) for row in await read.session.execute(text(sql), params)]


async def get_entry(read: Read, agent_id: AgentId) -> Entry:
    """Raises `AgentNotFound`."""
    sql = _ENTRIES.format(place=_PLACES["created"], found="and a.id=:agent_id", past="1=1", order="asc")
    params = {"user_id": read.actor.user_id, "agent_id": agent_id, "limit": 1}
    row = (await read.session.execute(text(sql), params)).one_or_none()
    if row is None:
        raise AgentNotFound
    return _entry(row)


def _literal(term: str) -> str:
    return term.replace("\\", "\\\\").replace("%", r"\%").replace("_", r"\_")


def _entry(row: Row[Any]) -> Entry:
    last = None if row.run_id is None else LastRun(row.run_id, row.run_status or "queued", from_micros(row.run_at))
    return Entry(
        id=row.id,
        name=row.name,
        description=row.description,
        version=row.active_version,
        newest_version=row.newest_version,
        node_count=row.node_count,
        created_at=from_micros(row.created_at),
        updated_at=from_micros(row.updated_at),
        status=cast(EntryStatus, row.status),
        attention=row.attention if row.status == "attention" else None,
        last_run=last,
        favourite=bool(row.favourite),
        place=row.place,
    )
