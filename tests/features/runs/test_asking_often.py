"""A run may ask a person a thousand times: what it has asked before must not make the next question dearer."""

from pilothouse.base.reader import Reader
from pilothouse.base.statements import Rows
from pilothouse.features import reviews
from tests.base.ports import reading


class Explaining:
    """Tells how the database would look, instead of looking."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.plan = ""

    async def rows(self, sql: str, *params: object) -> Rows:
        found = await self.reader.rows(f"explain query plan {sql}", *params)
        self.plan = str(found)
        return found

    async def close(self) -> None:
        await self.reader.close()


async def test_whether_a_node_was_approved_is_seen_without_reading_earlier_reviews(sqlite_url: str):
    async with reading(sqlite_url) as reader:
        explaining = Explaining(reader)
        await reviews.is_approved_for_node(explaining, "run", "ask")

    assert "ix_reviews_for_node (job_id=? AND node_id=?)" in explaining.plan
