"""A mail server on loopback that keeps what it is given."""

import asyncio
import ssl
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

USER, PASSWORD = "me@mail.test", "pass-canary-99"


@dataclass(slots=True)
class Post:
    """What arrived, and how the server behaves."""

    port: int = 0
    connections: int = 0
    mails: list[Envelope] = field(default_factory=list[Envelope])
    encrypted: list[bool] = field(default_factory=list[bool])
    tried: list[str] = field(default_factory=list[str])  # passwords
    refuses: dict[str, str] = field(default_factory=dict[str, str])  # recipient to answer
    after_data: str = "250 OK"
    after_data_seconds: float = 0.0  # until it says so
    hangs: asyncio.Event | None = None  # set: it says nothing more

    def authenticate(self, server: SMTP, session: Session, envelope: Envelope, kind: str, told: Any) -> AuthResult:
        assert isinstance(told, LoginPassword)
        self.tried.append(told.password.decode())
        known = (told.login, told.password) == (USER.encode(), PASSWORD.encode())
        return AuthResult(success=known, handled=False)

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if address in self.refuses:
            return self.refuses[address]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        self.mails.append(envelope)
        self.encrypted.append(session.ssl is not None)
        if self.hangs is not None:
            self.hangs.set()
            await asyncio.Event().wait()
        await asyncio.sleep(self.after_data_seconds)
        if self.after_data == "cut":
            assert isinstance(server.transport, asyncio.Transport)
            server.transport.abort()
        return self.after_data


@asynccontextmanager
async def smtp_server(tls: ssl.SSLContext | None, *, tls_first: bool = False) -> AsyncGenerator[Post]:
    """Without `tls` it has none to offer."""
    post = Post()

    def factory() -> SMTP:
        post.connections += 1
        return SMTP(
            post,
            hostname="mail.test",
            tls_context=None if tls_first else tls,
            require_starttls=tls is not None and not tls_first,
            authenticator=post.authenticate,
            auth_required=tls is not None and not tls_first,
            auth_require_tls=not tls_first,
            loop=asyncio.get_running_loop(),
        )

    server = await asyncio.get_running_loop().create_server(factory, "127.0.0.1", 0, ssl=tls if tls_first else None)
    post.port = server.sockets[0].getsockname()[1]
    async with server:
        yield post
