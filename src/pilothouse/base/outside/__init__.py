"""Ways out beside HTTP: mail servers, databases and tool servers, all behind the one address guard."""

import asyncio
import ssl
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Self

import httpx2

from pilothouse.base.egress import EgressDenied, EgressPolicy
from pilothouse.base.guarded_transport import GuardedTransport, Resolver, resolve
from pilothouse.base.outside import imap, postgres, smtp, sqlite, tools
from pilothouse.base.outside.door import GuardedDoor
from pilothouse.kit.outside import DatabaseQuery, Letter, Login, MailSearch, RawMail, Rows, ToolAnswer, ToolCall

THREADS = 16  # of libraries that block, so many exchanges at once


class GuardedOutside:
    """Made once per process and closed with it. Threads and certificates are had when they are first needed."""

    def __init__(
        self,
        policy: EgressPolicy,
        *,
        resolver: Resolver = resolve,
        ssl_context: ssl.SSLContext | None = None,
        sqlite_dir: Path | None = None,
    ) -> None:
        self._policy = policy
        self._resolver = resolver
        self._door = GuardedDoor(policy, resolver=resolver)
        self._given = ssl_context
        self._sqlite_dir = sqlite_dir

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

    async def query_database(self, login: Login, query: DatabaseQuery) -> Rows:
        """Run one statement in a session of its own."""
        if query.kind == "sqlite":
            return await sqlite.query_sqlite(self._sqlite_dir, self._threads, query)
        return await postgres.query_postgres(self._door, self._trust, login, query)

    async def call_tool(self, call: ToolCall) -> ToolAnswer:
        """Call a tool of an MCP server in a session of its own."""
        target = self._policy.target_of(call.url)
        if target.scheme != "https" and not self._policy.is_listed(target):
            raise EgressDenied("a tool server is spoken to over https only", host=target.host, port=target.port)
        certificates = await asyncio.to_thread(self._trust)
        guard = GuardedTransport(self._policy, resolver=self._resolver, ssl_context=certificates)
        return await tools.call_tool(guard, call)

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
