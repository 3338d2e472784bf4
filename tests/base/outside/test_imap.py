"""A mailbox is read over TLS, within bounds, and is left as it was (security:S5)."""

from collections.abc import AsyncGenerator
from datetime import date

import pytest

from pilothouse.base.egress import EgressDenied
from pilothouse.base.outside import GuardedOutside, imap
from pilothouse.base.outside.errors import ControlCharacter, FolderNotFound, NotEncrypted, SignInRefused
from pilothouse.kit.errors import UpstreamError, UpstreamRefused
from pilothouse.kit.outside import Login, MailSearch
from tests.base.hostile import HOSTILE_HOSTS
from tests.base.outside.certificates import Certificates
from tests.base.outside.imap_server import PASSWORD, USER, Mail, Mailbox, imap_server


@pytest.fixture
async def box(certificates: Certificates) -> AsyncGenerator[Mailbox]:
    async with imap_server(certificates.server) as served:
        served.folders["INBOX"] = [
            Mail(3, b"Subject: one\r\n\r\nfirst\r\n", date(2026, 1, 1), seen=True),
            Mail(5, b"Subject: two\r\n\r\nsecond\r\n", date(2026, 2, 1)),
            Mail(9, b"Subject: three\r\n\r\n{7}\r\nthird)\r\n", date(2026, 3, 1)),
        ]
        yield served


def login(box: Mailbox, host: str = "mail.test", password: str = PASSWORD) -> Login:
    return Login(host, box.port, USER, password)


async def uids(outside: GuardedOutside, box: Mailbox, search: MailSearch) -> list[int]:
    return [mail.uid for mail in await outside.read_mail(login(box), search)]


async def test_the_newest_come_first_and_stay_unread(outside: GuardedOutside, box: Mailbox):
    mails = await outside.read_mail(login(box), MailSearch(limit=2))
    assert [(mail.uid, mail.seen, mail.content) for mail in mails] == [
        (9, False, box.folders["INBOX"][2].content),
        (5, False, box.folders["INBOX"][1].content),
    ]
    assert [mail.seen for mail in box.folders["INBOX"]] == [True, False, False]
    assert any(said.startswith("EXAMINE") for said in box.said)


async def test_only_what_fits_is_read(outside: GuardedOutside, box: Mailbox):
    assert await uids(outside, box, MailSearch(unseen_only=True)) == [9, 5]
    assert await uids(outside, box, MailSearch(since=date(2026, 2, 28))) == [9]
    assert await uids(outside, box, MailSearch(unseen_only=True, since=date(2027, 1, 1))) == []


async def test_a_large_mail_comes_without_its_end_and_says_how_large_it_is(outside: GuardedOutside, box: Mailbox):
    box.folders["INBOX"] = [Mail(1, b"Subject: big\r\n\r\n" + b"x" * 50_000)]
    (mail,) = await outside.read_mail(login(box), MailSearch(max_bytes=1000))
    assert (len(mail.content), mail.size) == (1000, 50_016)


async def test_many_large_mails_come_in_parts_and_none_is_missing(
    outside: GuardedOutside, box: Mailbox, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(imap, "MAX_BYTES", 400_000)
    box.folders["INBOX"] = [Mail(uid, b"Subject: big\r\n\r\n" + b"x" * 100_000) for uid in range(1, 11)]
    mails = await outside.read_mail(login(box), MailSearch(limit=10, max_bytes=100_000))
    assert [mail.uid for mail in mails] == list(range(10, 0, -1))
    assert all(10_000 < len(mail.content) < 100_000 and mail.size == 100_016 for mail in mails)


async def test_a_server_cannot_fill_our_memory(outside: GuardedOutside, box: Mailbox):
    box.lies = 3_000_000_000
    with pytest.raises(UpstreamRefused, match="more than"):
        await outside.read_mail(login(box), MailSearch())


async def test_a_server_without_plain_sign_in_is_told_by_login(outside: GuardedOutside, box: Mailbox):
    box.plain = False
    assert await uids(outside, box, MailSearch(limit=1)) == [9]


@pytest.mark.parametrize("plain", [True, False])
async def test_a_wrong_password_is_said_and_not_repeated(outside: GuardedOutside, box: Mailbox, *, plain: bool):
    box.plain = plain
    with pytest.raises(SignInRefused) as caught:
        await outside.read_mail(login(box, password="wrong-canary"), MailSearch())
    assert "canary" not in str(caught.value)


async def test_folders_have_any_name(outside: GuardedOutside, box: Mailbox):
    box.folders["Entw&APw-rfe &- mehr"] = [Mail(4, b"Subject: x\r\n\r\n")]
    assert await uids(outside, box, MailSearch("Entwürfe & mehr")) == [4]
    with pytest.raises(FolderNotFound, match="Nowhere"):
        await outside.read_mail(login(box), MailSearch("Nowhere"))


async def test_a_folder_cannot_bring_a_second_command(outside: GuardedOutside, box: Mailbox):
    with pytest.raises(ControlCharacter):
        await outside.read_mail(login(box), MailSearch('INBOX"\r\nA1 DELETE "INBOX'))
    assert box.connections == 0


async def test_a_certificate_for_another_name_is_not_trusted(outside: GuardedOutside, box: Mailbox):
    with pytest.raises(NotEncrypted):
        await outside.read_mail(login(box, "other.test"), MailSearch())
    assert box.said == []


async def test_s5_no_connection_is_made_to_an_address_that_is_not_public(outside: GuardedOutside, box: Mailbox):
    for host in [*HOSTILE_HOSTS, "localhost", "rebound.test", "imaps://mail.test"]:
        with pytest.raises((EgressDenied, UpstreamError)):
            await outside.read_mail(login(box, host), MailSearch())
    assert box.connections == 0
