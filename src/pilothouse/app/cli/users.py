"""`pilothouse user ...`: people, from the machine's side."""

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import Annotated, Any, TypeAlias

import typer

from pilothouse.app.cli.desk import Desk, open_desk
from pilothouse.app.cli.terminal import (
    AsJson,
    WrongCall,
    ask_secret,
    await_,
    brief_settings,
    hint,
    say,
    show,
    show_table,
)
from pilothouse.base.actor import SYSTEM, Role
from pilothouse.features.accounts import Passwords, create_user, disable_user, enable_user, list_users, reset_password

group = typer.Typer(
    help="Add people, reset passwords, disable and enable.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Mail: TypeAlias = Annotated[str, typer.Argument(metavar="MAIL", help="The user's mail address.")]
FromStdin: TypeAlias = Annotated[
    bool, typer.Option("--password-stdin", help="Read the password from standard input instead of asking.")
]


@group.command()
def create(
    mail: Mail,
    name: Annotated[str | None, typer.Option(help="What to call them; the mail address if left out.")] = None,
    admin: Annotated[bool, typer.Option("--admin", help="Let them administer.")] = False,
    password_stdin: FromStdin = False,
    as_json: AsJson = False,
) -> None:
    """Add a person. The owner is made by the link of `pilothouse owner-link` instead."""
    settings = brief_settings()
    if "@" not in mail.strip("@"):
        raise WrongCall(f"{mail} is not a mail address.")
    password = _password(password_stdin)
    role = Role.ADMIN if admin else Role.MEMBER

    async def act() -> Any:
        async with open_desk(settings) as desk:
            return await create_user(
                desk.units, Passwords(), email=mail, name=name or mail, password=password, role=role
            )

    user = await_(act())
    if as_json:
        show({"id": user.id, "email": user.email, "role": str(user.role)})
    else:
        say(user.id)
        hint(f"{user.email} can sign in.")


@group.command("reset-password")
def reset(mail: Mail, password_stdin: FromStdin = False) -> None:
    """Set a new password for somebody who lost theirs; their browsers are signed out."""
    settings = brief_settings()
    password = _password(password_stdin)

    async def act() -> None:
        async with open_desk(settings) as desk:
            await reset_password(desk.units, Passwords(), email=mail, password=password)

    await_(act())
    hint(f"{mail} has a new password, and is signed out everywhere.")


@group.command()
def disable(mail: Mail) -> None:
    """Keep somebody out: sessions end, keys stop; nothing of theirs is deleted."""
    _change(lambda desk: _disable(desk, mail))
    hint(f"{mail} is disabled.")


@group.command()
def enable(mail: Mail) -> None:
    """Let a disabled person in again."""
    _change(lambda desk: _enable(desk, mail))
    hint(f"{mail} is enabled.")


@group.command("list")
def list_(as_json: AsJson = False) -> None:
    """List everyone."""
    settings = brief_settings()

    async def act() -> list[dict[str, Any]]:
        async with open_desk(settings) as desk, desk.units.read(SYSTEM) as read:
            return [asdict(person) for person in await list_users(read)]

    people = await_(act())
    if as_json:
        show(people)
    else:
        show_table(people, ["email", "name", "role", "created_at", "disabled_at"])


def _change(change: Callable[[Desk], Awaitable[None]]) -> None:
    settings = brief_settings()

    async def act() -> None:
        async with open_desk(settings) as desk:
            await change(desk)

    await_(act())


async def _disable(desk: Desk, mail: str) -> None:
    async with desk.units.write(SYSTEM) as work:
        await disable_user(work, mail)


async def _enable(desk: Desk, mail: str) -> None:
    async with desk.units.write(SYSTEM) as work:
        await enable_user(work, mail)


def _password(from_stdin: bool) -> str:
    return ask_secret("Password", "--password-stdin", from_stdin=from_stdin, twice=True)
