"""Event logs with gapless ids.

A log belongs to a row of some table with an `id` and a `head`. The head moves in the transaction that appends:
a rollback returns the numbers, and n + 1 is never visible before n. Entries are stored as segments, one row per
flush, so that a hundred entries cost one insert. Reading after n fetches the segments that end after n.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import BigInteger, Column, String, Table, Text

from pilothouse.base.database import Id, metadata
from pilothouse.base.reader import Reader, marks
from pilothouse.base.statements import JOINS_GO, REFUSED, Params, PostgresFetch, Sql, SqliteExecute
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

# Values that are too large to stand in an entry, once each, by the hash of their JSON text. They go with their log.
log_values = Table(
    "log_values",
    metadata,
    Column("log_id", Id, primary_key=True),
    Column("hash", String(64), primary_key=True),
    Column("body", Text, nullable=False),
)

# Stores entries first..last: (log_id, first, last, fence, body). Without entries there is nothing to store: the row
# would stand where the next segment must go.
INSERT_SEGMENT = Sql(
    name="insert_segment",
    sqlite="insert into segments (log_id, first, last, fence, body) select ?1, ?2, ?3, ?4, ?5 where ?3 >= ?2",
    postgres="insert into segments (log_id, first, last, fence, body) select v.log_id, v.first, v.last, v.fence, v.body"
    " from unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[]) with ordinality"
    f" as v(log_id, first, last, fence, body, nth) where v.last >= v.first{JOINS_GO}",
    touches=None,
)
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
class KeepValues:
    """Keep large values beside a log: (log_id, ((hash, text), ...)). One that is there already stays."""

    name: str = "keep_values"

    def on_sqlite(self, execute: SqliteExecute, params: Params) -> int:
        log_id, values = params
        for key, text in values:
            execute(
                "insert into log_values (log_id, hash, body) values (?, ?, ?) on conflict do nothing",
                (log_id, key, text),
            )
        return len(values)

    async def on_postgres(self, fetch: PostgresFetch, many: Sequence[Params]) -> Sequence[int]:
        for log_id, values in many:
            await fetch(
                "insert into log_values (log_id, hash, body) select $1, v.hash, v.body"
                " from unnest($2::text[], $3::text[]) as v(hash, body) on conflict do nothing",
                log_id,
                [key for key, _ in values],
                [text for _, text in values],
            )
        return [len(values) for _, values in many]


KEEP_VALUES = KeepValues()


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


async def read_values(reader: Reader, log_id: str, hashes: Sequence[str]) -> dict[str, str]:
    """Large values of a log, as JSON text by hash; those that are not there are left out."""
    if not hashes:
        return {}
    rows = await reader.rows(
        f"select hash, body from log_values where log_id=?1 and hash in ({marks(len(hashes), 2)})", log_id, *hashes
    )
    return dict(cast(list[tuple[str, str]], rows))


def numbered(first: int, body: str) -> list[tuple[int, Json]]:
    """A segment's entries with their ids."""
    entries = loads(body)
    if not isinstance(entries, list):
        raise ValueError("a segment is not a list")
    return list(enumerate(entries, first))
