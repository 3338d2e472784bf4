"""Work that goes on in the background: rows of its session, written in the name of the turn that works."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from pilothouse.base.committer import Write
from pilothouse.base.scripted import Script, Scripted
from pilothouse.features.chat.limits import MAX_BACKGROUND_TASKS
from pilothouse.kit.json import JsonObject, dumps, loads

RUNNING: Final = "running"
COMPLETED: Final = "completed"
ERROR: Final = "error"
CANCELLED: Final = "cancelled"
LOCAL = "local"  # work in the memory of a process; the other kinds are what a call can wait for
COLUMNS = "id, turn_id, tool, kind, ref_id, memo, state, output, started_at, taken_by"


class Parked(NamedTuple):
    """One piece of background work."""

    id: str
    turn_id: str
    tool: str
    kind: str  # run, sub_session, local
    ref_id: str | None
    memo: JsonObject
    state: str
    output: JsonObject | None
    started_at: int
    taken_by: str | None = None  # the key of the call that its result was given to


def parked_of(row: Sequence[object]) -> Parked:
    """From a row of `COLUMNS`."""
    memo, output = loads(str(row[5])), None if row[7] is None else loads(str(row[7]))
    return Parked._make((*row[:5], memo, row[6], output, *row[8:]))


def _park(session_id: str, work: Parked) -> Script:
    rows = yield (
        f"select {COLUMNS} from chat_background where session_id=?1 and taken_by is null and id<>?2"
        " order by started_at, id",
        (session_id, work.id),
    )
    evicted = rows[: max(0, len(rows) + 1 - MAX_BACKGROUND_TASKS)]
    for row in evicted:
        yield "delete from chat_background where session_id=?1 and id=?2", (session_id, row[0])
    yield "delete from chat_background where session_id=?1 and id=?2", (session_id, work.id)  # of an earlier claim
    yield (
        "insert into chat_background (session_id, id, turn_id, tool, kind, ref_id, memo, state, started_at)"
        " values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        (session_id, *work[:5], dumps(work.memo), work.state, work.started_at),
    )
    return [parked_of(row) for row in evicted]


def _end(session_id: str, work_id: str, state: str, output: str | None) -> Script:
    rows = yield (
        "update chat_background set state=?3, output=?4 where session_id=?1 and id=?2 and state='running' returning id",
        (session_id, work_id, state, output),
    )
    return bool(rows)


def _take(session_id: str, work_id: str, key: str) -> Script:
    rows = yield (
        "update chat_background set taken_by=?3 where session_id=?1 and id=?2 and (taken_by is null or taken_by=?3)"
        " returning id",
        (session_id, work_id, key),
    )
    return bool(rows)


def _lose(session_id: str) -> Script:
    rows = yield (
        "update chat_background set state='error' where session_id=?1 and kind='local' and state='running'"
        f" returning {COLUMNS}",
        (session_id,),
    )
    return [parked_of(row) for row in rows]


_PARK, _END = Scripted("park_work", _park), Scripted("end_parked", _end)
_TAKE, _LOSE = Scripted("take_parked", _take), Scripted("lose_local", _lose)


def park(session_id: str, work: Parked) -> Write:
    """Keep it; the answer is what had to go for it, oldest first."""
    return _PARK, (session_id, work)


def end_parked(session_id: str, work_id: str, state: str, output: JsonObject | None) -> Write:
    """It is over. Answers whether it was still thought to run."""
    return _END, (session_id, work_id, state, None if output is None else dumps(output))


def take_parked(session_id: str, work_id: str, key: str) -> Write:
    """Give its result to a call: to that one again if it asks again, to no other. Answers whether it may have it."""
    return _TAKE, (session_id, work_id, key)


def lose_local(session_id: str) -> Write:
    """The process that did it is gone. Answers the local work that was still thought to run."""
    return _LOSE, (session_id,)
