"""Who works on turns. AutoPilot is imported for the first turn that a process works on, and in no other process:
one that only answers requests never loads a model library, unless an administrator tries a connection there.
"""

import asyncio
from types import ModuleType
from typing import TYPE_CHECKING

from pilothouse.base.jobs.worker import Handler, Hold
from pilothouse.features.chat import Drive
from pilothouse.features.models import Connection, Tested

if TYPE_CHECKING:
    from pilothouse.app.house import House


def turn_handler(house: "House", drive: Drive | None) -> Handler:
    """The handler of `turn.advance` jobs; without a `drive`, AutoPilot works on them."""
    found = drive

    async def advance(hold: Hold) -> None:
        nonlocal found
        if found is None:
            autopilot = await asyncio.to_thread(load_autopilot)
            found = autopilot.open_drive(house)
        await house.chat.turns.advance(hold, found)

    return advance


async def probe(connection: Connection, name: str) -> Tested:
    """Try a connection. Only a process that is asked to do so loads the providers' libraries for it."""
    autopilot = await asyncio.to_thread(load_autopilot)
    return await autopilot.probe(connection, name)


def load_autopilot() -> ModuleType:
    """Not on the event loop."""
    from pilothouse import autopilot  # noqa: PLC0415  takes a second

    return autopilot
