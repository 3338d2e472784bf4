"""The ports of `base`, on each database in turn."""

from collections.abc import AsyncGenerator

import pytest

from pilothouse.base.reader import Reader
from tests.base.notes import make_notes
from tests.base.ports import AnyCommitter, committing, reading


@pytest.fixture
async def notes_url(database_url: str) -> str:
    """A database that has the table of notes too."""
    await make_notes(database_url)
    return database_url


@pytest.fixture
async def committer(database_url: str) -> AsyncGenerator[AnyCommitter]:
    async with committing(database_url) as committer:
        yield committer


@pytest.fixture
async def reader(database_url: str) -> AsyncGenerator[Reader]:
    async with reading(database_url) as reader:
        yield reader
