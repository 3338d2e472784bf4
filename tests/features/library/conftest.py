"""The installations of runs, for a library is how its agents' runs fare."""

from pathlib import Path

import pytest
import pytest_asyncio

from tests.features.runs.conftest import embedded, installation, scaled, small, stand

__all__ = ["embedded", "installation", "scaled", "small", "stand"]
HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The installations live in one loop, so the tests of this folder must too."""
    for item in items:
        if HERE in item.path.parents and pytest_asyncio.is_async_test(item):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)
