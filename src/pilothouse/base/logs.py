"""Event logs with gapless ids.

A log belongs to a row of some table with an `id` and a `head`. The head moves in the transaction that appends:
a rollback returns the numbers, and n + 1 is never visible before n. Entries are stored as segments, one row per
flush, so that a hundred entries cost one insert. Reading after n fetches the segments that end after n.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import BigInteger, Column, Table, Text

from pilothouse.base.database import Id, metadata
from pilothouse.base.reader import Reader
from pilothouse.base.statements import REFUSED, Params, PostgresFetch, Sql, SqliteExecute, insert_into
from pilothouse.kit.json import Json, loads

segments = Table(
    "segments",
    metadata,
    Column("log_id", Id, primary_key=True),
    Column("first", BigInteger, primary_key=True),
    Column("last", BigInteger, nullable=False),
    Column("fence", BigInteger, nullable=False),  # under which it was written: proves who landed it
    Column("body", Text, nullable=False),  # a JSON array of entries
)

snapshots = Table(
    "snapshots",
    metadata,
    Column("log_id", Id, primary_key=True),
    Column("seq", BigInteger, nullable=False),
    Column("body", Text, nullable=False),
)

_INSERT = insert_into(segments, "log_id", "first", "last", "fence", "body")


@dataclass(frozen=True, slots=True, eq=False)
class InsertSegment:
    """Store entries first..last: (log_id, first, last, fence, body). One without entries is not stored.

    It would stand where the next segment must go.
    """

    name: str = "insert_segments"

    def on_sqlite(self, execute: SqliteExecute, params: Params) -> Any:
        return _INSERT.on_sqlite(execute, params) if params[2] >= params[1] else 0

    async def on_postgres(self, fetch: PostgresFetch, many: Sequence[Params]) -> Sequence[Any]:
        if full := [params for params in many if params[2] >= params[1]]:
            await _INSERT.on_postgres(fetch, full)
        return [1 if params[2] >= params[1] else 0 for params in many]


INSERT_SEGMENT = InsertSegment()
SEGMENT_LANDED = Sql(
    name="segment_landed",
    sqlite="select 1 from segments where log_id=? and first=? and fence=?",
    postgres="select v.n from unnest($1::text[], $2::bigint[], $3::bigint[]) with ordinality"
    " as v(log_id, first, fence, n) join segments s on s.log_id=v.log_id and s.first=v.first and s.fence=v.fence",
)
SAVE_SNAPSHOT = Sql(
    name="save_snapshot",
    sqlite="insert into snapshots (log_id, seq, body) values (?, ?, ?)"
    " on conflict (log_id) do update set seq=excluded.seq, body=excluded.body",
    postgres="insert into snapshots (log_id, seq, body) select * from unnest($1::text[], $2::bigint[], $3::text[])"
    " on conflict (log_id) do update set seq=excluded.seq, body=excluded.body",
    touches=None,
)


@dataclass(frozen=True, slots=True, eq=False)
class Append:
    """For a log with many writers: (id, entry texts). Numbers them under the row's lock; answers (first, last)."""

    owner: str
    name: str = "append"

    def on_sqlite(self, execute: SqliteExecute, params: Params) -> Any:
        log_id, texts = params
        _, rows = execute(f"update {self.owner} set head=head+? where id=? returning head", (len(texts), log_id))
        if not rows:
            return REFUSED
        last = rows[0][0]
        row = (log_id, last - len(texts) + 1, last, 0, _array(texts))
        execute("insert into segments (log_id, first, last, fence, body) values (?, ?, ?, ?, ?)", row)
        return row[1], last

    async def on_postgres(self, fetch: PostgresFetch, many: Sequence[Params]) -> Sequence[Any]:
        answers: list[Any] = []
        for log_id, texts in many:
            rows = await fetch(
                f"with s as (update {self.owner} set head=head+$2 where id=$1 returning head)"
                " insert into segments (log_id, first, last, fence, body)"
                " select $1, s.head-$2+1, s.head, 0, $3 from s returning first, last",
                log_id,
                len(texts),
                _array(texts),
            )
            answers.append((rows[0][0], rows[0][1]) if rows else REFUSED)
        return answers


def _array(texts: Sequence[str]) -> str:
    return "[" + ",".join(texts) + "]"


async def read_after(reader: Reader, log_id: str, after: int, *, limit: int = 200) -> list[tuple[int, Json]]:
    """Committed entries with ids greater than `after`, in order: `limit` of them, or all there are.

    Numbers have no gaps, so the segments to read are known beforehand, however long the log is.
    """
    rows = await reader.rows(
        "select first, body from segments where log_id=?1 and last > ?2 and first <= ?3 order by first",
        log_id,
        after,
        after + limit,
    )
    found = [(seq, entry) for first, body in rows for seq, entry in numbered(first, body) if seq > after]
    return found[:limit]


def numbered(first: int, body: str) -> list[tuple[int, Json]]:
    """A segment's entries with their ids."""
    entries = loads(body)
    if not isinstance(entries, list):
        raise ValueError("a segment is not a list")
    return list(enumerate(entries, first))
