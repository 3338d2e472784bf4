"""Sending mail."""

from email.errors import MessageError
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, getaddresses
from hashlib import sha256
from typing import Annotated

from pydantic import BaseModel, Field

from pilothouse.blocks.accounts import NO_ACCOUNT, example_account
from pilothouse.blocks.contract import (
    BlockContext,
    BlockFailed,
    BlockInput,
    BlockOutput,
    Category,
    Effects,
    Example,
    block,
)
from pilothouse.blocks.credentials import CredentialRef, UserPassword, credentials_field
from pilothouse.kit.errors import UpstreamRefused
from pilothouse.kit.json import JsonObject
from pilothouse.kit.outside import Letter, Login

PORTS = (25, 465, 587, 2525)
TLS_FIRST = 465
MAX_RECIPIENTS = 100
_BREAKS = "\x7f\x85\u2028\u2029"
_TRAVELS = SMTP.clone(cte_type="7bit")  # so that every server can take it
_REF, _OPENED = example_account("00000000-0000-7000-8000-0000000000c2", "smtp", "Mail", "me@example.com")
_ASK: JsonObject = {
    "to_email": "you@example.org",
    "subject": "Hello",
    "body": "How are you?",
    "config": {"smtp_server": "smtp.example.com", "smtp_port": 587},
    "credentials": {**_REF},
}


class SmtpConfig(BaseModel):
    """Where mail is handed over."""

    smtp_server: Annotated[str, Field(description="Host of the mail server.", json_schema_extra={"address": "host"})]
    smtp_port: Annotated[int, Field(description="25, 465 (TLS from the start), 587 or 2525 (STARTTLS).")] = 25
    from_email: Annotated[str, Field(description="Sender; empty: the user name of the credentials.")] = ""


class SendEmailIn(BlockInput):
    to_email: Annotated[str, Field(description="Whom it is for; several addresses are parted by commas.")]
    subject: Annotated[str, Field(description="What it is about.")]
    body: Annotated[str, Field(description="The text.", json_schema_extra={"format": "long-text"})]
    config: Annotated[SmtpConfig, Field(description="Where it is handed over.")]
    credentials: CredentialRef = credentials_field(
        "smtp", types=("user_password",), description="Account at the mail server."
    )


class SendEmailOut(BlockOutput):
    status: str | None = None


@block(
    id="4335878a-394e-4e67-adf2-919877ff49ae",
    name="Send email",
    categories={Category.OUTPUT, Category.COMMUNICATION},
    effects=Effects.WRITES,
    sensitive=True,
    at_least_once=True,
    timeout_s=120.0,
    examples=[
        Example(ask=dict(_ASK), credentials=_OPENED, outside=[None], fires=[("status", "sent")]),
        Example(
            ask=dict(_ASK),
            credentials=_OPENED,
            outside=[UpstreamRefused("550 no such person")],
            fails="upstream_failed",
        ),
        Example(
            ask={**_ASK, "config": {"smtp_server": "smtp.example.com", "smtp_port": 22}},
            credentials=_OPENED,
            fires=[("error", "mail goes out by the ports 25, 465, 587 and 2525 only, not by 22")],
        ),
        Example(
            ask={**_ASK, "subject": "Hi\r\nBcc: all@example.org"},
            credentials=_OPENED,
            fails="mail_not_sendable",
        ),
    ],
)
async def send_email(ask: SendEmailIn, ctx: BlockContext) -> SendEmailOut:
    """Send a mail through your own mail server, always encrypted.

    A mail that was repeated after a crash has the same Message-ID, by which most mailboxes know it.
    """
    opened = ctx.credentials.get("credentials")
    if not isinstance(opened, UserPassword):
        return SendEmailOut(error=NO_ACCOUNT)
    if ask.config.smtp_port not in PORTS:
        told = f"mail goes out by the ports 25, 465, 587 and 2525 only, not by {ask.config.smtp_port}"
        return SendEmailOut(error=told)
    letter = written(ask, ctx, ask.config.from_email or opened.username)
    server, port = ask.config.smtp_server, ask.config.smtp_port
    login = Login(server, port, opened.username, opened.password, tls_first=port == TLS_FIRST)
    await ctx.outside.send_mail(login, letter)
    return SendEmailOut(status="sent")


def written(ask: SendEmailIn, ctx: BlockContext, sender: str) -> Letter:
    """The mail as it travels. Raises `BlockFailed` for what cannot stand in a mail."""
    if not is_line(ask.subject):
        raise _refused("the subject must be one line")
    (sender,) = _addresses(sender, "the sender", 1)
    recipients = _addresses(ask.to_email, "to_email", MAX_RECIPIENTS)
    message = EmailMessage(policy=_TRAVELS)
    message["From"], message["To"], message["Subject"] = sender, ", ".join(recipients), ask.subject
    message["Date"] = format_datetime(ctx.now())
    name = sha256(ctx.idempotency_key().encode()).hexdigest()[:32]
    message["Message-ID"] = f"<{name}@{sender.rpartition('@')[2]}>"
    try:
        message.set_content(ask.body)
        return Letter(sender, recipients, message.as_bytes())
    except (MessageError, UnicodeError, ValueError) as cause:
        raise _refused("the subject or the body holds what no mail can carry") from cause


def _addresses(text: str, what: str, most: int) -> list[str]:
    found = [address for _, address in getaddresses([text])] if is_line(text) else []
    if not found or not all(map(_is_address, found)):
        raise _refused(f"{what} must be a mail address like me@example.com")
    if len(found) > most:
        raise _refused(f"{what} may hold at most {most} addresses")
    return list(dict.fromkeys(found))


def _is_address(text: str) -> bool:
    name, _, domain = text.rpartition("@")
    return bool(name and domain) and text.isascii() and text.isprintable() and not set(text) & set(' ,;<>"()[]\\')


def is_line(text: str) -> bool:
    """Whether it can stand in a header and begin no other."""
    return not any(ord(mark) < 32 and mark != "\t" for mark in text) and not set(text) & {
        "\x7f",
        "\x85",
        "\u2028",
        "\u2029",
    }


def _refused(message: str) -> BlockFailed:
    return BlockFailed("mail_not_sendable", message)
