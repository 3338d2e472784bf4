"""`pilothouse credential ...`: what agents sign in with elsewhere, from the machine's side."""

from collections.abc import Sequence
from typing import Annotated

import typer
from pydantic import ValidationError

from pilothouse.app.cli.desk import open_desk
from pilothouse.app.cli.terminal import (
    AsJson,
    UserMail,
    ask_secret,
    await_,
    brief_settings,
    faults_in,
    hint,
    say,
    show,
    show_table,
)
from pilothouse.base.keyring import open_keyring
from pilothouse.features.agents import agents_naming
from pilothouse.features.credentials import (
    CredentialIn,
    create_credential,
    delete_credential,
    list_credentials,
    system_credentials,
    told_of,
)

group = typer.Typer(help="Keep, list and forget credentials.", no_args_is_help=True, rich_markup_mode=None)

TYPES = ("api_key", "user_password", "host_scoped")


@group.command("list")
def list_(user: UserMail = None, as_json: AsJson = False) -> None:
    """List credentials, one's own first; what is secret is nowhere."""
    settings = brief_settings()

    async def act() -> list[dict[str, object]]:
        async with open_desk(settings) as desk, desk.units.read(await desk.actor(user)) as read:
            return [told_of(row) for row in await list_credentials(read)]

    found = await_(act())
    for each in system_credentials(settings).values():
        found.append({"id": each.id, "provider": each.provider, "type": "api_key", "title": "for everybody"})
    if as_json:
        show(found)
    else:
        show_table(found, ["id", "provider", "type", "title", "hint", "username", "host", "last_used_at"])


@group.command()
def add(
    type_: Annotated[str, typer.Argument(metavar="TYPE", help=f"One of {', '.join(TYPES)}.")],
    title: Annotated[str, typer.Option(help="What it is called.")],
    provider: Annotated[str | None, typer.Option(help="Whose it is: github, smtp, ...")] = None,
    username: Annotated[str | None, typer.Option(help="For user_password.")] = None,
    host: Annotated[str | None, typer.Option(help="For host_scoped: api.example.com, *.example.com.")] = None,
    header: Annotated[list[str] | None, typer.Option(help="For host_scoped: a header; once for each.")] = None,
    secret_stdin: Annotated[
        bool, typer.Option("--secret-stdin", help="Read what is secret from standard input, a line for each.")
    ] = False,
    user: UserMail = None,
) -> None:
    """Keep a key, a password or headers for a host, and print its id. What is secret is asked for."""
    settings = brief_settings()
    said = {"type": type_, "title": title, "provider": provider, "username": username, "host": host}
    given = {name: value for name, value in said.items() if value is not None}
    ask = _read(given | _secrets(type_, header, secret_stdin))

    async def act() -> str:
        keyring = open_keyring(settings)
        async with open_desk(settings) as desk, desk.units.write(await desk.actor(user)) as work:
            return (await create_credential(work, keyring, ask.root)).id

    say(await_(act()))


@group.command()
def remove(
    credential: Annotated[str, typer.Argument(metavar="ID", help="Which one.")],
    force: Annotated[bool, typer.Option("--force", help="Also if agents use it.")] = False,
    user: UserMail = None,
) -> None:
    """Forget a credential; one that agents use is kept unless forced."""
    settings = brief_settings()

    async def act() -> None:
        async with open_desk(settings) as desk, desk.units.write(await desk.actor(user)) as work:
            await delete_credential(work, credential, agents_naming, force=force)

    await_(act())
    hint("It is forgotten.")


def _secrets(type_: str, headers: Sequence[str] | None, from_stdin: bool) -> dict[str, object]:
    def secret(label: str) -> str:
        return ask_secret(label, "--secret-stdin", from_stdin=from_stdin)

    if type_ == "host_scoped":
        return {"headers": {name: secret(name) for name in headers or ()}}
    if type_ == "user_password":
        return {"password": secret("Password")}
    return {"api_key": secret("Key")} if type_ in TYPES else {}


def _read(said: dict[str, object]) -> CredentialIn:
    try:
        return CredentialIn.model_validate(said)
    except ValidationError as error:
        raise faults_in(error, below=1) from None  # first comes the type
