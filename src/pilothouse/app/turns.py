"""Who works on turns. AutoPilot is imported for the first turn that a process works on, and in no other process:
one that only answers requests never loads a model library.
"""

import asyncio
import importlib
import importlib.util
from typing import TYPE_CHECKING, Any, cast

from pilothouse.base.jobs.worker import Handler, Hold
from pilothouse.features.chat import Drive, OpenTurn, events

if TYPE_CHECKING:
    from pilothouse.app.house import House

AUTOPILOT = "pilothouse.autopilot"


def turn_handler(house: "House", drive: Drive | None) -> Handler:
    """The handler of `turn.advance` jobs; without a `drive`, AutoPilot is looked for."""
    found = drive

    async def advance(hold: Hold) -> None:
        nonlocal found
        if found is None:
            found = await open_drive(house)
        await house.chat.turns.advance(hold, found)

    return advance


async def open_drive(house: "House") -> Drive:
    """AutoPilot's `open_drive(house)`: what goes on with a turn."""
    if importlib.util.find_spec(AUTOPILOT) is None:
        return say_that_nobody_answers
    autopilot = cast(Any, await asyncio.to_thread(importlib.import_module, AUTOPILOT))  # takes a second
    return autopilot.open_drive(house)


async def say_that_nobody_answers(turn: OpenTurn) -> None:
    """For an installation without AutoPilot: the turn ends, and says why."""
    turn.log.begin("none")
    turn.log.add(events.error("model_unavailable", "AutoPilot is not installed here."))
    await turn.log.settle(events.FAILED, "model_unavailable")
