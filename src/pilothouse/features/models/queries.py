"""Every select of models. Connections are the installation's, and for administrators only; choices are a user's."""

from collections.abc import Sequence

from sqlalchemy import select

from pilothouse.base.work import Read
from pilothouse.features.models.errors import ConnectionNotFound
from pilothouse.features.models.models import ModelConnection


async def list_connections(read: Read) -> Sequence[ModelConnection]:
    """Oldest first: the order in which a default is looked for."""
    query = select(ModelConnection).order_by(ModelConnection.created_at, ModelConnection.id)
    return (await read.session.scalars(query)).all()


async def get_connection(read: Read, connection_id: str, *, lock: bool = False) -> ModelConnection:
    query = select(ModelConnection).where(ModelConnection.id == connection_id)
    found = await read.session.scalar(query.with_for_update() if lock else query)
    if found is None:
        raise ConnectionNotFound
    return found


async def find_connection(read: Read, name: str) -> ModelConnection | None:
    return await read.session.scalar(select(ModelConnection).where(ModelConnection.name == name))


async def connection_named(read: Read, name: str) -> ModelConnection:
    found = await find_connection(read, name)
    if found is None:
        raise ConnectionNotFound(f"There is no connection '{name}'.")
    return found
