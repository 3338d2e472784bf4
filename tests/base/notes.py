"""A small table of the tests' own, and the statements that write it."""

from typing import Any

from sqlalchemy import Column, Integer, MetaData, Table, Text

from pilothouse.base.committer import WriteSet
from pilothouse.base.database import Database
from pilothouse.base.statements import Sql, delete_by, insert_into, update_by

metadata = MetaData()
notes = Table(
    "notes",
    metadata,
    Column("id", Text, primary_key=True),
    Column("owner", Text),
    Column("n", Integer, nullable=False),
)

INSERT = insert_into(notes, "id", "n")
MOVE = Sql(
    name="move_note",
    sqlite="update notes set n=?3 where id=?1 and n=?2",
    postgres="update notes t set n=v.after from unnest($1::text[], $2::int[], $3::int[]) with ordinality"
    " as v(id, before, after, n) where t.id=v.id and t.n=v.before returning v.n",
)
MOVE_ALL = Sql(  # says that it touches one row, and touches as many as there are
    name="move_all",
    sqlite="update notes set n=?2 where n=?1",
    postgres="update notes t set n=v.after from unnest($1::int[], $2::int[]) with ordinality as v(before, after, n)"
    " where t.n=v.before returning v.n",
)
SET = update_by(notes, ["id"], ["n"])
REMOVE = delete_by(notes, ["id"], touches=1)
EXISTS = Sql(
    name="note_exists",
    sqlite="select 1 from notes where id=?",
    postgres="select v.n from unnest($1::text[]) with ordinality as v(id, n) join notes t on t.id=v.id",
)
WRONG = Sql(
    name="wrong",
    sqlite="update no_such_table set n=1",
    postgres="update no_such_table set n=1 returning 1",
    touches=None,
)


async def make_notes(url: str) -> None:
    database = Database(url, pool_size=1)
    async with database.engine.begin() as connection:
        await connection.run_sync(metadata.create_all)
    await database.close()


def write(*writes: Any, doubtful: bool = False, proof: str | None = None, size: int = 0) -> WriteSet:
    return WriteSet(writes, doubtful=doubtful, size=size, proof=None if proof is None else (EXISTS, (proof,)))


def insert(note_id: str, n: int = 0) -> WriteSet:
    return write((INSERT, (note_id, n)), proof=note_id)
