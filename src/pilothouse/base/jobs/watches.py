"""Waiting for the end of another job. The watch is on disk before its owner looks, and is read when the job has ended.

Whoever ends a job tells the watchers at once. Should it die before that, the sweeper finds watches of jobs that are no
more: so no end is missed, and ending a job that nobody watches costs nothing.
"""

import asyncio
from collections.abc import Sequence
from typing import Final, NamedTuple

from pilothouse.base.committer import Committer, Refused, Write, WriteSet
from pilothouse.base.jobs.bells import Bell
from pilothouse.base.jobs.inbox import SEND_FACT
from pilothouse.base.jobs.moves import micros
from pilothouse.base.jobs.tables import watches
from pilothouse.base.reader import Reader
from pilothouse.base.statements import Sql, delete_by
from pilothouse.kit.errors import Unavailable
from pilothouse.kit.ids import derived_id
from pilothouse.kit.json import dumps

FACT: Final = "@ended"  # the kind of fact that tells a watcher of an end

_WATCH = Sql(
    name="watch_job",
    sqlite="insert into watches (watcher_id, key, job_id, body) values (?, ?, ?, ?)"
    " on conflict (watcher_id, key) do update set job_id=excluded.job_id, body=excluded.body",
    postgres="insert into watches (watcher_id, key, job_id, body) select * from"
    " unnest($1::text[], $2::text[], $3::text[], $4::text[])"
    " on conflict (watcher_id, key) do update set job_id=excluded.job_id, body=excluded.body",
    touches=None,
)
_UNWATCH = delete_by(watches, ["watcher_id", "key"])

# Of the watchers of one job: (watcher, kind, top lane, lane, job).
WATCHERS_OF: Final = (
    "select distinct w.watcher_id, j.kind, j.top_lane, j.lane, w.job_id from watches w"
    " join jobs j on j.id=w.watcher_id where w.job_id=?1"
)
_MISSED: Final = (
    "select distinct w.watcher_id, j.kind, j.top_lane, j.lane, w.job_id from watches w"
    " join jobs j on j.id=w.watcher_id left join jobs o on o.id=w.job_id"
    " where o.id is null and j.state='waiting' limit ?1"
)


def watch(watcher_id: str, key: str, job_id: str, body: str) -> Write:
    """Land it behind the watcher's `GUARD_JOB`."""
    return _WATCH, (watcher_id, key, job_id, body)


def unwatch(watcher_id: str, key: str) -> Write:
    return _UNWATCH, (watcher_id, key)


class Watcher(NamedTuple):
    """A job that waits for another."""

    id: str
    kind: str
    top: str
    lane: str | None
    job_id: str


async def missed_watchers(reader: Reader, limit: int) -> list[Watcher]:
    """Those that sleep although what they wait for is over."""
    return [Watcher(*row) for row in await reader.rows(_MISSED, limit)]


async def tell_watchers(committer: Committer, bell: Bell, found: Sequence[Watcher]) -> None:
    """Put the end into their inboxes and wake them. What cannot be told now, the sweeper tells."""
    await asyncio.gather(*(_tell(committer, bell, watcher) for watcher in found))


async def tell_end(reader: Reader, committer: Committer, bell: Bell, job_id: str) -> None:
    """A job has ended that somebody may well be waiting for."""
    try:
        rows = await reader.rows(WATCHERS_OF, job_id)
    except Unavailable:
        return
    await tell_watchers(committer, bell, [Watcher(*row) for row in rows])


async def _tell(committer: Committer, bell: Bell, watcher: Watcher) -> None:
    body = dumps({"job_id": watcher.job_id})
    fact = (derived_id(watcher.job_id, "watched end"), FACT, body)
    send = (SEND_FACT, (watcher.id, watcher.top, watcher.lane, micros(), *fact))
    try:
        answers = await committer.land(WriteSet((send,), locks=(watcher.top,)))
    except (Refused, Unavailable):
        return  # it has ended itself, or the sweeper will tell it
    if answers and answers[0]:
        bell.ring(watcher.kind, [watcher.id])
