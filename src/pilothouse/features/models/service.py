"""Connections and choices: made, changed, tried and removed. Every door calls these."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from pydantic import SecretStr
from sqlalchemy import delete
from sqlalchemy.exc import IntegrityError

from pilothouse.base.egress import EgressDenied, EgressPolicy
from pilothouse.base.keyring import Keyring
from pilothouse.base.provider_http import ProviderPolicy
from pilothouse.base.work import Work
from pilothouse.features.accounts import UserNotFound
from pilothouse.features.models import queries
from pilothouse.features.models.errors import ConnectionExists, ConnectionInvalid
from pilothouse.features.models.kinds import KINDS, Connection, url_of
from pilothouse.features.models.models import ModelChoice, ModelConnection
from pilothouse.features.models.resolving import Stock, find_model
from pilothouse.features.models.schemas import ChoiceIn, ConnectionIn, ConnectionPatch
from pilothouse.kit.ids import new_id

_ANYWHERE = ("0.0.0.0/0", "::/0")


@dataclass(frozen=True, slots=True)
class Tested:
    """What came of a small call. `code` is None when the model answered."""

    code: str | None
    message: str
    model: str | None
    latency_ms: int


# Makes the call: (connection, model's name). Wired by `app`: only AutoPilot knows the providers' libraries.
Probe: TypeAlias = Callable[[Connection, str], Awaitable[Tested]]


def connection_of(ask: ConnectionIn) -> Connection:
    """What somebody wants to connect. Raises `ConnectionInvalid`."""
    kind = KINDS[ask.kind]
    if ask.base_url is None and kind.url is None:
        raise ConnectionInvalid("An OpenAI-compatible server needs its address: base_url.")
    if ask.api_key is None and kind.wants_key:
        raise ConnectionInvalid(f"{kind.label} needs a key: api_key.")
    if ask.model is None and kind.standard is None:
        raise ConnectionInvalid("Name the model that is to answer: model.")
    if ask.name is None and ask.kind == "openai_compatible":
        raise ConnectionInvalid("Give the server a name, which its models' names begin with: name.")
    if ask.name in KINDS and ask.name != ask.kind:
        raise ConnectionInvalid(f"'{ask.name}' is the name of another kind of provider.")
    url = url_of(ask.kind, ask.base_url)
    check_url(url)
    models = (ask.model, ask.advanced_model)
    return Connection("", ask.name or ask.kind, ask.kind, url, ask.api_key, *models, ask.free)


def check_url(url: str) -> None:
    """An administrator may name any machine, also a private one, but none that keeps a cloud's secrets."""
    try:
        EgressPolicy(_ANYWHERE).target_of(url)  # a URL that can be read, before it is asked where it leads
        ProviderPolicy([url]).target_of(url)
    except EgressDenied:
        raise ConnectionInvalid("base_url must be an http or https address of a server, without a user name.") from None


async def create_model_connection(work: Work, keyring: Keyring, ask: ConnectionIn) -> ModelConnection:
    """Keep a connection; from the next turn on it can be used."""
    made = connection_of(ask)
    if await queries.find_connection(work, made.name) is not None:
        raise ConnectionExists(f"There is a connection '{made.name}'.")
    row = ModelConnection(
        id=new_id(),
        name=made.name,
        kind=made.kind,
        base_url=ask.base_url,
        model=made.model,
        advanced_model=made.advanced_model,
        free=made.marked_free,
        created_at=work.now,
        updated_at=work.now,
    )
    _set_key(row, keyring, ask.api_key)
    work.session.add(row)
    try:
        await work.session.flush()
    except IntegrityError:  # somebody else took the name, this very moment
        raise ConnectionExists(f"There is a connection '{made.name}'.") from None
    return row


async def change_model_connection(
    work: Work, keyring: Keyring, connection_id: str, ask: ConnectionPatch
) -> ModelConnection:
    """Change what is named; the last test says nothing about what it is now."""
    row = await queries.get_connection(work, connection_id, lock=True)
    if ask.base_url is not None:
        check_url(url_of(row.kind, ask.base_url))
        row.base_url = ask.base_url
    if ask.api_key is not None:
        _set_key(row, keyring, ask.api_key)
    row.model = ask.model or row.model
    row.advanced_model = ask.advanced_model or row.advanced_model
    row.free = row.free if ask.free is None else ask.free
    row.updated_at, row.tested_at, row.test_code = work.now, None, None
    return row


async def delete_model_connection(work: Work, connection_id: str) -> ModelConnection:
    """Forget a connection and its key. Turns that use it end with the call they are making."""
    row = await queries.get_connection(work, connection_id, lock=True)
    await work.session.delete(row)
    return row


async def note_test(work: Work, connection_id: str, tested: Tested) -> None:
    """Remember how the last test went."""
    row = await queries.get_connection(work, connection_id, lock=True)
    row.tested_at, row.test_code = work.now, tested.code


async def set_choices(work: Work, stock: Stock, user_id: str, asks: Sequence[ChoiceIn], *, by_admin: bool) -> None:
    """Choose models for cells, or take choices back. Raises `ModelUnavailable` for what cannot be used."""
    for ask in asks:
        if ask.model is not None:
            find_model(stock, ask.model)
    try:
        for ask in asks:
            await _set_choice(work, user_id, ask, by_admin=by_admin)
    except IntegrityError:  # a choice is somebody's
        raise UserNotFound from None


async def _set_choice(work: Work, user_id: str, ask: ChoiceIn, *, by_admin: bool) -> None:
    cell = (ModelChoice.mode == ask.mode, ModelChoice.tier == ask.tier)
    theirs = (ModelChoice.user_id == user_id, ModelChoice.by_admin.is_(by_admin))
    await work.session.execute(delete(ModelChoice).where(*theirs, *cell))
    if ask.model is not None:
        place = {"mode": ask.mode, "tier": ask.tier, "model": ask.model}
        work.session.add(ModelChoice(user_id=user_id, by_admin=by_admin, **place))
        await work.session.flush()


def _set_key(row: ModelConnection, keyring: Keyring, key: SecretStr | None) -> None:
    if key is None:
        return
    value = key.get_secret_value()
    row.sealed_key = keyring.seal(value.encode())
    row.key_hint = value[-4:] if len(value) >= 12 else None  # of a short one, four characters are too many
