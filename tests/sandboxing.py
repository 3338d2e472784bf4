"""A sandbox for tests. On CI it must be there; elsewhere a machine without one skips, and says how to get it."""

import os
import shutil

import pytest

from pilothouse.base.sandbox import Walls, find_walls
from scripts import bubblewrap
from tests.services import only_one


async def need_walls() -> Walls:
    if os.environ.get("CI") == "true":
        with only_one("bubblewrap"):
            assert bubblewrap.ensure(), bubblewrap.MISSING
    elif shutil.which("bwrap") is None:
        pytest.skip(bubblewrap.MISSING)
    found = await find_walls()
    if isinstance(found, Walls):
        return found
    if os.environ.get("CI") == "true":
        pytest.fail(found)
    pytest.skip(found)
