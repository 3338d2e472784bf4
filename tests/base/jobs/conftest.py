import pytest

from pilothouse.base.reader import Reader
from tests.base.jobs.desk import Desk
from tests.base.ports import AnyCommitter


@pytest.fixture
def desk(committer: AnyCommitter, reader: Reader) -> Desk:
    return Desk(committer, reader)
