"""Which model answers: one pure function, for every origin and for the page that shows the choice."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal, TypeAlias, get_args

from pilothouse.base.settings import Settings
from pilothouse.features.models.errors import ModelUnavailable
from pilothouse.features.models.kinds import Connection, Tier, of_environment

Mode: TypeAlias = Literal["fast", "extended_thinking"]
Cell: TypeAlias = tuple[Mode, Tier]

OFFLINE: Final = "offline"
MODES: Final[tuple[Mode, ...]] = get_args(Mode)
TIERS: Final[tuple[Tier, ...]] = get_args(Tier)
CELLS: Final[tuple[Cell, ...]] = tuple((mode, tier) for mode in MODES for tier in TIERS)
OPENROUTER: Final = "openrouter"
# Asked where nobody has chosen and somebody serves them.
PREFERRED: Final[Mapping[Tier, str]] = {
    "standard": "anthropic/claude-sonnet-4-6",
    "advanced": "anthropic/claude-opus-4-7",
}


@dataclass(frozen=True, slots=True)
class Stock:
    """Everything that the choice depends on, as it was read for one turn."""

    connections: Sequence[Connection]  # in the order in which a default is looked for
    configured: Mapping[Tier, str] = field(default_factory=dict[Tier, str])  # by the settings
    by_admin: Mapping[Cell, str] = field(default_factory=dict[Cell, str])
    by_user: Mapping[Cell, str] = field(default_factory=dict[Cell, str])
    fallback: str | None = None
    disabled: frozenset[str] = frozenset()

    def connection(self, name: str) -> Connection | None:
        return next((each for each in self.connections if each.name == name), None)


@dataclass(frozen=True, slots=True)
class Resolved:
    """A model that may be asked. `connection` is None for the built-in pilot."""

    slug: str  # provider/name, as the log and the page say it
    connection: Connection | None = None
    name: str = OFFLINE  # as its provider knows it
    mode: Mode = "extended_thinking"
    tier: Tier = "standard"
    instead_of: str | None = None  # the model that was wanted, when this is the fallback

    @property
    def provider(self) -> str:
        return OFFLINE if self.connection is None else self.connection.name


def cell_of(mode: str | None, tier: str | None) -> Cell:
    """What was asked for, with the defaults where nothing was."""
    return ("fast" if mode == "fast" else "extended_thinking", "advanced" if tier == "advanced" else "standard")


def resolve_chat_model(stock: Stock, mode: str | None = None, tier: str | None = None) -> Resolved:
    """The administrator's choice, then the user's, then the configuration; none of them: Claude, or the first default.

    Raises `ModelUnavailable` rather than take another; only a configured fallback may stand in, and says so.
    """
    cell = cell_of(mode, tier)
    slug = wanted(stock, cell)
    try:
        return _placed(find_model(stock, slug), cell)
    except ModelUnavailable:
        if stock.fallback is None or stock.fallback == slug:
            raise
        return replace(_placed(find_model(stock, stock.fallback), cell), instead_of=slug)


def resolve_fallback(stock: Stock, failed: Resolved) -> Resolved | None:
    """The model that may go on where this one failed, if there is one."""
    if stock.fallback is None or failed.instead_of is not None or failed.slug == stock.fallback:
        return None
    try:
        found = find_model(stock, stock.fallback)
    except ModelUnavailable:
        return None
    return replace(_placed(found, (failed.mode, failed.tier)), instead_of=failed.slug)


def wanted(stock: Stock, cell: Cell) -> str:
    """The slug of a cell, whether it can be used or not."""
    for chosen in (stock.by_admin.get(cell), stock.by_user.get(cell), stock.configured.get(cell[1])):
        if chosen is not None:
            return chosen
    if cell[1] == "advanced" and (standard := stock.configured.get("standard")) is not None:
        return standard
    return _preferred(stock, cell[1]) or next(_defaults(stock.connections, cell[1]), OFFLINE)


def _preferred(stock: Stock, tier: Tier) -> str | None:
    """Claude where somebody serves it; a model that was named with that connection stands in for it."""
    try:
        found = find_model(stock, PREFERRED[tier])
    except ModelUnavailable:
        return None
    named = None if found.connection is None else found.connection.named(tier)
    return found.slug if named is None else f"{found.provider}/{named}"


def find_model(stock: Stock, slug: str) -> Resolved:
    """Who answers under this name: its own provider first, OpenRouter otherwise. Raises `ModelUnavailable`."""
    provider, _, name = slug.partition("/")
    if _is_disabled(stock, slug):
        raise ModelUnavailable(f"'{slug}' is disabled here.")
    if slug == OFFLINE:
        return Resolved(OFFLINE)
    if name and (connection := stock.connection(provider)) is not None:
        return Resolved(slug, connection, name)
    if name and (router := stock.connection(OPENROUTER)) is not None:
        if _is_disabled(stock, f"{OPENROUTER}/{slug}"):
            raise ModelUnavailable(f"'{slug}' is disabled here on the way there is, {OPENROUTER}.")
        return Resolved(slug, router, slug)
    raise ModelUnavailable(f"There is no provider for '{slug}'.")


def _is_disabled(stock: Stock, slug: str) -> bool:
    """Also by the name that OpenRouter has for it: naming the way there does not go around the ban."""
    provider, _, name = slug.partition("/")
    if slug in stock.disabled or f"{provider}/*" in stock.disabled:
        return True
    return provider == OPENROUTER and _is_disabled(stock, name)


def _defaults(connections: Iterable[Connection], tier: Tier) -> Iterator[str]:
    for connection in connections:
        if (name := connection.default(tier)) is not None:
            yield f"{connection.name}/{name}"


def _placed(found: Resolved, cell: Cell) -> Resolved:
    return replace(found, mode=cell[0], tier=cell[1])


def stock_of_settings(told: Settings, stored: Sequence[Connection] = ()) -> Stock:
    """What the settings say, with the stored connections before theirs: of two with one name the stored one counts."""
    names = {connection.name for connection in stored}
    environment = [each for each in of_environment(told) if each.name not in names]
    configured: dict[Tier, str] = {}
    if told.chat_model is not None:
        configured["standard"] = told.chat_model
    if told.chat_advanced_model is not None:
        configured["advanced"] = told.chat_advanced_model
    return Stock(
        [*stored, *environment],
        configured,
        fallback=told.chat_fallback_model,
        disabled=frozenset(told.disabled_models),
    )
