"""Alembic's entry: it works on the connection that it is handed."""

from typing import Literal

from alembic import context
from sqlalchemy.types import TypeDecorator

from pilothouse.app.tables import metadata


def render_item(kind: str, item: object, _context: object) -> str | Literal[False]:
    """A migration names plain types: ours may change, what it did must not."""
    if kind == "type" and isinstance(item, TypeDecorator):
        return f"sa.{type(item.impl_instance).__name__}()"
    return False


connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=metadata, render_item=render_item)
with context.begin_transaction():
    context.run_migrations()
