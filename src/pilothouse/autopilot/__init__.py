"""AutoPilot: a turn as a pipeline of named parts.

Imported by processes that work, for the first turn that they work on: it loads the agent library.
"""

from typing import Protocol

from pilothouse.autopilot.models import Models
from pilothouse.autopilot.turn import AutoPilot
from pilothouse.base.settings import Settings
from pilothouse.base.tools import ToolBox
from pilothouse.base.work import Units
from pilothouse.features.agents import tools as agents
from pilothouse.features.chat import Drive
from pilothouse.features.runs import Runs
from pilothouse.features.runs import tools as runs
from pilothouse.graph.catalogue import Catalogue

__all__ = ["AutoPilot", "Models", "all_tools", "open_drive"]


class Parts(Protocol):
    """What AutoPilot needs of the house it works in."""

    @property
    def settings(self) -> Settings: ...
    @property
    def units(self) -> Units: ...
    @property
    def registry(self) -> Catalogue: ...
    @property
    def runs(self) -> Runs: ...


def all_tools() -> ToolBox:
    """Every tool, in the order in which models are told of them."""
    return ToolBox(agents.tools, runs.tools)


def open_drive(house: Parts) -> Drive:
    """What goes on with a turn, in this house."""
    parts: dict[type, object] = {agents.Blocks: agents.Blocks(house.registry), Runs: house.runs}
    return AutoPilot(all_tools(), house.units, parts, Models(house.settings)).drive
