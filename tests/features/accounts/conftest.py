"""A house for each test, on each database in turn."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tests.base.http.house import House, open_house


@pytest.fixture
async def house(database_url: str, tmp_path: Path) -> AsyncGenerator[House]:
    async with open_house(database_url, tmp_path) as opened:
        yield opened
