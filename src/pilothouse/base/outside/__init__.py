"""Ways out beside HTTP: mail servers, all behind the one address guard."""

import ssl
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from types import TracebackType
from typing import Self

import httpx2

from pilothouse.base.egress import EgressPolicy
from pilothouse.base.guarded_transport import Resolver, resolve
from pilothouse.base.outside import imap, smtp
from pilothouse.base.outside.door import GuardedDoor
from pilothouse.kit.outside import Letter, Login, MailSearch, RawMail

THREADS = 16  # of libraries that block, so many exchanges at once


class GuardedOutside:
    """Made once per process and closed with it. Threads and certificates are had when they are first needed."""

    def __init__(
        self, policy: EgressPolicy, *, resolver: Resolver = resolve, ssl_context: ssl.SSLContext | None = None
    ) -> None:
        self._door = GuardedDoor(policy, resolver=resolver)
        self._given = ssl_context

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        if "_threads" in self.__dict__:
            self._threads.shutdown(wait=False, cancel_futures=True)

    async def send_mail(self, login: Login, letter: Letter) -> None:
        """Hand a mail over, to all its recipients or to none."""
        await smtp.send_mail(self._door, self._threads, self._trust, login, letter)

    async def read_mail(self, login: Login, search: MailSearch) -> list[RawMail]:
        """Look into a mailbox, newest mail first, and leave it as it was."""
        return await imap.read_mail(self._door, self._threads, self._trust, login, search)

    def wait_for_threads(self) -> None:
        """Return when no exchange is under way any more; none can begin after that."""
        self._threads.shutdown(wait=True)

    @cached_property
    def _threads(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(THREADS, thread_name_prefix="outside")

    @cached_property
    def _certificates(self) -> ssl.SSLContext:
        return self._given or httpx2.create_ssl_context(trust_env=False)

    def _trust(self) -> ssl.SSLContext:
        return self._certificates
