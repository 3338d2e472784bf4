"""`pilothouse models ...`: who answers, from the machine's side."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Annotated, TypeAlias

import typer
from pydantic import ValidationError

from pilothouse.app.cli.desk import open_desk
from pilothouse.app.cli.terminal import (
    AsJson,
    ask_secret,
    await_,
    brief_settings,
    faults_in,
    hint,
    say,
    show,
    show_table,
)
from pilothouse.app.turns import probe
from pilothouse.base.actor import SYSTEM
from pilothouse.base.keyring import open_keyring
from pilothouse.base.settings import Settings
from pilothouse.features.models import (
    KINDS,
    ConnectionIn,
    ModelDesk,
    Spending,
    Stockroom,
    Tested,
    connection_named,
    create_model_connection,
    delete_model_connection,
)

group = typer.Typer(help="Connect, try and remove model providers.", no_args_is_help=True, rich_markup_mode=None)

Name: TypeAlias = Annotated[str, typer.Argument(metavar="NAME", help="What the models' names begin with.")]


@asynccontextmanager
async def _open(settings: Settings) -> AsyncGenerator[ModelDesk]:
    keyring = open_keyring(settings)
    async with open_desk(settings) as desk:
        stockroom = Stockroom(settings, desk.reader, keyring)
        yield ModelDesk(desk.units, keyring, stockroom, Spending(desk.reader), probe)


@group.command("list")
def list_(as_json: AsJson = False) -> None:
    """List connections, stored ones first; their keys are nowhere."""
    settings = brief_settings()

    async def act() -> list[dict[str, object]]:
        async with _open(settings) as desk:
            return [item.model_dump(mode="json") for item in (await desk.list_connections(SYSTEM)).items]

    found = await_(act())
    if as_json:
        show(found)
    else:
        show_table(found, ["name", "kind", "base_url", "model", "source", "tested_at", "test_code"])


@group.command()
def add(
    kind: Annotated[str, typer.Argument(help=f"One of {', '.join(KINDS)}.")],
    name: Annotated[str | None, typer.Option(help="What models' names begin with; the kind if left out.")] = None,
    base_url: Annotated[str | None, typer.Option(help="Its address, for a server of one's own.")] = None,
    model: Annotated[str | None, typer.Option(help="The model that answers when none is named.")] = None,
    advanced_model: Annotated[str | None, typer.Option(help="The one for `advanced`.")] = None,
    free: Annotated[bool, typer.Option("--free", help="Asking costs nothing.")] = False,
    key_stdin: Annotated[bool, typer.Option("--key-stdin", help="Read a key from standard input.")] = False,
) -> None:
    """Connect a provider, after a small call has shown that it answers."""
    settings = brief_settings()
    ask = _read(kind, name, base_url, _key(kind, key_stdin), model, advanced_model, free)

    async def act() -> tuple[Tested, str | None]:
        async with _open(settings) as desk:
            tested = await desk.test_new(ask)
            if tested.code is not None:
                return tested, None
            async with desk.units.write(SYSTEM) as work:
                return tested, (await create_model_connection(work, desk.keyring, ask)).name

    tested, made = await_(act())
    _tell(tested)
    if made is not None:
        say(made)


@group.command()
def test(name: Name) -> None:
    """Ask a connected provider for a word."""
    settings = brief_settings()

    async def act() -> Tested:
        async with _open(settings) as desk:
            async with desk.units.read(SYSTEM) as read:
                row = await connection_named(read, name)
            return await desk.test_connection(SYSTEM, row.id)

    _tell(await_(act()))


@group.command()
def remove(name: Name) -> None:
    """Forget a connection and its key."""
    settings = brief_settings()

    async def act() -> None:
        async with open_desk(settings) as desk, desk.units.write(SYSTEM) as work:
            await delete_model_connection(work, (await connection_named(work, name)).id)

    await_(act())
    hint(f"{name} is removed.")


def _tell(tested: Tested) -> None:
    hint(f"{tested.message} ({tested.model}, {tested.latency_ms} ms)")
    if tested.code is not None:
        raise typer.Exit(1)


def _read(
    kind: str, name: str | None, url: str | None, key: str | None, model: str | None, advanced: str | None, free: bool
) -> ConnectionIn:
    facts = {"kind": kind, "name": name, "base_url": url, "api_key": key, "model": model}
    try:
        return ConnectionIn.model_validate({**facts, "advanced_model": advanced, "free": free})
    except ValidationError as error:
        raise faults_in(error) from None


def _key(kind: str, from_stdin: bool) -> str | None:
    if kind in ("ollama", "openai_compatible") and not from_stdin:
        return None
    return ask_secret("Key", "--key-stdin", from_stdin=from_stdin) or None
