"""A sandbox for tests. On CI it must be there; elsewhere a machine without one skips, and says how to get it."""

import os

import pytest

from pilothouse.base.sandbox import Walls, find_walls
from tests.programs import need_program


async def need_walls() -> Walls:
    need_program("bwrap", "bubblewrap", "the sandbox")
    found = await find_walls()
    if isinstance(found, Walls):
        return found
    if os.environ.get("CI") == "true":
        pytest.fail(found)
    pytest.skip(found)
