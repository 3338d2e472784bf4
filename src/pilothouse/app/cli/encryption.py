"""`pilothouse keys ...`: the keys that seal what is secret in the database."""

from typing import Annotated, Any

import typer

from pilothouse.app.cli.desk import open_desk
from pilothouse.app.cli.terminal import AsJson, WrongCall, await_, brief_settings, hint, say, show, show_table
from pilothouse.app.sealed import SEALED
from pilothouse.base.keyring import add_encryption_key, drop_encryption_key, open_keyring
from pilothouse.base.reader import Reader
from pilothouse.features.credentials import key_ids_in_use, reseal, rewrap_credentials

group = typer.Typer(help="List, rotate and drop encryption keys.", no_args_is_help=True, rich_markup_mode=None)

# What is not sealed anew, since it goes by itself: masks in the logs of runs, answers for requests that come again.
_AGEING = (
    ("select 1 from segments where body like ?1 limit 1", '%"{}.%', "Runs that are kept name"),
    ("select 1 from idempotency_keys where body like ?1 limit 1", "sealed:{}.%", "Answers to requests with a key name"),
)


async def _named_by(reader: Reader, key_id: str) -> str | None:
    """Who still names this key, in words."""
    for sql, pattern, words in _AGEING:
        if await reader.rows(sql, pattern.format(key_id)):
            return words
    return None


@group.command("list")
def list_(as_json: AsJson = False) -> None:
    """List the keys: which one seals, and which ones stored secrets still name."""
    settings = brief_settings()

    async def act() -> list[dict[str, Any]]:
        keyring = open_keyring(settings)
        async with open_desk(settings) as desk:
            ids = [key_id for key_id, _ in keyring.encryption]
            used = await key_ids_in_use(desk.reader, SEALED)
            used |= {key_id for key_id in ids if await _named_by(desk.reader, key_id)}
        return [{"id": each, "seals": each == ids[0], "in_use": each in used} for each in ids]

    found = await_(act())
    if as_json:
        show(found)
    else:
        show_table(found, ["id", "seals", "in_use"])


@group.command()
def rotate() -> None:
    """Make a new key and seal every stored secret with it, while the server runs. Broken off, call it again."""
    settings = brief_settings()

    async def act() -> tuple[str, int]:
        keyring = open_keyring(settings)
        async with open_desk(settings) as desk:
            used = await key_ids_in_use(desk.reader, SEALED)
            if keyring.shelf is not None and used <= {keyring.encryption[0][0]}:  # else an earlier call did not end
                add_encryption_key(keyring)
                keyring = open_keyring(settings)
            done = await rewrap_credentials(desk.units, keyring)
            for place in SEALED:
                done += await reseal(desk.units, keyring, place)
        return keyring.encryption[0][0], done

    key_id, done = await_(act())
    say(key_id)
    hint(f"{done} secrets are sealed with {key_id}. Restart the server, so that it seals with it too.")


@group.command()
def drop(key_id: Annotated[str, typer.Argument(metavar="ID", help="The key to forget.")]) -> None:
    """Forget a key that nothing stored names any more."""
    settings = brief_settings()

    async def act() -> None:
        keyring = open_keyring(settings)
        async with open_desk(settings) as desk:
            if key_id in await key_ids_in_use(desk.reader, SEALED):
                raise WrongCall(f"Stored secrets name {key_id}. Call `pilothouse keys rotate` first.")
            if words := await _named_by(desk.reader, key_id):
                raise WrongCall(f"{words} {key_id}. It can go once they are deleted or have expired.")
        drop_encryption_key(keyring, key_id)

    await_(act())
    hint(f"{key_id} is forgotten.")
