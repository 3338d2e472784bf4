"""`pilothouse key ...`: API keys, from the machine's side."""

from dataclasses import asdict
from datetime import timedelta
from typing import Annotated, Any, cast

import typer

from pilothouse.app.cli.desk import open_desk
from pilothouse.app.cli.terminal import AsJson, UserMail, WrongCall, await_, brief_settings, hint, say, show, show_table
from pilothouse.base.actor import SYSTEM
from pilothouse.base.http.policy import SCOPES
from pilothouse.features.accounts import ApiKeyIn, create_key_of, list_all_keys, revoke_key

group = typer.Typer(help="Make, list and revoke API keys.", no_args_is_help=True, rich_markup_mode=None)


@group.command()
def create(
    scope: Annotated[list[str], typer.Option(help="What the key may do; give it once for each scope.")],
    user: UserMail = None,
    name: Annotated[str, typer.Option(help="What the key is for.")] = "command line",
    rate_limit: Annotated[int | None, typer.Option(min=1, max=10_000_000, help="Requests a minute.")] = None,
    expires_days: Annotated[int | None, typer.Option(min=1, max=36_500, help="Days until it stops.")] = None,
    as_json: AsJson = False,
) -> None:
    """Make a key and print its value, which cannot be read again."""
    settings = brief_settings()
    if unknown := [each for each in scope if each not in SCOPES]:
        raise WrongCall(f"{', '.join(unknown)}: no such scope. There are: {', '.join(SCOPES)}.")

    async def act() -> Any:
        async with open_desk(settings) as desk, desk.units.write(SYSTEM) as work:
            expires_at = work.now + timedelta(days=expires_days) if expires_days else None
            ask = ApiKeyIn(name=name, scopes=scope, expires_at=expires_at, rate_limit_per_minute=rate_limit)
            return await create_key_of(work, user, ask)

    made = await_(act())
    if as_json:
        show({"id": made.row.id, "key": made.key, "prefix": made.row.prefix, "scopes": made.row.scopes})
    else:
        say(made.key)
        hint(f"Key {made.row.id}. Keep its value now: it is shown only this once.")


@group.command("list")
def list_(
    user: Annotated[str | None, typer.Option(metavar="MAIL", help="Only this user's.")] = None, as_json: AsJson = False
) -> None:
    """List keys; their values are nowhere."""
    settings = brief_settings()

    async def act() -> list[dict[str, Any]]:
        async with open_desk(settings) as desk, desk.units.read(SYSTEM) as read:
            return [asdict(key) for key in await list_all_keys(read, user)]

    keys = await_(act())
    if as_json:
        show(keys)
        return
    rows = [key | {"scopes": " ".join(cast(list[str], key["scopes"]))} for key in keys]
    show_table(rows, ["id", "prefix", "email", "name", "scopes", "expires_at", "last_used_at"])


@group.command()
def revoke(key: Annotated[str, typer.Argument(metavar="ID_OR_PREFIX", help="Which key.")]) -> None:
    """Stop a key for good; every process refuses it within 5 seconds."""
    settings = brief_settings()

    async def act() -> Any:
        async with open_desk(settings) as desk, desk.units.write(SYSTEM) as work:
            return await revoke_key(work, key)

    gone = await_(act())
    hint(f"The key {gone.name!r} of {gone.email} is revoked.")
