"""A whole application for each test."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tests.security.site import Site, open_site


@pytest.fixture
async def site(sqlite_url: str, tmp_path: Path) -> AsyncGenerator[Site]:
    """On SQLite."""
    async with open_site(tmp_path, sqlite_url) as opened:
        yield opened


@pytest.fixture
async def either_site(database_url: str, tmp_path: Path) -> AsyncGenerator[Site]:
    """On each database in turn."""
    async with open_site(tmp_path, database_url) as opened:
        yield opened
