"""Sends a fact to a run from a process of its own, as a person's decision comes from another door.

`python -m tests.faults.send_fact USER_ID RUN_ID NAME`, with the installation's settings in the environment.
"""

import asyncio
import os
import sys
from pathlib import Path

from pilothouse.app.house import open_house
from pilothouse.base.actor import Actor
from pilothouse.base.settings import Settings
from pilothouse.base.settings_sources import read_settings
from pilothouse.kit.ids import RunId, UserId, derived_id


async def send(settings: Settings, user_id: str, run_id: str, name: str) -> None:
    async with open_house(settings, serves=False) as house:
        fact_id = derived_id(run_id, name)  # sent again after a crash, it is the same fact
        await house.runs.send_fact(Actor(UserId(user_id)), RunId(run_id), name, "said", fact_id=fact_id)


if __name__ == "__main__":
    asyncio.run(send(read_settings(os.environ, Path.cwd()).settings, *sys.argv[1:]))
