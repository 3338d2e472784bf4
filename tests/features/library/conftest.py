"""The installations of runs, for a library is how its agents' runs fare."""

from pathlib import Path

import pytest

from tests.features.runs.conftest import embedded, installation, scaled, small, stand
from tests.features.runs.installations import share_one_loop

__all__ = ["embedded", "installation", "scaled", "small", "stand"]
HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    share_one_loop(items, HERE)
