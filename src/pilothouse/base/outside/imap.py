"""Looking into a mailbox, over TLS, and leaving it as it was."""

import asyncio
import imaplib
import re
import socket
import ssl
from base64 import b64encode
from collections.abc import Callable, Generator
from concurrent.futures import Executor
from contextlib import contextmanager
from functools import partial
from typing import Any

from pilothouse.base.outside.door import GuardedDoor, held, in_thread
from pilothouse.base.outside.errors import FolderNotFound, NotEncrypted, SignInRefused, refuse_controls, said
from pilothouse.kit.errors import UpstreamError, UpstreamRefused, UpstreamTimeout
from pilothouse.kit.outside import Login, MailSearch, RawMail

SECONDS = 60.0  # for the whole exchange
MAX_BYTES = 25_000_000  # of all that a server says
MAX_ENVELOPE = 10_000  # of what it says around a mail
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_SIZE = re.compile(rb"RFC822\.SIZE (\d+)")


class _Session(imaplib.IMAP4):
    """Speaks on a socket that is connected already, and reads no more than it may."""

    def __init__(self, opened: socket.socket, login: Login) -> None:
        self._opened = opened
        self._budget = MAX_BYTES
        super().__init__(login.host, login.port, timeout=SECONDS)

    @property
    def left(self) -> int:
        """How many bytes may still be read."""
        return self._budget

    def _create_socket(self, timeout: float | None) -> socket.socket:  # pyright: ignore[reportUnusedFunction]  called by the library
        return self._opened

    def read(self, size: int) -> bytes:
        self._spend(size)
        return super().read(size)

    def readline(self) -> bytes:
        line = super().readline()
        self._spend(len(line))
        return line

    def _spend(self, size: int) -> None:
        self._budget -= size
        if self._budget < 0:
            raise UpstreamRefused(f"the mail server says more than the {MAX_BYTES} bytes that are read at once")


async def read_mail(
    door: GuardedDoor, threads: Executor, trust: Callable[[], ssl.SSLContext], login: Login, search: MailSearch
) -> list[RawMail]:
    """Raises `EgressDenied`, `SignInRefused`, `NotEncrypted`, `FolderNotFound` or an `UpstreamError`."""
    refuse_controls(login.username, login.password, search.folder)
    with _as_ours():
        async with asyncio.timeout(SECONDS):
            opened = await door.connect(login.host, login.port, SECONDS)
            with held(opened) as handle:
                return await in_thread(threads, handle, partial(_read, opened, trust, login, search))


def _read(
    opened: socket.socket, trust: Callable[[], ssl.SSLContext], login: Login, search: MailSearch
) -> list[RawMail]:
    with trust().wrap_socket(opened, server_hostname=login.host) as private:
        session = _Session(private, login)
        try:
            _sign_in(session, login)
            return _look(session, search)
        finally:
            session.shutdown()


def _look(session: _Session, search: MailSearch) -> list[RawMail]:
    if session.select(_mailbox(search.folder), readonly=True)[0] != "OK":
        raise FolderNotFound(f"this mailbox has no folder {search.folder!r}")
    found = _ok(session.uid("SEARCH", *_criteria(search)))
    uids = [int(word) for line in found if isinstance(line, bytes) for word in line.split()]
    wanted = sorted(uids, reverse=True)[: search.limit]
    mails: list[RawMail | None] = []
    for uid in wanted:  # where all of them are large, each comes in part
        share = session.left // (len(wanted) - len(mails)) - MAX_ENVELOPE
        mails.append(_fetch(session, uid, max(1, min(search.max_bytes, share))))
    return [mail for mail in mails if mail is not None]


def _sign_in(session: imaplib.IMAP4, login: Login) -> None:
    try:
        if "AUTH=PLAIN" in session.capabilities:
            told = f"\0{login.username}\0{login.password}".encode()
            session.authenticate("PLAIN", lambda _: told)
        else:
            session.login(login.username, login.password)
    except UnicodeEncodeError as cause:
        raise SignInRefused("this mail server takes only plain letters in user names and passwords") from cause
    except imaplib.IMAP4.abort:
        raise
    except imaplib.IMAP4.error:
        raise SignInRefused() from None  # what the library says may repeat the password


def _criteria(search: MailSearch) -> list[str]:
    told = ["UNSEEN"] if search.unseen_only else []
    if search.since is not None:
        told += ["SINCE", f"{search.since.day}-{_MONTHS[search.since.month - 1]}-{search.since.year}"]
    return told or ["ALL"]


def _fetch(session: imaplib.IMAP4, uid: int, limit: int) -> RawMail | None:
    """None when it was deleted meanwhile. `PEEK` leaves it unread."""
    parts = _ok(session.uid("FETCH", str(uid), f"(FLAGS RFC822.SIZE BODY.PEEK[]<0.{limit}>)"))
    told = b" ".join(part[0] if isinstance(part, tuple) else part for part in parts if part is not None)
    content = next((part[1] for part in parts if isinstance(part, tuple)), None)
    if content is None:
        return None
    size = _SIZE.search(told)
    return RawMail(uid, b"\\Seen" in told, int(size[1]) if size else len(content), content[:limit])


def _ok(answer: tuple[str, list[Any]]) -> list[bytes | tuple[bytes, bytes] | None]:
    kind, parts = answer
    if kind != "OK":
        raise UpstreamRefused(f"the mail server answered {kind}: {said(parts[0] or b'' if parts else b'')}")
    return parts


def _mailbox(name: str) -> str:
    """A folder's name as IMAP writes it: quoted, and what is no ASCII in its own kind of UTF-7."""
    coded = re.sub(r"[^\x20-\x7e]+", lambda found: f"&{_utf7(found[0])}-", name.replace("&", "&-"))
    return '"' + coded.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _utf7(text: str) -> str:
    return b64encode(text.encode("utf-16-be")).decode().rstrip("=").replace("/", ",")


@contextmanager
def _as_ours() -> Generator[None]:
    """What the library raises, said in our own errors."""
    try:
        yield
    except ssl.SSLCertVerificationError as cause:
        raise NotEncrypted(f"the certificate of the mail server is not trusted: {cause.verify_message}") from cause
    except TimeoutError as cause:
        raise UpstreamTimeout("the mail server did not answer in time") from cause
    except (OSError, imaplib.IMAP4.error) as cause:
        raise UpstreamError(f"the mail server broke the connection: {type(cause).__name__}") from cause
