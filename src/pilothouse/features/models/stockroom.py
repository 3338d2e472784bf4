"""Reads what the choice of a model depends on, before every turn: what was added a moment ago is used."""

from dataclasses import dataclass, replace
from typing import TypeAlias, cast

import structlog
from pydantic import SecretStr

from pilothouse.base.keyring import Keyring, SealBroken
from pilothouse.base.reader import Reader
from pilothouse.base.settings import Settings
from pilothouse.features.models.kinds import Connection, url_of
from pilothouse.features.models.resolving import Cell, Stock, cell_of, stock_of_settings

log = structlog.get_logger()

# id, name, kind, base_url, sealed_key, model, advanced_model, free
StoredRow: TypeAlias = tuple[str, str, str, str | None, str | None, str | None, str | None, bool]
_CONNECTIONS = (
    "select id, name, kind, base_url, sealed_key, model, advanced_model, free from model_connections"
    " order by created_at, id"
)
_CHOICES = "select by_admin, mode, tier, model from model_choices where user_id=?1"


@dataclass(frozen=True, slots=True)
class Stockroom:
    """One per process."""

    settings: Settings
    reader: Reader
    keyring: Keyring

    async def connections(self) -> list[Connection]:
        """The stored ones, with their keys, oldest first. One whose key cannot be opened is left out."""
        found = [opened(self.keyring, cast(StoredRow, row)) for row in await self.reader.rows(_CONNECTIONS)]
        return [connection for connection in found if connection is not None]

    async def stock(self) -> Stock:
        """What holds for everybody."""
        return stock_of_settings(self.settings, await self.connections())

    async def stock_of(self, user_id: str) -> Stock:
        """The same with what was chosen for this user, and by them."""
        by_admin: dict[Cell, str] = {}
        by_user: dict[Cell, str] = {}
        for admins, mode, tier, model in await self.reader.rows(_CHOICES, user_id):
            (by_admin if admins else by_user)[cell_of(mode, tier)] = model
        return replace(await self.stock(), by_admin=by_admin, by_user=by_user)

    async def is_connected(self) -> bool:
        """Whether anything but the built-in pilot can answer; reads no key."""
        if stock_of_settings(self.settings).connections:
            return True
        return bool(await self.reader.rows("select 1 from model_connections limit 1"))


def opened(keyring: Keyring, row: StoredRow) -> Connection | None:
    """A stored connection with its key; None when the key was sealed under one that is lost."""
    connection_id, name, kind, base_url, sealed, model, advanced, free = row
    try:
        key = None if sealed is None else SecretStr(keyring.open(sealed).decode())
    except SealBroken:
        log.error("model.key_unreadable", connection_id=connection_id)
        return None
    return Connection(connection_id, name, kind, url_of(kind, base_url), key, model, advanced, bool(free))
