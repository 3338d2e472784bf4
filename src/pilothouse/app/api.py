"""The HTTP application over a house."""

from functools import partial

from fastapi import FastAPI
from prometheus_client import CollectorRegistry

from pilothouse.app.channels import channels
from pilothouse.app.house import House
from pilothouse.app.web import web_routes
from pilothouse.base.http import Door, Router, create_app
from pilothouse.base.http.socket_door import socket_routes
from pilothouse.base.http.tickets import Tickets
from pilothouse.base.telemetry import REGISTRY
from pilothouse.features.accounts import routes as accounts
from pilothouse.features.agents import routes as agents
from pilothouse.features.chat import Conversations, builder_session_of
from pilothouse.features.chat import routes as chat
from pilothouse.features.credentials import routes as credentials
from pilothouse.features.files import routes as files
from pilothouse.features.library import routes as library
from pilothouse.features.models import routes as language_models
from pilothouse.features.reviews import routes as reviews
from pilothouse.features.runs import RunEvents
from pilothouse.features.runs import routes as runs


def api_routes() -> list[Router]:
    """Every route of the API."""
    talk = [*chat.routers(), *language_models.routers()]
    return [
        accounts.router,
        *agents.routers(),
        *runs.routers(),
        reviews.router,
        credentials.router,
        *files.routers(),
        library.router,
        *talk,
        socket_routes(),
    ]


async def public_flags(house: House) -> dict[str, bool]:
    """What every page may know of the installation."""
    return {"model_connected": await house.models.stockroom.is_connected()}


def build_app(house: House, *, registry: CollectorRegistry = REGISTRY) -> FastAPI:
    """Every route, with its policy checked. A second app in one process needs a registry of its own."""

    async def database() -> None:
        await house.reader.rows("select 1")

    door = Door(
        settings=house.settings,
        keyring=house.keyring,
        units=house.units,
        identity=house.reception,
        checks={"database": database},
        stopping=house.stopping,
        registry=registry,
    )
    app = create_app(door, [*api_routes(), web_routes()])
    app.state.flags = partial(public_flags, house)
    app.state.models = house.models
    app.state.credentials = house.credentials
    app.state.cabinet = house.cabinet
    app.state.reception = house.reception
    app.state.catalogue = house.registry
    app.state.plans = house.plans
    app.state.runs = house.runs
    app.state.reviews = house.reviews
    app.state.chat = house.chat
    app.state.builder_chat = builder_session_of
    app.state.conversations = Conversations(house.reader, house.fanout, house.settings.show_reasoning)
    app.state.run_events = RunEvents(house.reader, house.fanout, house.plans)
    app.state.channels = channels(app.state.conversations, app.state.run_events, house.fanout)
    app.state.tickets = Tickets(house.units, house.keyring)
    return app
