import pytest

from pilothouse.base.database import is_sqlite
from pilothouse.base.reader import Reader
from tests.base.jobs.desk import Desk
from tests.base.ports import AnyCommitter


@pytest.fixture
def desk(committer: AnyCommitter, reader: Reader) -> Desk:
    return Desk(committer, reader)


@pytest.fixture
def lease(database_url: str) -> float | None:
    """That of a worker on this database."""
    return None if is_sqlite(database_url) else 1.0
