"""AutoPilot with models of the test's choosing, in an installation that stays."""

import asyncio
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from pilothouse.autopilot import AutoPilot, Models, all_tools, parts_for_tools
from pilothouse.autopilot.purse import Purse
from pilothouse.base.tools import ToolBox
from pilothouse.features.chat import OpenTurn
from pilothouse.features.models import Spending, Stockroom, limits_of
from tests.features.runs.stand import Installation


@dataclass(slots=True)
class Switch:
    """What works on turns; a test may change it between two of them."""

    pilot: AutoPilot | None = None
    turns: list[OpenTurn] = field(default_factory=list[OpenTurn])
    tasks: "list[asyncio.Task[Any] | None]" = field(default_factory=list["asyncio.Task[Any] | None"])

    async def drive(self, turn: OpenTurn) -> None:
        self.turns.append(turn)
        self.tasks.append(asyncio.current_task())
        assert self.pilot is not None
        await self.pilot.drive(turn)

    async def lose_worker(self) -> None:
        """End the claim in the middle of whatever it does; it writes nothing more. Its worker finds the turn later."""
        task = self.tasks[-1]
        assert task is not None
        task.cancel()
        await asyncio.wait([task])

    async def replace_worker(self, installation: Installation) -> None:
        """The same, and another goes on at once: nobody sits out the seconds until such a turn is found."""
        await self.lose_worker()
        assert installation.worker.worker is not None
        await installation.worker.worker.release(self.turns[-1].hold.job)

    def connect(self, installation: Installation, tools: ToolBox | None = None, **settings: Any) -> Models:
        """Let AutoPilot use these settings, and perhaps other tools."""
        house = installation.worker
        told = house.settings.model_validate(house.settings.model_dump() | settings)
        models = Models(told, Stockroom(told, house.reader, house.keyring))
        purse = Purse(Spending(house.reader, limits_of(told)))
        chosen = all_tools() if tools is None else tools
        self.pilot = AutoPilot(chosen, house.units, parts_for_tools(house), models, purse=purse)
        return models


Switched: TypeAlias = tuple[Installation, Switch]
