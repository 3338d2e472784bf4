"""Tickets to the socket: a proof that is shown once, for a page that cannot show its cookie there."""

import secrets
from dataclasses import dataclass
from hashlib import sha256

from sqlalchemy import delete, insert

from pilothouse.base.actor import SYSTEM
from pilothouse.base.http.tables import socket_tickets
from pilothouse.base.keyring import Keyring
from pilothouse.base.work import Units
from pilothouse.kit.clock import to_micros

TICKET_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Tickets:
    """A ticket stands for the session under which it was given, for half a minute and one use, in every process."""

    units: Units
    keyring: Keyring

    async def give(self, session_token: str) -> str:
        """A new ticket."""
        ticket = secrets.token_urlsafe(32)
        async with self.units.write(SYSTEM) as work:
            now = to_micros(work.now)
            await work.session.execute(delete(socket_tickets).where(socket_tickets.c.expires_at < now))
            sealed = self.keyring.seal(session_token.encode())
            expires_at = now + TICKET_SECONDS * 1_000_000
            row = {"digest": _digest(ticket), "sealed": sealed, "expires_at": expires_at}
            await work.session.execute(insert(socket_tickets).values(row))
        return ticket

    async def take(self, ticket: str) -> str | None:
        """The session's token that this ticket stands for; it cannot be used again."""
        async with self.units.write(SYSTEM) as work:
            table = socket_tickets.c
            taken = await work.session.execute(
                delete(socket_tickets)
                .where(table.digest == _digest(ticket), table.expires_at >= to_micros(work.now))
                .returning(table.sealed)
            )
            sealed = taken.scalar_one_or_none()
        return None if sealed is None else self.keyring.open(sealed).decode()


def _digest(ticket: str) -> str:
    return sha256(ticket.encode()).hexdigest()
