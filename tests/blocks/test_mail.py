"""Mail that blocks write and read (blocks:Q6, blocks:Q8)."""

import email
import re
from email.policy import default
from pathlib import Path
from typing import Any

import pytest

from pilothouse.blocks.contract import BlockFailed
from pilothouse.blocks.credentials import ApiKey, Credential, UserPassword
from pilothouse.blocks.mail_parts import read_message
from pilothouse.blocks.mailbox import place_of
from pilothouse.blocks.rehearsal import PreparedOutside, Rehearsal
from pilothouse.kit.json import Json, JsonObject, loads
from pilothouse.kit.outside import Letter, MailSearch, RawMail
from tests.blocks.playing import error_of, run

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "read-and-send-mail.md"
REF = {"id": "00000000-0000-7000-8000-0000000000c2", "provider": "smtp", "type": "user_password", "title": "Mail"}
ASK: dict[str, Any] = {
    "to_email": "you@else.test",
    "subject": "Grüße",
    "body": "Viele Grüße\n.\nund mehr",
    "config": {"smtp_server": "smtp.mail.test", "smtp_port": 587},
    "credentials": REF,
}


def stage(*said: list[RawMail] | None, opened: Credential | None = None, step_id: str = "1") -> Rehearsal:
    account = opened or UserPassword(REF["id"], "smtp", "me@mail.test", "pass-canary-99")
    return Rehearsal(outside=PreparedOutside(said), credentials={"credentials": account}, step_id=step_id)


async def sent(ctx: Rehearsal | None = None, **more: Any) -> Letter:
    ctx = ctx or stage(None)
    assert await run("Send email", ctx, **{**ASK, **more}) == [("status", "sent")]
    (letter,) = ctx.outside.asked
    assert isinstance(letter, Letter)
    return letter


async def test_a_letter_says_what_was_asked_and_can_travel_anywhere():
    letter = await sent()
    read = email.message_from_bytes(letter.content, policy=default)
    assert (read["From"], read["To"], read["Subject"]) == ("me@mail.test", "you@else.test", "Grüße")
    assert read.get_content().replace("\r\n", "\n") == "Viele Grüße\n.\nund mehr\n"
    assert letter.content.isascii()
    assert (letter.sender, letter.recipients) == ("me@mail.test", ["you@else.test"])


async def test_the_message_id_is_that_of_the_step():
    first, again, other = [
        email.message_from_bytes((await sent(stage(None, step_id=step))).content)["Message-ID"] for step in "112"
    ]
    assert first == again != other
    assert first.endswith("@mail.test>")


@pytest.mark.parametrize(("port", "tls_first"), [(25, False), (465, True), (587, False), (2525, False)])
async def test_the_port_says_how_encryption_begins(port: int, *, tls_first: bool):
    ctx = stage(None)
    await sent(ctx, config={"smtp_server": "smtp.mail.test", "smtp_port": port})
    (login,) = ctx.outside.logins
    assert (login.port, login.tls_first, login.username) == (port, tls_first, "me@mail.test")


async def test_no_other_port_is_a_mail_servers():
    for port in (0, 22, 80, 143, 5432, 65536):
        assert "ports 25" in await error_of(
            "Send email", stage(), **ASK | {"config": {"smtp_server": "a", "smtp_port": port}}
        )


async def test_several_people_get_one_mail():
    letter = await sent(to_email="you@else.test, They <they@else.test>,you@else.test")
    assert letter.recipients == ["you@else.test", "they@else.test"]


async def test_a_user_name_that_is_no_address_needs_a_sender():
    account = UserPassword(REF["id"], "smtp", "apikey", "x")
    with pytest.raises(BlockFailed, match="the sender"):
        await sent(stage(None, opened=account))
    config = {**ASK["config"], "from_email": "boss@mail.test"}
    assert (await sent(stage(None, opened=account), config=config)).sender == "boss@mail.test"


@pytest.mark.parametrize(
    "more",
    [
        {"subject": "Hi\nBcc: all@else.test"},
        {"subject": "Hi\r\n\r\nAnother body"},
        {"subject": "Hi\x85Bcc: all@else.test"},
        {"to_email": "you@else.test\r\nBcc: all@else.test"},
        {"to_email": "you@else.test>\nRCPT TO:<all@else.test"},
        {"to_email": "nobody"},
        {"to_email": ""},
        {"to_email": "dü@else.test"},
        {"to_email": ", ".join(f"p{number}@else.test" for number in range(101))},
        {"config": {**ASK["config"], "from_email": "a@b.test\r\nX: y"}},
        {"body": "\ud800"},
    ],
)
async def test_no_field_can_bring_a_second_header(more: dict[str, Any]):
    ctx = stage()
    with pytest.raises(BlockFailed) as caught:
        await run("Send email", ctx, **{**ASK, **more})
    assert caught.value.code in ("mail_not_sendable", "invalid_input")
    assert ctx.outside.asked == []


async def test_other_credentials_are_of_no_use():
    key = ApiKey("c", "smtp", "k")
    assert "user name and a password" in await error_of("Send email", stage(opened=key), **ASK)
    ask = {"imap_server": "mail.test", "credentials": REF}
    assert "user name and a password" in await error_of("Read email", stage(opened=key), **ask)


async def test_a_mailbox_is_asked_for_what_was_wanted():
    ctx = stage([])
    more = {"folder": "Bills", "unseen_only": True, "since": "2026-02-03", "limit": 3, "credentials": REF}
    assert await run("Read email", ctx, imap_server="mail.test:1993", **more) == [("messages", [])]
    (search,) = ctx.outside.asked
    assert isinstance(search, MailSearch)
    assert (search.folder, search.unseen_only, str(search.since), search.limit) == ("Bills", True, "2026-02-03", 3)
    assert (ctx.outside.logins[0].host, ctx.outside.logins[0].port) == ("mail.test", 1993)


@pytest.mark.parametrize(
    ("server", "place"),
    [
        ("mail.test", ("mail.test", 993)),
        (" mail.test:143 ", ("mail.test", 143)),
        ("[::1]", ("[::1]", 993)),
        ("[::1]:143", ("[::1]", 143)),
        ("mail.test:x", None),
        ("mail.test:", None),
    ],
)
def test_a_server_may_name_its_port(server: str, place: tuple[str, int] | None):
    assert place_of(server) == place


MIXED = b"""From: =?utf-8?q?J=C3=BCrgen?= <j@else.test>
To: a@b.test, "Doe, Jane" <c@d.test>
Subject: =?iso-8859-1?q?Gr=FC=DFe?= =?utf-8?b?8J+YgA==?=
Date: Tue, 03 Feb 2026 10:00:00 +0100
Message-ID: <1@else.test>
Content-Type: multipart/mixed; boundary=x

--x
Content-Type: multipart/alternative; boundary=y

--y
Content-Type: text/plain; charset=iso-8859-1
Content-Transfer-Encoding: quoted-printable

Gr=FC=DFe
--y
Content-Type: text/html; charset=utf-8
Content-Transfer-Encoding: base64

PGI+SGk8L2I+
--y--
--x
Content-Type: application/pdf; name="=?utf-8?q?B=C3=BCcher=2Epdf?="
Content-Disposition: attachment; filename="=?utf-8?q?B=C3=BCcher=2Epdf?="
Content-Transfer-Encoding: base64

AAECAwQ=
--x
Content-Type: text/plain
Content-Disposition: attachment; filename*=utf-8''n%C3%B6te.txt

note
--x--
"""


def read(content: bytes, size: int | None = None) -> JsonObject:
    return read_message(RawMail(1, True, len(content) if size is None else size, content))


def test_a_mail_is_decoded_and_its_attachments_are_listed():
    told = read(MIXED.replace(b"\n", b"\r\n"))
    expected: dict[str, Json] = {
        "from": {"name": "Jürgen", "address": "j@else.test"},
        "to": [{"name": "", "address": "a@b.test"}, {"name": "Doe, Jane", "address": "c@d.test"}],
        "subject": "Grüße😀",
        "date": "2026-02-03T10:00:00+01:00",
        "message_id": "<1@else.test>",
        "text": "Grüße",
        "html": "<b>Hi</b>",
        "attachments": [
            {"name": "Bücher.pdf", "type": "application/pdf", "size": 5},
            {"name": "nöte.txt", "type": "text/plain", "size": 4},
        ],
        "truncated": False,
    }
    assert {name: told[name] for name in expected} == expected


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe\x00",
        b"Subject: =?nonsense?q?x?=\r\nDate: never\r\nFrom: @@@\r\n\r\n\xff",
        b"Content-Type: text/plain; charset=nonsense\r\n\r\nhi",
        b"Content-Type: multipart/mixed; boundary=x\r\n\r\nno boundary ever comes",
        b"Subject: =?utf-8?b?!!!?=\r\nContent-Transfer-Encoding: base64\r\n\r\n!!",
        b"".join(b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n" % (n, n) for n in range(3000)),
        b"Subject: =?utf-8?b?a?=\r\n\r\nhi",
        b"Content-Type: text/plain; charset=idna\r\n\r\n\xff",
        b"Content-Type: text/plain; charset=undefined\r\n\r\nhi",
        b"Content-Disposition: attachment; filename*=idna''a%ff\r\n\r\nhi",
        b"To: " + b"a@b.test, " * 5000 + b"\r\n\r\n",
    ],
)
def test_no_mail_is_too_odd_to_be_read(content: bytes):
    told = read(content)
    assert isinstance(told["subject"], str)
    to = told["to"]
    assert isinstance(to, list)
    assert len(to) <= 100


def test_a_mail_without_its_end_says_so_and_long_texts_are_cut():
    told = read(b"Subject: x\r\n\r\n" + b"y" * 300_000, size=900_000)
    assert told["truncated"] is True
    assert len(str(told["text"])) == 200_000


async def test_the_examples_of_the_page_can_be_asked():
    text = PAGE.read_text()
    asks: dict[str, Any] = {name: loads(told) for name, told in re.findall(r"```json (\w+)\n(.*?)```", text, re.DOTALL)}
    assert await run("Read email", stage([]), **asks["read"], credentials=REF) == [("messages", [])]
    assert await run("Send email", stage(None), **asks["send"], credentials=REF) == [("status", "sent")]
