"""Models by HTTP: connections are for administrators, the choice among them is everybody's."""

from fastapi import Request

from pilothouse.base.http import CurrentActor, PathId, Router, Writes, admin, problems, user
from pilothouse.features.accounts import UserNotFound
from pilothouse.features.models import service
from pilothouse.features.models.desk import ModelDesk, shown
from pilothouse.features.models.errors import (
    ConnectionExists,
    ConnectionInvalid,
    ConnectionNotFound,
    ModelUnavailable,
)
from pilothouse.features.models.schemas import (
    ChatModelsOut,
    ChoicesIn,
    ConnectionIn,
    ConnectionOut,
    ConnectionPatch,
    ConnectionsOut,
    TestedOut,
    UsageOut,
)
from pilothouse.features.models.service import Tested

providers = Router("/api/models/providers", tags=["models"])
choices = Router("/api/models/choices", tags=["models"])
chat = Router("/api/chat", tags=["chat"])


def routers() -> list[Router]:
    return [providers, choices, chat]


def _desk(request: Request) -> ModelDesk:
    return request.app.state.models


def _tested(tested: Tested) -> TestedOut:
    return TestedOut(
        ok=tested.code is None,
        code=tested.code,
        message=tested.message,
        model=tested.model,
        latency_ms=tested.latency_ms,
    )


@providers.get("")
@admin
async def list_model_connections(request: Request, actor: CurrentActor) -> ConnectionsOut:
    """Every provider that can be asked, stored or from the environment."""
    return await _desk(request).list_connections(actor)


@providers.post("", status_code=201, responses=problems(ConnectionExists, ConnectionInvalid))
@admin
async def create_model_connection(ask: ConnectionIn, request: Request, work: Writes) -> ConnectionOut:
    """Connect a provider. Its key is sealed and never told again."""
    return shown(await service.create_model_connection(work, _desk(request).keyring, ask))


@providers.post("/test", responses=problems(ConnectionInvalid))
@admin
async def test_new_model_connection(ask: ConnectionIn, request: Request) -> TestedOut:
    """Ask a provider for a word before connecting it. Keeps nothing."""
    return _tested(await _desk(request).test_new(ask))


@providers.patch("/{connection_id}", responses=problems(ConnectionNotFound, ConnectionInvalid))
@admin
async def change_model_connection(
    connection_id: PathId, ask: ConnectionPatch, request: Request, work: Writes
) -> ConnectionOut:
    """Change an address, a key or the models of a connection."""
    return shown(await service.change_model_connection(work, _desk(request).keyring, connection_id, ask))


@providers.delete("/{connection_id}", status_code=204, responses=problems(ConnectionNotFound))
@admin
async def delete_model_connection(connection_id: PathId, work: Writes) -> None:
    """Forget a connection and its key."""
    await service.delete_model_connection(work, connection_id)


@providers.post("/{connection_id}/test", responses=problems(ConnectionNotFound))
@admin
async def test_model_connection(connection_id: PathId, request: Request, actor: CurrentActor) -> TestedOut:
    """Ask a connected provider for a word."""
    return _tested(await _desk(request).test_connection(actor, connection_id))


@choices.put("", status_code=204, responses=problems(ModelUnavailable))
@user
async def choose_models(ask: ChoicesIn, request: Request, work: Writes) -> None:
    """Choose which model answers to a mode and a tier, for oneself."""
    stock = await _desk(request).stockroom.stock()
    await service.set_choices(work, stock, work.actor.user_id, ask.choices, by_admin=False)


@choices.put("/{user_id}", status_code=204, responses=problems(ModelUnavailable, UserNotFound))
@admin
async def choose_models_for(user_id: PathId, ask: ChoicesIn, request: Request, work: Writes) -> None:
    """Choose for somebody: it wins over their own choice."""
    stock = await _desk(request).stockroom.stock()
    await service.set_choices(work, stock, user_id, ask.choices, by_admin=True)


@chat.get("/models")
@user
async def list_chat_models(request: Request, actor: CurrentActor) -> ChatModelsOut:
    """Which model answers to each mode and tier."""
    return await _desk(request).chat_models(actor.user_id)


@chat.get("/usage")
@user
async def get_chat_usage(request: Request, actor: CurrentActor) -> UsageOut:
    """How much of what may be spent on models is spent."""
    return await _desk(request).usage(actor.user_id)
