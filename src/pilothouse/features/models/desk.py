"""What the doors of models ask for: who is connected, whether they answer, which model is whose, what is spent."""

from dataclasses import dataclass

from pilothouse.base.actor import Actor
from pilothouse.base.keyring import Keyring
from pilothouse.base.work import Units
from pilothouse.features.models import queries
from pilothouse.features.models.errors import ConnectionInvalid, ModelUnavailable
from pilothouse.features.models.kinds import Connection, of_environment, url_of
from pilothouse.features.models.models import ModelConnection
from pilothouse.features.models.resolving import CELLS, OFFLINE, Cell, Stock, resolve_chat_model, wanted
from pilothouse.features.models.schemas import (
    CellOut,
    ChatModelsOut,
    ConnectionIn,
    ConnectionOut,
    ConnectionsOut,
    UsageOut,
    WindowOut,
)
from pilothouse.features.models.service import Probe, Tested, connection_of, note_test
from pilothouse.features.models.spending import FREE_TIER, Spending, Window
from pilothouse.features.models.stockroom import Stockroom, opened
from pilothouse.kit.clock import to_wire
from pilothouse.kit.errors import Unavailable

KEY_UNREADABLE = Tested("key_unreadable", "Its key cannot be opened with the keys of this installation.", None, 0)


@dataclass(frozen=True, slots=True)
class ModelDesk:
    """One per process. A provider is called between two units of work, never inside one."""

    units: Units
    keyring: Keyring
    stockroom: Stockroom
    spending: Spending
    probe: Probe

    async def list_connections(self, actor: Actor) -> ConnectionsOut:
        """The stored ones, then those of the environment that none of them stands in for."""
        async with self.units.read(actor) as read:
            rows = await queries.list_connections(read)
        names = {row.name for row in rows}
        environment = [each for each in of_environment(self.stockroom.settings) if each.name not in names]
        return ConnectionsOut(items=[*map(shown, rows), *map(_of_environment, environment)])

    async def test_new(self, ask: ConnectionIn) -> Tested:
        """Try what is not kept yet."""
        return await self._test(connection_of(ask))

    async def test_connection(self, actor: Actor, connection_id: str) -> Tested:
        """Try a stored one, and remember how it went."""
        async with self.units.read(actor) as read:
            row = await queries.get_connection(read, connection_id)
        where = (row.id, row.name, row.kind, row.base_url, row.sealed_key)
        connection = opened(self.keyring, (*where, row.model, row.advanced_model, row.free))
        tested = KEY_UNREADABLE if connection is None else await self._test(connection)
        async with self.units.write(actor) as work:
            await note_test(work, connection_id, tested)
        return tested

    async def _test(self, connection: Connection) -> Tested:
        name = connection.default("standard")
        if name is None:
            raise ConnectionInvalid("Name the model that is to answer: model.")
        return await self.probe(connection, name)

    async def chat_models(self, user_id: str) -> ChatModelsOut:
        """What answers to each mode and tier, for this user."""
        stock = await self.stockroom.stock_of(user_id)
        cells = [_cell(stock, cell) for cell in CELLS]
        return ChatModelsOut(cells=cells, offline=all(cell.model == OFFLINE for cell in cells))

    async def usage(self, user_id: str) -> UsageOut:
        """Fails open: a display that cannot be read shows nothing used, and says so."""
        if not self.spending.limits.has_windows:
            return UsageOut(daily=None, weekly=None, tier=FREE_TIER, reset_cost=None)
        try:
            daily, weekly = await self.spending.read(user_id)
        except Unavailable:
            daily, weekly = self.spending.unread()
            return UsageOut(
                daily=_window(daily), weekly=_window(weekly), tier=FREE_TIER, reset_cost=None, degraded=True
            )
        return UsageOut(daily=_window(daily), weekly=_window(weekly), tier=FREE_TIER, reset_cost=None)


def shown(row: ModelConnection) -> ConnectionOut:
    """A stored connection as the page sees it."""
    url = url_of(row.kind, row.base_url)
    made = Connection(row.id, row.name, row.kind, url, None, row.model, row.advanced_model, row.free)
    return ConnectionOut.model_validate(
        {
            **_facts(made),
            "key_hint": row.key_hint,
            "created_at": row.created_at,
            "tested_at": row.tested_at,
            "test_code": row.test_code,
        }
    )


def _of_environment(connection: Connection) -> ConnectionOut:
    never = {"created_at": None, "tested_at": None, "test_code": None, "key_hint": None}
    return ConnectionOut.model_validate(_facts(connection) | never)


def _facts(connection: Connection) -> dict[str, object]:
    return {
        "id": connection.id,
        "name": connection.name,
        "kind": connection.kind,
        "base_url": connection.url,
        "model": connection.default("standard"),
        "advanced_model": connection.default("advanced"),
        "free": connection.is_free,
        "source": connection.source,
    }


def _cell(stock: Stock, cell: Cell) -> CellOut:
    mode, tier = cell
    told = {"mode": mode, "tier": tier, "chosen_by": _chosen_by(stock, cell)}
    try:
        found = resolve_chat_model(stock, mode, tier)
    except ModelUnavailable:
        return CellOut.model_validate(
            {**told, "model": wanted(stock, cell), "provider": None, "available": False, "instead_of": None}
        )
    known = {"model": found.slug, "provider": found.provider, "available": True, "instead_of": found.instead_of}
    return CellOut.model_validate({**told, **known})


def _chosen_by(stock: Stock, cell: Cell) -> str:
    if cell in stock.by_admin:
        return "administrator"
    if cell in stock.by_user:
        return "user"
    named = stock.configured.get(cell[1]) or stock.configured.get("standard")
    return "default" if named is None else "configuration"


def _window(window: Window) -> WindowOut | None:
    if not window.limit:
        return None
    return WindowOut(percent_used=window.percent_used, resets_at=to_wire(window.resets_at))
