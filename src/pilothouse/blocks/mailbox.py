"""Reading mail."""

from collections.abc import AsyncIterator
from datetime import date
from typing import Annotated

from pydantic import Field

from pilothouse.blocks.accounts import NO_ACCOUNT, example_account, login_at
from pilothouse.blocks.beside import beside
from pilothouse.blocks.contract import (
    AnyJson,
    BlockContext,
    BlockInput,
    BlockOutput,
    Category,
    Effects,
    Example,
    block,
)
from pilothouse.blocks.credentials import CredentialRef, credentials_field
from pilothouse.blocks.mail_parts import read_message
from pilothouse.kit.errors import UpstreamRefused
from pilothouse.kit.json import JsonObject
from pilothouse.kit.outside import MailSearch, RawMail

IMAPS = 993
_REF, _OPENED = example_account("00000000-0000-7000-8000-0000000000c3", "imap", "Mailbox", "me@example.com")
_ASK: JsonObject = {"imap_server": "imap.example.com", "credentials": {**_REF}}
_TEXT = b"From: You <you@example.org>\r\nTo: me@example.com\r\nSubject: Hello\r\n\r\nHow are you?\r\n"
_MAIL = RawMail(7, False, len(_TEXT), _TEXT)
_READ: JsonObject = {
    "uid": 7,
    "seen": False,
    "message_id": None,
    "from": {"name": "You", "address": "you@example.org"},
    "to": [{"name": "", "address": "me@example.com"}],
    "cc": [],
    "reply_to": [],
    "subject": "Hello",
    "date": None,
    "text": "How are you?",
    "html": None,
    "attachments": [],
    "size": len(_TEXT),
    "truncated": False,
}


class ReadEmailIn(BlockInput):
    imap_server: Annotated[
        str,
        Field(
            description="Host of the mail server; with :port if it is not 993.", json_schema_extra={"address": "host"}
        ),
    ]
    folder: Annotated[str, Field(min_length=1, max_length=200, description="Folder to look into.")] = "INBOX"
    unseen_only: Annotated[bool, Field(description="Only mail that nobody has read.")] = False
    since: Annotated[
        date | None, Field(description="Only mail of this day or later.", json_schema_extra={"format": "date"})
    ] = None
    limit: Annotated[int, Field(ge=1, le=100, description="So many mails at most, the newest.")] = 10
    credentials: CredentialRef = credentials_field(
        "imap", types=("user_password",), description="Account at the mail server."
    )


class ReadEmailOut(BlockOutput):
    message: dict[str, AnyJson] | None = None
    messages: list[dict[str, AnyJson]] | None = None


@block(
    id="980dee8e-f9c3-4348-a771-6de8d06e6e8e",
    name="Read email",
    categories={Category.INPUT, Category.COMMUNICATION},
    effects=Effects.READS,
    timeout_s=120.0,
    happy_pins=("message", "messages"),
    examples=[
        Example(
            ask=dict(_ASK),
            credentials=_OPENED,
            outside=[[_MAIL]],
            fires=[("message", _READ), ("messages", [_READ])],
        ),
        Example(ask={**_ASK, "unseen_only": True}, credentials=_OPENED, outside=[[]], fires=[("messages", [])]),
        Example(
            ask={**_ASK, "folder": "Nowhere"},
            credentials=_OPENED,
            outside=[UpstreamRefused("this mailbox has no folder 'Nowhere'")],
            fails="upstream_failed",
        ),
        Example(
            ask={**_ASK, "imap_server": "imap.example.com:mail"},
            credentials=_OPENED,
            fires=[("error", "imap_server must be a host, or a host and a port like imap.example.com:993")],
        ),
    ],
)
async def read_email(ask: ReadEmailIn, ctx: BlockContext) -> AsyncIterator[ReadEmailOut]:
    """Read the newest mail of a folder, over TLS, without marking it as read."""
    place = place_of(ask.imap_server)
    if place is None:
        yield ReadEmailOut(error="imap_server must be a host, or a host and a port like imap.example.com:993")
        return
    login = login_at(ctx, *place)
    if login is None:
        yield ReadEmailOut(error=NO_ACCOUNT)
        return
    search = MailSearch(ask.folder, ask.unseen_only, ask.since, ask.limit)
    mails = await ctx.outside.read_mail(login, search)
    messages: list[dict[str, AnyJson]] = []
    for mail in mails:
        messages.append(await beside(len(mail.content), lambda mail=mail: read_message(mail)))
        yield ReadEmailOut(message=messages[-1])
    yield ReadEmailOut(messages=messages)


def place_of(server: str) -> tuple[str, int] | None:
    """Host and port; None when the port is none."""
    host, colon, port = server.strip().rpartition(":")
    if not colon or (host.count(":") and not host.endswith("]")):
        return server.strip(), IMAPS
    return (host, int(port)) if port.isascii() and port.isdigit() and len(port) < 6 else None
