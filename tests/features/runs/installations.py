"""Installations for whole folders of tests, one per profile; each test comes as new people."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from pilothouse.base.settings import Settings
from pilothouse.features.chat import Drive
from tests.databases import fresh_postgres, fresh_sqlite
from tests.features.runs.stand import ORIGIN, Installation, open_installation, stamp


def share_one_loop(items: Sequence[pytest.Item], folder: Path) -> None:
    """The installations of a folder live in one loop, so its tests must too."""
    for item in items:
        if folder in item.path.parents and pytest_asyncio.is_async_test(item):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


def settings_for(folder: Path, **more: Any) -> Settings:
    fixed = {"public_url": ORIGIN, "test_blocks": True, "shutdown_grace_seconds": 0.5, "worker_concurrency": 16}
    caps = {"max_parallel_runs": 3, "user_max_runs": 4}
    return Settings.model_validate({"data_dir": folder, **fixed, **caps, **more})


@asynccontextmanager
async def open_embedded(folder: Path, drive: Drive | None = None, **more: object) -> AsyncGenerator[Installation]:
    with fresh_sqlite(folder) as url:
        await stamp(url)
        async with open_installation(settings_for(folder, **more), drive) as opened:
            yield opened


@asynccontextmanager
async def open_scaled(
    folder: Path, lines: Mapping[str, object], drive: Drive | None = None, **more: object
) -> AsyncGenerator[Installation]:
    """`lines`: the settings of its broker and its Redis."""
    with fresh_postgres() as url:
        await stamp(url)
        async with open_installation(settings_for(folder, database_url=url, **lines, **more), drive) as opened:
            yield opened
