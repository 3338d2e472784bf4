"""The rows of chat. While a turn is unfinished its job's row says what it does; `status` is written once, at the end.

A session's events are a log of `base.logs` under the session's id, numbered by the session's `head`.
"""

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, String, Table, Text, text

from pilothouse.base.database import Id, metadata

chat_sessions = Table(
    "chat_sessions",
    metadata,
    Column("id", Id, primary_key=True),
    Column("user_id", Id, nullable=False),
    Column("title", Text),
    Column("title_source", String(8), nullable=False),  # auto, user
    Column("pinned", Boolean, nullable=False),
    Column("origin", String(16), nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Column("head", BigInteger, nullable=False),  # of the session's log
    Column("turn_id", Id),  # the one turn that is queued, running or waiting
    Column("builder_graph_id", String(128)),
    Column("parent_session_id", Id),
    Column("metadata", Text, nullable=False),  # JSON, fixed when the session is made
    Column("state", Text, nullable=False),  # JSON: a fold of its log, kept with it
    Column("seen", BigInteger, nullable=False),  # the last event that its owner has looked at
    Column("ended", BigInteger, nullable=False),  # the event that ended its last turn
    Column("needs_user", Boolean, nullable=False),
    Column("prompt_tokens", BigInteger, nullable=False),
    Column("completion_tokens", BigInteger, nullable=False),
    Column("title_folded", Text),  # to be found by
    Index("ix_chat_sessions_user", "user_id", "updated_at", "id"),
    Index(
        "uq_chat_sessions_builder",
        "user_id",
        "builder_graph_id",
        unique=True,
        sqlite_where=text("builder_graph_id is not null"),
        postgresql_where=text("builder_graph_id is not null"),
    ),
    Index(
        "ix_chat_sessions_parent",
        "parent_session_id",
        sqlite_where=text("parent_session_id is not null"),
        postgresql_where=text("parent_session_id is not null"),
    ),
)

chat_turns = Table(
    "chat_turns",
    metadata,
    Column("id", Id, primary_key=True),  # also its job's
    Column("session_id", Id, nullable=False),
    Column("user_id", Id, nullable=False),
    Column("origin", String(16), nullable=False),
    Column("mode", String(24)),
    Column("tier", String(24)),
    Column("model", Text),  # known when it starts
    Column("permissions", Text),  # JSON; null: unrestricted
    Column("arrival_at", BigInteger, nullable=False),
    Column("message_event", BigInteger, nullable=False),
    Column("first_event", BigInteger, nullable=False),
    Column("last_event", BigInteger),
    Column("created_at", BigInteger, nullable=False),
    Column("started_at", BigInteger),
    Column("ended_at", BigInteger),
    Column("status", String(16)),  # final ones only
    Column("reason", Text),
    Column("trimmed_at", BigInteger),  # when its deltas were let go
    Column("fence", BigInteger, nullable=False),  # of the last flush, and its number: they prove what landed
    Column("flushes", BigInteger, nullable=False),
    Column("said", Text),  # what AutoPilot said in it, folded, to be found by; written once, at the end
    Column("parent_id", Id),  # the turn or the run that delegated it
    Index("ix_chat_turns_session", "session_id", "first_event"),
    Index(
        "ix_chat_turns_untrimmed",
        "ended_at",
        sqlite_where=text("trimmed_at is null"),
        postgresql_where=text("trimmed_at is null"),
    ),
    Index(
        "ix_chat_turns_delegated",
        "parent_id",
        sqlite_where=text("parent_id is not null and status is null"),
        postgresql_where=text("parent_id is not null and status is null"),
    ),
    Index(
        "ix_chat_turns_open", "user_id", sqlite_where=text("status is null"), postgresql_where=text("status is null")
    ),
)

chat_messages = Table(
    "chat_messages",
    metadata,
    Column("session_id", Id, primary_key=True),
    Column("message_id", Id, primary_key=True),  # the client's: sending twice leaves one
    Column("user_id", Id, nullable=False),
    Column("digest", String(64), nullable=False),
    Column("excerpt", Text, nullable=False),  # the text, folded, to be found by
    Column("turn_id", Id),  # the turn that took it; null while it is pending
    Column("event_id", BigInteger),
    Column("created_at", BigInteger, nullable=False),
    Column("queued_at", BigInteger),  # when it went into the pending buffer, if it did
)

chat_pending = Table(
    "chat_pending",
    metadata,
    Column("session_id", Id, primary_key=True),
    Column("n", Integer, primary_key=True),  # first in, first out
    Column("message_id", Id, nullable=False),
    Column("arrival_at", BigInteger, nullable=False),
    Column("body", Text, nullable=False),  # JSON: text, context, file_ids, origin, mode, tier
    Column("permissions", Text),
)

# Of the last minute: a message that was taken back, or whose session is gone, was pushed all the same.
chat_pushes = Table(
    "chat_pushes",
    metadata,
    Column("user_id", Id, primary_key=True),
    Column("message_id", Id, primary_key=True),
    Column("at", BigInteger, primary_key=True),
)

chat_rounds = Table(
    "chat_rounds",
    metadata,
    Column("turn_id", Id, primary_key=True),
    Column("round", Integer, primary_key=True),
    Column("body", Text, nullable=False),  # the model's raw response; kept until the turn ends
)

chat_background = Table(
    "chat_background",
    metadata,
    Column("session_id", Id, primary_key=True),
    Column("id", String(16), primary_key=True),  # bg- and twelve hex digits
    Column("turn_id", Id, nullable=False),  # that parked it
    Column("tool", String(64), nullable=False),
    Column("kind", String(16), nullable=False),  # run, sub_session, local
    Column("ref_id", Id),  # the run or the session
    Column("memo", Text, nullable=False),  # JSON: what its tool wants to know when it is asked for the result
    Column("state", String(16), nullable=False),  # running, completed, error, cancelled
    Column("output", Text),  # JSON, of local work that has ended
    Column("started_at", BigInteger, nullable=False),
    Column("taken_by", Text),  # the key of the call that its result was given to
)
