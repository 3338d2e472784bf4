"""What stands in a mail. Pure, and never at a loss: a mail may hold anything."""

import email
from collections.abc import Iterator
from datetime import UTC
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import Message
from email.utils import getaddresses, parsedate_to_datetime
from typing import cast

from pilothouse.kit.json import Json, JsonObject
from pilothouse.kit.outside import RawMail

MAX_TEXT = 200_000  # characters of a body
MAX_PARTS = 200
MAX_LINE = 2_000
MAX_ADDRESSES = 100


def read_message(mail: RawMail) -> JsonObject:
    """The mail as a block hands it on; bodies and headers are cut to their limits."""
    try:
        parsed = email.message_from_bytes(mail.content)
        parts = list(_leaves(parsed))
    except RecursionError:  # parts in parts in parts
        parsed, parts = email.message_from_bytes(mail.content.partition(b"\r\n\r\n")[0]), []
    senders = _addresses(parsed, "From")
    return {
        "uid": mail.uid,
        "seen": mail.seen,
        "message_id": _line(parsed, "Message-ID") or None,
        "from": senders[0] if senders else None,
        "to": _addresses(parsed, "To"),
        "cc": _addresses(parsed, "Cc"),
        "reply_to": _addresses(parsed, "Reply-To"),
        "subject": _line(parsed, "Subject"),
        "date": _date(parsed),
        "text": _body(parts, "text/plain"),
        "html": _body(parts, "text/html"),
        "attachments": [_attachment(part) for part in parts if _is_attached(part)],
        "size": mail.size,
        "truncated": mail.size > len(mail.content),
    }


def _leaves(message: "Message[str, str]") -> Iterator["Message[str, str]"]:
    for number, part in enumerate(message.walk()):
        if number >= MAX_PARTS:
            return
        if not part.is_multipart():
            yield part


def _is_attached(part: "Message[str, str]") -> bool:
    return part.get_content_disposition() == "attachment" or part.get_content_maintype() != "text"


def _body(parts: list["Message[str, str]"], kind: str) -> str | None:
    for part in parts:
        if part.get_content_type() == kind and not _is_attached(part):
            return _text(part)[:MAX_TEXT].strip()
    return None


def _text(part: "Message[str, str]") -> str:
    try:
        return _bytes(part).decode(part.get_content_charset() or "utf-8", errors="replace")
    except (LookupError, UnicodeError):  # some codecs take no `errors`
        return _bytes(part).decode("utf-8", errors="replace")


def _bytes(part: "Message[str, str]") -> bytes:
    found = cast(object, part.get_payload(decode=True))
    return found if isinstance(found, bytes) else b""


def _attachment(part: "Message[str, str]") -> Json:
    return {
        "name": _file_name(part),
        "type": part.get_content_type(),
        "size": len(_bytes(part)),
    }


def _file_name(part: "Message[str, str]") -> str | None:
    try:
        name = part.get_filename()
    except (LookupError, UnicodeError):
        return None
    return None if name is None else _decoded(name)


def _line(message: "Message[str, str]", name: str) -> str:
    return _decoded(str(message.get(name, "")))


def _decoded(text: str) -> str:
    """Without the disguise in which other letters than ASCII's travel."""
    try:
        plain = str(make_header(decode_header(text)))
    except (LookupError, ValueError, MessageError):
        plain = text
    return " ".join(plain.encode(errors="replace").decode().split())[:MAX_LINE]


def _addresses(message: "Message[str, str]", name: str) -> list[Json]:
    found = getaddresses([str(value) for value in message.get_all(name, [])])
    shown: list[Json] = [{"name": _decoded(who), "address": _decoded(address)} for who, address in found if address]
    return shown[:MAX_ADDRESSES]


def _date(message: "Message[str, str]") -> str | None:
    try:
        told = parsedate_to_datetime(str(message.get("Date", "")))
        return (told if told.tzinfo else told.replace(tzinfo=UTC)).isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
