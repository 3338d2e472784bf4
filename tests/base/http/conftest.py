"""A house for each test."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tests.base.http.house import House, open_house
from tests.base.http.sample import sample_routes


@pytest.fixture
async def house(database_url: str, tmp_path: Path) -> AsyncGenerator[House]:
    """On each database in turn."""
    async with open_house(database_url, tmp_path, sample_routes()) as opened:
        yield opened


@pytest.fixture
async def small_house(sqlite_url: str, tmp_path: Path) -> AsyncGenerator[House]:
    """On SQLite only, where state does not matter."""
    async with open_house(sqlite_url, tmp_path, sample_routes()) as opened:
        yield opened
