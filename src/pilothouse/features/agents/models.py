"""Agents and their versions, as rows."""

from datetime import datetime

from sqlalchemy import Boolean, ForeignKey, Index, Integer, String, Text, false, true
from sqlalchemy.orm import Mapped, mapped_column

from pilothouse.base.database import Id, JsonText, Moment, Row
from pilothouse.kit.json import JsonObject


class AgentRow(Row):
    """What does not belong to one version: whose it is, and which version is in use."""

    __tablename__ = "agents"
    __table_args__ = (Index("ix_agents_user_id_id", "user_id", "id"),)

    id: Mapped[str] = mapped_column(Id, primary_key=True)
    user_id: Mapped[str] = mapped_column(Id)
    name: Mapped[str] = mapped_column(Text)  # the active version's, for lists
    active_version: Mapped[int] = mapped_column(Integer)
    newest_version: Mapped[int] = mapped_column(Integer)
    created_at: Mapped[datetime] = mapped_column(Moment)
    updated_at: Mapped[datetime] = mapped_column(Moment)
    deleted_at: Mapped[datetime | None] = mapped_column(Moment)
    # Settings of its owner; they move to the library entry when there is one.
    review_required: Mapped[bool] = mapped_column(Boolean, default=True, server_default=true())
    review_sensitive: Mapped[bool] = mapped_column(Boolean, default=False, server_default=false())
    favourite: Mapped[bool] = mapped_column(Boolean, default=False, server_default=false())


class VersionRow(Row):
    """One version, never changed once written; what is read from its document is kept beside it."""

    __tablename__ = "agent_versions"

    agent_id: Mapped[str] = mapped_column(Id, ForeignKey("agents.id"), primary_key=True)
    version: Mapped[int] = mapped_column(Integer, primary_key=True)
    document: Mapped[str] = mapped_column(Text)  # canonical text
    content_hash: Mapped[str] = mapped_column(String(64))
    name: Mapped[str] = mapped_column(Text)
    description: Mapped[str] = mapped_column(Text)
    node_count: Mapped[int] = mapped_column(Integer)
    input_schema: Mapped[JsonObject] = mapped_column(JsonText)
    output_schema: Mapped[JsonObject] = mapped_column(JsonText)
    note: Mapped[str | None] = mapped_column(Text)
    author_id: Mapped[str] = mapped_column(Id)
    by_autopilot: Mapped[bool] = mapped_column(Boolean, server_default=false())  # in a turn of the author's
    forked_from: Mapped[JsonObject | None] = mapped_column(JsonText)  # {agent_id, version}, of a fork's first version
    created_at: Mapped[datetime] = mapped_column(Moment)
