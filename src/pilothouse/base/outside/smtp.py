"""Handing mail to a server: encrypted or not at all, to all recipients or to none."""

import asyncio
import smtplib
import socket
import ssl
from collections.abc import Callable, Generator
from concurrent.futures import Executor
from contextlib import contextmanager
from functools import partial
from threading import Event

from pilothouse.base.leave import leave_to_send
from pilothouse.base.outside.door import GuardedDoor, held, in_thread
from pilothouse.base.outside.errors import (
    MailRefused,
    MailUncertain,
    NotEncrypted,
    SignInRefused,
    refuse_controls,
    said,
)
from pilothouse.kit.errors import UpstreamError, UpstreamRefused, UpstreamTimeout
from pilothouse.kit.outside import Letter, Login

SECONDS = 60.0  # for the whole exchange


class _Session(smtplib.SMTP):
    """Speaks on a socket that is connected already: the library would look the name up once more."""

    def __init__(self, opened: socket.socket, host: str, port: int, own_name: str) -> None:
        self._opened = opened
        super().__init__(host, port, local_hostname=own_name, timeout=SECONDS)

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:  # pyright: ignore[reportUnusedFunction]  called by the library
        return self._opened


async def send_mail(
    door: GuardedDoor, threads: Executor, trust: Callable[[], ssl.SSLContext], login: Login, letter: Letter
) -> None:
    """Raises `EgressDenied`, `SignInRefused`, `NotEncrypted`, `MailRefused`, `MailUncertain` or an `UpstreamError`."""
    refuse_controls(login.username, login.password, letter.sender, *letter.recipients)
    handing = Event()
    with _as_ours(handing):
        async with asyncio.timeout(SECONDS):
            opened = await door.connect(login.host, login.port, SECONDS)
            with held(opened) as handle:
                session = await in_thread(threads, handle, partial(_sign_in, opened, trust, login, letter.sender))
                try:
                    await leave_to_send()
                    await in_thread(threads, handle, partial(_hand_over, session, letter, handing))
                finally:
                    session.close()


def _sign_in(opened: socket.socket, trust: Callable[[], ssl.SSLContext], login: Login, sender: str) -> smtplib.SMTP:
    context = trust()
    if login.tls_first:
        opened = context.wrap_socket(opened, server_hostname=login.host)
    session = _Session(opened, login.host, login.port, sender.rpartition("@")[2] or "localhost")
    try:
        if not login.tls_first:
            _encrypt(session, context)
        session.login(login.username, login.password)
    except UnicodeEncodeError as cause:
        session.close()
        raise SignInRefused("this mail server takes only plain letters in user names and passwords") from cause
    except BaseException:
        session.close()
        raise
    return session


def _encrypt(session: smtplib.SMTP, context: ssl.SSLContext) -> None:
    session.ehlo_or_helo_if_needed()
    if not session.has_extn("starttls"):
        raise NotEncrypted("the mail server offers no STARTTLS, so the password was not sent")
    session.starttls(context=context)


def _hand_over(session: smtplib.SMTP, letter: Letter, handing: Event) -> None:
    _check(session.mail(letter.sender), f"mail from {letter.sender}")
    for recipient in letter.recipients:
        _check(session.rcpt(recipient), f"mail for {recipient}")
    handing.set()
    try:
        _check(session.data(letter.content), "this mail")
    except (OSError, smtplib.SMTPServerDisconnected) as cause:
        raise MailUncertain() from cause
    try:
        session.quit()
    except (OSError, smtplib.SMTPException):
        return  # it has the mail


def _check(answer: tuple[int, bytes], what: str) -> None:
    code, text = answer
    if code in (250, 251):
        return
    message = f"the mail server did not take {what}: {code} {said(text)}"
    raise UpstreamError(message) if 400 <= code < 500 else MailRefused(message)


@contextmanager
def _as_ours(handing: Event) -> Generator[None]:
    """What the library raises, said in our own errors. Once a mail is being handed over, nobody can tell from a server
    that is too slow whether it has it.
    """
    try:
        yield
    except smtplib.SMTPAuthenticationError as cause:
        raise SignInRefused() from cause
    except smtplib.SMTPNotSupportedError as cause:
        raise UpstreamRefused("the mail server offers no way to sign in that is known here") from cause
    except smtplib.SMTPResponseException as cause:
        raise MailRefused(f"the mail server answered {cause.smtp_code} {said(cause.smtp_error)}") from cause
    except ssl.SSLCertVerificationError as cause:
        raise NotEncrypted(f"the certificate of the mail server is not trusted: {cause.verify_message}") from cause
    except TimeoutError as cause:
        if handing.is_set():
            raise MailUncertain() from cause
        raise UpstreamTimeout("the mail server did not answer in time") from cause
    except (OSError, smtplib.SMTPException) as cause:
        raise UpstreamError(f"the mail server broke the connection: {type(cause).__name__}") from cause
