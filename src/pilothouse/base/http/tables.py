"""The door's own tables: answers kept under idempotency keys, tries counted for throttles, tickets to sockets."""

from sqlalchemy import BigInteger, Column, Integer, String, Table, Text

from pilothouse.base.database import Id, Moment, metadata

idempotency_keys = Table(
    "idempotency_keys",
    metadata,
    Column("user_id", Id, primary_key=True),
    Column("route", String(300), primary_key=True),
    Column("key", String(128), primary_key=True),
    Column("body_hash", String(64), nullable=False),
    Column("status", Integer, nullable=False),
    Column("body", Text, nullable=False),
    Column("created_at", Moment, nullable=False, index=True),
)

rate_windows = Table(
    "rate_windows",
    metadata,
    Column("subject", String(200), primary_key=True),
    Column("starts_at", Moment, primary_key=True),
    Column("count", Integer, nullable=False),
)

socket_tickets = Table(
    "socket_tickets",
    metadata,
    Column("digest", String(64), primary_key=True),  # of the ticket, which only its holder knows
    Column("sealed", Text, nullable=False),  # the session under which it was given
    Column("expires_at", BigInteger, nullable=False),
)
