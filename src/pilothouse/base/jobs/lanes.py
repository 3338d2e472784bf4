"""Lanes: how many jobs of one user, and of one user and agent, may run at a time.

A lane's row counts the places taken. Jobs beyond the cap are `held` in the table and get the place that a
settling job gives back. All changes to a user's lanes happen under the lock of the user's top lane (the
committer takes it for the whole group), so a book read here cannot be out of date.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from pilothouse.base.statements import GroupFetch, Params, PostgresFetch, SqliteExecute, columns_of, write_later

# A job's two lanes: (top, top_cap, lane, lane_cap); a job with one lane has None for the second.
LanePair = tuple[str, str | None]


class LaneBook:
    """The lanes of one group as read under their lock; pure bookkeeping."""

    def __init__(self, rows: Iterable[Sequence[Any]]) -> None:
        self.lanes: dict[str, list[int]] = {key: [cap, used] for key, cap, used in rows}
        self.changed: set[str] = set()

    def know(self, pair: LanePair, caps: tuple[int, int]) -> bool:
        """Note the lanes' present caps; answers whether one of them was raised. A lane unknown so far is empty."""
        raised = False
        for key, cap in zip(pair, caps, strict=True):
            if key is None:
                continue
            lane = self.lanes.setdefault(key, [0, 0])
            if lane[0] != cap:
                raised = raised or 0 < lane[0] < cap  # 0: a row that was made only to be locked
                lane[0] = cap
                self.changed.add(key)
        return raised

    def take(self, pair: LanePair) -> bool:
        """Take a place in both lanes, or in neither."""
        top, lane = pair
        if self.free(pair) < 1:
            return False
        self._add(top, 1)
        self._add(lane, 1)
        return True

    def force(self, pair: LanePair) -> None:
        """Take a place even if there is none: for a job that is about to end."""
        top, lane = pair
        self._add(top, 1)
        self._add(lane, 1)

    def give(self, pair: LanePair) -> None:
        top, lane = pair
        self._add(top, -1)
        self._add(lane, -1)

    def free(self, pair: LanePair) -> int:
        """How many more jobs of this pair may run."""
        top, lane = pair
        room = self._room(top)
        return room if lane is None else min(room, self._room(lane))

    def rows(self) -> list[tuple[str, int, int]]:
        """The lanes that changed, in key order, to be written back."""
        return [(key, self.lanes[key][0], self.lanes[key][1]) for key in sorted(self.changed)]

    def _room(self, key: str) -> int:
        cap, used = self.lanes.get(key, (0, 0))
        return cap - used

    def _add(self, key: str | None, by: int) -> None:
        if key is None or key not in self.lanes:
            return
        lane = self.lanes[key]
        lane[1] = max(0, lane[1] + by)
        self.changed.add(key)


_SAVE_SQLITE = (
    "insert into lanes (key, cap, used) values (?, ?, ?)"
    " on conflict (key) do update set cap=excluded.cap, used=excluded.used"
)
_SAVE_POSTGRES = (
    "insert into lanes (key, cap, used) select * from unnest($1::text[], $2::int[], $3::int[])"
    " on conflict (key) do update set cap=excluded.cap, used=excluded.used"
)


def keys_of(pairs: Iterable[LanePair]) -> list[str]:
    return sorted({key for pair in pairs for key in pair if key is not None})


def read_sqlite(execute: SqliteExecute, pairs: Sequence[LanePair]) -> LaneBook:
    keys = keys_of(pairs)
    marks = ",".join("?" * len(keys))
    return LaneBook(execute(f"select key, cap, used from lanes where key in ({marks})", tuple(keys))[1])


def save_sqlite(execute: SqliteExecute, book: LaneBook) -> None:
    for row in book.rows():
        execute(_SAVE_SQLITE, row)
    book.changed.clear()


async def read_postgres(fetch: PostgresFetch, pairs: Sequence[LanePair]) -> LaneBook:
    """The lanes as they are in this transaction; those that the group has locked need not be asked for again."""
    keys = keys_of(pairs)
    known = fetch.lanes if isinstance(fetch, GroupFetch) else {}
    if all(key in known for key in keys):
        return LaneBook([(key, *known[key]) for key in keys])
    return LaneBook(await fetch("select key, cap, used from lanes where key = any($1::text[])", keys))


async def save_postgres(fetch: PostgresFetch, book: LaneBook, *, later: bool = False) -> None:
    """`later`: together with what the group writes next; before anything that it reads."""
    if rows := book.rows():
        write = write_later if later else _write_now
        await write(fetch, _SAVE_POSTGRES, columns_of(rows))
        if isinstance(fetch, GroupFetch):
            fetch.lanes.update({key: (cap, used) for key, cap, used in rows})
    book.changed.clear()


async def _write_now(fetch: PostgresFetch, sql: str, arrays: list[list[Any]]) -> None:
    await fetch(sql, *arrays)


def give_back(fetch: PostgresFetch, pairs: Iterable[LanePair]) -> None:
    """Note that these places were given back in the table."""
    if isinstance(fetch, GroupFetch):
        for key in (key for pair in pairs for key in pair if key in fetch.lanes):
            cap, used = fetch.lanes[key]
            fetch.lanes[key] = (cap, max(0, used - 1))


# Giving places to held jobs: those of the same lane first, oldest first; then, if the user's own cap was what held
# others back, the oldest whose narrower lane has room. So no job is ever held while both its lanes have room, and
# whoever gives n places back need not look further unless the user's cap has now at most n.

_SAME_LANE = "select id from jobs where top_lane=?1 and lane=?3 and state='held' order by id limit ?2"
_ONLY_TOP = "select id from jobs where top_lane=?1 and lane is null and state='held' order by id limit ?2"
# The oldest whose lane has room. It steps from one held lane to the next: thousands of jobs held in one cost no more
# than a single one.
NEXT_HELD = """
with recursive held(lane) as (
    select ''
    union all
    select (select min(j.lane) from jobs j where j.top_lane=?1 and j.state='held' and j.lane > held.lane)
    from held where held.lane is not null
), firsts(id, lane) as (
    select (select min(j.id) from jobs j where j.top_lane=?1 and j.lane=held.lane and j.state='held'), held.lane
    from held join lanes l on l.key=held.lane where l.used < l.cap
    union all
    select (select min(j.id) from jobs j where j.top_lane=?1 and j.lane is null and j.state='held'), null
)
select id, lane from firsts where id is not null order by id limit 1
"""
# As `_held_of`, and queues them.
_QUEUE_HELD = (
    "with pick as ({held}), moved as (update jobs j set state='queued', due_at=0, fence=j.fence+1, moved_at=${nth}"
    " from pick where j.id=pick.id and j.state='held' returning j.id) select id from moved order by id"
)
_QUEUE_SQLITE = "update jobs set state='queued', due_at=0, fence=fence+1, moved_at=? where id=? and state='held'"
_QUEUE_POSTGRES = (
    "update jobs set state='queued', due_at=0, fence=fence+1, moved_at=$2 where id = any($1::text[]) and state='held'"
)


def _held_of(pair: LanePair, limit: int) -> tuple[str, Params]:
    """The oldest jobs of just these lanes."""
    top, lane = pair
    return (_ONLY_TOP, (top, limit)) if lane is None else (_SAME_LANE, (top, limit, lane))


def promote_sqlite(
    execute: SqliteExecute, book: LaneBook, pair: LanePair, now: int, *, raised: bool = False
) -> list[str]:
    """Queue held jobs into the place that was given back, or that a raised cap made; answers their ids."""
    top, lane = pair
    free = book.free(pair)
    cramped = raised or book.free((top, None)) <= 1
    wanted = free > 0 and (raised or free == 1)  # else there was room before, and nobody waits
    found = [(row[0], lane) for row in execute(*_held_of(pair, free))[1]] if wanted else []
    chosen: list[str] = []
    while True:
        for job_id, other in found:
            if book.take((top, other)):
                execute(_QUEUE_SQLITE, (now, job_id))
                chosen.append(job_id)
        save_sqlite(execute, book)
        room = book.free((top, None))
        found = execute(NEXT_HELD, (top,))[1] if cramped and room > 0 else []
        if not found:
            return chosen
        book.lanes.update(read_sqlite(execute, [(top, other) for _, other in found]).lanes)


async def promote_postgres(
    fetch: PostgresFetch, book: LaneBook, pairs: Sequence[LanePair], now: int, *, raised: bool = False
) -> list[str]:
    """As `promote_sqlite`, for all pairs of a group; the caller holds the top lanes' locks."""
    chosen: list[str] = []
    given = Counter(key for pair in pairs for key in pair if key is not None)
    full = {key for key, count in given.items() if raised or book.free((key, None)) <= count}  # until now
    cramped = sorted({top for top, _ in pairs if top in full})
    for top, lane in sorted(set(pairs), key=str):
        free = book.free((top, lane))
        if free > 0 and (lane in full or top in full):  # else nobody waits for this place
            chosen += await _queue_held(fetch, book, (top, lane), free, now)
    await save_postgres(fetch, book, later=True)
    for top in cramped:
        while book.free((top, None)) > 0:
            found = [(row[0], row[1]) for row in await fetch(NEXT_HELD.replace("?", "$"), top)]
            if not found:
                break
            book.lanes.update((await read_postgres(fetch, [(top, other) for _, other in found])).lanes)
            chosen += await _queue_postgres(fetch, book, top, found, now)
            await save_postgres(fetch, book, later=True)
    return chosen


async def _queue_held(fetch: PostgresFetch, book: LaneBook, pair: LanePair, free: int, now: int) -> list[str]:
    """Queue the oldest held jobs of these lanes, as many as there are places."""
    sql, params = _held_of(pair, free)
    sql = _QUEUE_HELD.format(held=sql.replace("?", "$"), nth=len(params) + 1)
    placed = [row[0] for row in await fetch(sql, *params, now)]
    for _ in placed:
        book.force(pair)
    return placed


async def _queue_postgres(
    fetch: PostgresFetch, book: LaneBook, top: str, found: Sequence[tuple[str, str | None]], now: int
) -> list[str]:
    placed = [job_id for job_id, lane in found if book.take((top, lane))]
    if placed:
        await fetch(_QUEUE_POSTGRES, placed, now)
    return placed
