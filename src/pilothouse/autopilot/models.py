"""The model that answers, made when it is first needed. Providers' libraries load lazily."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from pilothouse.autopilot.manner import manner_of
from pilothouse.base.provider_http import ProviderClient, provider_client
from pilothouse.base.settings import Settings
from pilothouse.features.chat import Draft, events
from pilothouse.features.models import (
    OFFLINE,
    Connection,
    ModelUnavailable,
    Resolved,
    Stock,
    Stockroom,
    find_model,
    resolve_chat_model,
    resolve_fallback,
    stock_of_settings,
)

if TYPE_CHECKING:
    from pydantic_ai.models import Model
    from pydantic_ai.settings import ModelSettings

__all__ = ["Chosen", "ModelUnavailable", "Models", "fallback_notice", "make_model"]

AnyModel: TypeAlias = "Model[Any]"
_Key: TypeAlias = tuple[str, str, str, str, str]


@dataclass(frozen=True, slots=True)
class Chosen:
    """A model that may be used."""

    resolved: Resolved
    model: "Callable[[], AnyModel]"
    settings: "ModelSettings | None"
    fallback: "Callable[[], Chosen | None]"

    @property
    def slug(self) -> str:
        return self.resolved.slug

    @property
    def provider(self) -> str:
        return self.resolved.provider

    @property
    def connection(self) -> Connection | None:
        return self.resolved.connection

    @property
    def is_offline(self) -> bool:
        return self.resolved.connection is None


@dataclass(slots=True)
class Models:
    """One per process that works. Clients are kept; closing them is for `aclose`."""

    settings: Settings
    stockroom: Stockroom | None = None  # absent: only what the settings connect
    _clients: dict[str, ProviderClient] = field(default_factory=dict[str, ProviderClient])
    _models: "dict[_Key, AnyModel]" = field(default_factory=dict[_Key, "AnyModel"])

    async def choose(self, user_id: str, mode: str | None = None, tier: str | None = None) -> Chosen:
        """For a turn of this user, by what is stored at this moment. Raises `ModelUnavailable`."""
        stock = None if self.stockroom is None else await self.stockroom.stock_of(user_id)
        return self.resolve_chat_model(mode, tier, stock)

    def resolve_chat_model(
        self, mode: str | None = None, tier: str | None = None, stock: Stock | None = None
    ) -> Chosen:
        """The one place that chooses, for every origin. Raises `ModelUnavailable`; none configured: offline."""
        stock = stock_of_settings(self.settings) if stock is None else stock
        return self._chosen(stock, resolve_chat_model(stock, mode, tier))

    async def choose_for_titles(self, user_id: str, slug: str) -> Chosen | None:
        """The model of this name if it can be used, else the one that chats, fast; None: none is, or `offline`."""
        if slug == OFFLINE:
            return None
        stock = stock_of_settings(self.settings) if self.stockroom is None else await self.stockroom.stock_of(user_id)
        try:
            return self._chosen(stock, replace(find_model(stock, slug), mode="fast"))
        except ModelUnavailable:
            pass  # its provider is not connected here, as is usual
        try:
            chosen = self.resolve_chat_model("fast", None, stock)
        except ModelUnavailable:
            return None
        return None if chosen.is_offline else chosen

    def _chosen(self, stock: Stock, found: Resolved) -> Chosen:
        def fallback() -> Chosen | None:
            other = resolve_fallback(stock, found)
            return None if other is None else self._chosen(stock, other)

        return Chosen(found, lambda: self._kept(found), manner_of(found, self.settings), fallback)

    def _kept(self, found: Resolved) -> "AnyModel":
        connection = found.connection
        secret = "" if connection is None or connection.key is None else connection.key.get_secret_value()
        url = "" if connection is None else connection.url
        key = (found.provider, "" if connection is None else connection.kind, url, secret, found.name)
        if key not in self._models:
            self._models[key] = _offline() if connection is None else self._made(connection, found.name)
        return self._models[key]

    def _made(self, connection: Connection, name: str) -> "AnyModel":
        if connection.url not in self._clients:
            self._clients[connection.url] = provider_client([connection.url])
        return make_model(connection, name, self._clients[connection.url])

    async def aclose(self) -> None:
        for client in self._clients.values():
            await client.aclose()


def fallback_notice(chosen: Chosen) -> Draft:
    """Another model than the one that was wanted answers: nobody should have to find out."""
    message = f"{chosen.resolved.instead_of} could not answer. {chosen.slug} does."
    return events.notice("model_fallback", message, level="warning")


def make_model(connection: Connection, name: str, http: ProviderClient) -> "AnyModel":
    """The vendor's own client, over our way out."""
    key = connection.key.get_secret_value() if connection.key else "none"  # a local server wants none, libraries do
    if connection.wire == "anthropic":
        from pilothouse.autopilot.providers import anthropic_wire  # noqa: PLC0415

        return anthropic_wire.make(name, connection.url, key, http)
    from pilothouse.autopilot.providers import openai_wire  # noqa: PLC0415

    return openai_wire.make(name, connection.url, key, http, openrouter=connection.wire == "openrouter")


def _offline() -> "AnyModel":
    from pilothouse.autopilot.offline.model import OfflineModel  # noqa: PLC0415

    return OfflineModel()
