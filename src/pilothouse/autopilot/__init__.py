"""AutoPilot: a turn as a pipeline of named parts.

Imported by processes that work, for the first turn that they work on: it loads the agent library.
"""

from collections.abc import Awaitable, Callable
from typing import Protocol

from pilothouse.autopilot.asking import Asking, Pay
from pilothouse.autopilot.attachments import Attachments, CabinetIndex
from pilothouse.autopilot.models import Models
from pilothouse.autopilot.probing import probe
from pilothouse.autopilot.purse import Purse
from pilothouse.autopilot.testing import tools as testing_tools
from pilothouse.autopilot.titles import Titles
from pilothouse.autopilot.turn import AutoPilot
from pilothouse.base.committer import Committer, WriteSet
from pilothouse.base.expander import Expander
from pilothouse.base.settings import Settings
from pilothouse.base.tools import ToolBox
from pilothouse.base.work import Units
from pilothouse.features.agents import tools as agents
from pilothouse.features.chat import Chat, Drive
from pilothouse.features.chat.tools import tools as chat_tools
from pilothouse.features.files import Cabinet, FileExpander
from pilothouse.features.files import tools as files
from pilothouse.features.models import CostRow, ModelDesk, Spending, Stockroom, insert_cost
from pilothouse.features.runs import ModelAsk, Runs
from pilothouse.features.runs import tools as runs
from pilothouse.graph.catalogue import Catalogue

__all__ = ["AutoPilot", "Models", "all_tools", "open_asking", "open_drive", "parts_for_tools", "probe"]


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
    @property
    def chat(self) -> Chat: ...
    @property
    def cabinet(self) -> Cabinet: ...
    @property
    def models(self) -> ModelDesk: ...


def all_tools(*, testing: bool = False) -> ToolBox:
    """Every tool, in the order in which models are told of them; `testing`: also those of the fault tests."""
    return ToolBox(agents.tools, runs.tools, chat_tools, files.tools, testing_tools if testing else {})


def parts_for_tools(house: Parts) -> dict[type, object]:
    """What tools may ask for."""
    return {
        agents.Blocks: agents.Blocks(house.registry),
        Runs: house.runs,
        Chat: house.chat,
        Attachments: Attachments(CabinetIndex(house.cabinet)),
        Cabinet: house.cabinet,
        Expander: FileExpander(house.cabinet),
    }


def open_drive(house: Parts) -> Drive:
    """What goes on with a turn, in this house."""
    desk = house.models
    models, purse = Models(house.settings, desk.stockroom), Purse(desk.spending)
    titles = Titles(models, house.chat.suggest_title, _payer(house.chat.lines.committer), purse)
    tools = all_tools(testing=house.settings.test_blocks)
    return AutoPilot(tools, house.units, parts_for_tools(house), models, titles=titles, purse=purse).drive


def open_asking(stockroom: Stockroom, spending: Spending, committer: Committer) -> Callable[[ModelAsk], Awaitable[str]]:
    """What answers a single question, outside of any conversation."""
    models = Models(stockroom.settings, stockroom)
    return Asking(models, _payer(committer), Purse(spending)).answer


def _payer(committer: Committer) -> Pay:
    async def pay(row: CostRow) -> None:
        await committer.land(WriteSet((insert_cost(row),)))

    return pay
