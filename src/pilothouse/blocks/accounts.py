"""What blocks share that sign in somewhere with a user name and a password."""

from typing import Final, NamedTuple

from pilothouse.blocks.context import BlockContext
from pilothouse.blocks.credentials import Credential, UserPassword
from pilothouse.kit.json import JsonObject
from pilothouse.kit.outside import Login

NO_ACCOUNT: Final = "these credentials are not a user name and a password"


class Account(NamedTuple):
    """Of examples: how the block's input names it, and what the block is then given."""

    ref: JsonObject
    opened: dict[str, Credential]


def example_account(id: str, provider: str, title: str, username: str) -> Account:
    ref: JsonObject = {"id": id, "provider": provider, "type": "user_password", "title": title}
    return Account(ref, {"credentials": UserPassword(id, provider, username, "example")})


def login_at(ctx: BlockContext, host: str, port: int) -> Login | None:
    """With the account that the block was given; None when it is no such account."""
    opened = ctx.credentials.get("credentials")
    return Login(host, port, opened.username, opened.password) if isinstance(opened, UserPassword) else None
