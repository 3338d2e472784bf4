"""Mail is handed over encrypted or not at all, and only where it may go (security:S5)."""

import asyncio
from collections.abc import AsyncGenerator

import pytest

from pilothouse.base.egress import EgressDenied
from pilothouse.base.leave import speaking_with
from pilothouse.base.outside import GuardedOutside, smtp
from pilothouse.base.outside.errors import ControlCharacter, MailRefused, MailUncertain, NotEncrypted, SignInRefused
from pilothouse.kit.errors import UpstreamError
from pilothouse.kit.outside import Letter, Login
from tests.base.hostile import HOSTILE_HOSTS
from tests.base.outside.certificates import Certificates
from tests.base.outside.smtp_server import PASSWORD, USER, Post, smtp_server

LETTER = Letter(USER, ["you@else.test", "they@else.test"], b"Subject: Hi\r\n\r\n.dots\r\n")


@pytest.fixture
async def post(certificates: Certificates) -> AsyncGenerator[Post]:
    async with smtp_server(certificates.server) as served:
        yield served


def login(post: Post, host: str = "mail.test", password: str = PASSWORD, *, tls_first: bool = False) -> Login:
    return Login(host, post.port, USER, password, tls_first)


async def test_a_mail_arrives_as_it_is_over_starttls(outside: GuardedOutside, post: Post):
    await outside.send_mail(login(post), LETTER)
    (mail,) = post.mails
    assert (mail.mail_from, mail.rcpt_tos, post.encrypted) == (USER, list(LETTER.recipients), [True])
    assert mail.content == LETTER.content


async def test_a_mail_arrives_where_tls_comes_first(outside: GuardedOutside, certificates: Certificates):
    async with smtp_server(certificates.server, tls_first=True) as post:
        await outside.send_mail(login(post, tls_first=True), LETTER)
    assert len(post.mails) == 1


async def test_no_password_goes_to_a_server_without_tls(outside: GuardedOutside):
    async with smtp_server(None) as post:
        with pytest.raises(NotEncrypted):
            await outside.send_mail(login(post), LETTER)
    assert (post.connections, post.tried, post.mails) == (1, [], [])


@pytest.mark.parametrize("tls_first", [True, False])
async def test_a_certificate_for_another_name_is_not_trusted(
    outside: GuardedOutside, certificates: Certificates, *, tls_first: bool
):
    async with smtp_server(certificates.server, tls_first=tls_first) as post:
        with pytest.raises(NotEncrypted):
            await outside.send_mail(login(post, "other.test", tls_first=tls_first), LETTER)
    assert post.tried == []


async def test_a_wrong_password_is_said_and_not_repeated(outside: GuardedOutside, post: Post):
    with pytest.raises(SignInRefused) as caught:
        await outside.send_mail(login(post, password="wrong-canary"), LETTER)
    assert "canary" not in str(caught.value)
    assert post.mails == []


async def test_a_password_that_the_server_cannot_be_told_is_said(outside: GuardedOutside, post: Post):
    with pytest.raises(SignInRefused, match="plain letters"):
        await outside.send_mail(login(post, password="pässword"), LETTER)
    assert post.mails == []


async def test_a_server_that_is_too_slow_with_a_mail_may_have_it(
    outside: GuardedOutside, post: Post, monkeypatch: pytest.MonkeyPatch
):
    """It is not handed over again."""
    monkeypatch.setattr(smtp, "SECONDS", 1.5)
    post.after_data_seconds = 3.0
    with pytest.raises(MailUncertain) as caught:
        await outside.send_mail(login(post), LETTER)
    assert not caught.value.retryable


async def test_a_refused_recipient_refuses_the_mail_for_all(outside: GuardedOutside, post: Post):
    post.refuses["they@else.test"] = "550 no such person"
    with pytest.raises(MailRefused, match=r"they@else.test: 550 no such person"):
        await outside.send_mail(login(post), LETTER)
    assert post.mails == []


async def test_a_server_that_is_busy_may_be_asked_again(outside: GuardedOutside, post: Post):
    post.after_data = "451 later"
    with pytest.raises(UpstreamError, match="451 later") as caught:
        await outside.send_mail(login(post), LETTER)
    assert caught.value.retryable


async def test_a_mail_that_may_have_been_taken_is_not_sent_again_by_itself(outside: GuardedOutside, post: Post):
    post.after_data = "cut"
    with pytest.raises(MailUncertain) as caught:
        await outside.send_mail(login(post), LETTER)
    assert not caught.value.retryable


async def test_s5_no_connection_is_made_to_an_address_that_is_not_public(outside: GuardedOutside, post: Post):
    for host in [*HOSTILE_HOSTS, "localhost", "rebound.test", "http://mail.test", "a b", ""]:
        with pytest.raises((EgressDenied, UpstreamError)):
            await outside.send_mail(login(post, host), LETTER)
    assert post.connections == 0


@pytest.mark.parametrize(
    "letter", [Letter("a@b.test\r\nRCPT TO:<x@y>", ["c@d.test"], b""), Letter("a@b.test", ["c@d.test>\nDATA"], b"")]
)
async def test_an_address_cannot_bring_a_second_command(letter: Letter, outside: GuardedOutside, post: Post):
    with pytest.raises(ControlCharacter):
        await outside.send_mail(login(post), letter)
    assert post.connections == 0


async def test_nothing_is_handed_over_without_leave(outside: GuardedOutside, post: Post):
    may = False
    with speaking_with(lambda: may):
        sending = asyncio.create_task(outside.send_mail(login(post), LETTER))
    async with asyncio.timeout(30):
        while not post.tried:
            await asyncio.sleep(0.01)
    await asyncio.sleep(0.1)
    assert post.mails == []
    may = True
    await sending
    assert len(post.mails) == 1


async def test_who_is_cancelled_leaves_no_thread_behind(outside: GuardedOutside, post: Post):
    post.hangs = asyncio.Event()
    sending = asyncio.create_task(outside.send_mail(login(post), LETTER))
    await asyncio.wait_for(post.hangs.wait(), 30)
    sending.cancel()
    with pytest.raises(asyncio.CancelledError):
        await sending
    done = asyncio.get_running_loop().run_in_executor(None, outside.wait_for_threads)
    await asyncio.wait_for(done, 30)
