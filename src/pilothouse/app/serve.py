"""Processes: all in one, api, worker, scheduler. Each runs until it is told to stop, then hands its work on."""

import asyncio
import contextlib
import gc
import os
import signal
import socket
import sys
from collections.abc import Callable, Generator

import structlog
import uvicorn

from pilothouse.app.api import build_app
from pilothouse.app.holds import HELD_LINE
from pilothouse.app.house import House, open_house
from pilothouse.app.production import refuse_unsafe
from pilothouse.base.actor import SYSTEM
from pilothouse.base.settings import Settings
from pilothouse.features.accounts import has_owner, make_owner_link
from pilothouse.kit.errors import PilothouseError

log = structlog.get_logger()


class QuietServer(uvicorn.Server):
    """Uvicorn without its own signal handlers: the process decides when everything stops, and in which order."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


async def serve(settings: Settings, *, works: bool, listens: bool, announce: Callable[[str], None]) -> None:
    """Run a process: one that `listens` has the HTTP door, one that `works` takes jobs."""
    refuse_unsafe(settings)
    doorstep = _bind(settings) if listens else None
    if doorstep is not None and "public_url" not in settings.model_fields_set:
        settings = settings.model_copy(update={"public_url": f"http://localhost:{doorstep.getsockname()[1]}"})
    async with open_house(settings, serves=True) as house:
        stop = _stop_on_signals()
        server = _server(house) if doorstep is not None else None
        _keep_for_good()
        door = asyncio.create_task(server.serve(sockets=[doorstep])) if server is not None and doorstep else None
        if works:
            await house.begin_work()
        if server is not None and door is not None:
            await _until_up(server, door)
            await _announce(house, announce)
        elif works:
            announce("Working. Press Ctrl+C to stop.")
        if not house.released.is_set():
            announce(HELD_LINE)
        await _until(stop, door)
        house.stopping.set()
        await house.end_work()
        if server is not None and door is not None:
            server.should_exit = True
            await door


def _keep_for_good() -> None:
    """What was made until now lives as long as the process: no collection need look at it again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)  # cycles are rare here: looking at every 700 objects cost 8 % of a run


class PortTaken(PilothouseError):
    """Another program listens on this port."""

    hint = "Set PILOTHOUSE_PORT to another one, or stop that program."


def _bind(settings: Settings) -> socket.socket:
    """Take the port before anything else is opened, so that a taken one leaves nothing behind."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    doorstep = socket.socket(family, socket.SOCK_STREAM)
    doorstep.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        doorstep.bind((settings.host, settings.port))
    except OSError as error:
        doorstep.close()
        raise PortTaken(f"Cannot listen on {settings.host}:{settings.port}: {error.strerror}.") from error
    return doorstep


def _server(house: House) -> QuietServer:
    config = uvicorn.Config(
        build_app(house),
        http="httptools",
        ws="websockets-sansio",
        ws_max_size=64 * 1024,
        loop="none",
        lifespan="off",
        access_log=False,
        log_config=None,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=5,
        backlog=4096,
    )
    return QuietServer(config)


def _stop_on_signals() -> asyncio.Event:
    """The first signal asks; the second ends the process at once, which loses nothing either."""
    stop = asyncio.Event()

    def asked() -> None:
        if stop.is_set():
            os._exit(0)
        stop.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, asked)
    return stop


async def _until_up(server: QuietServer, door: "asyncio.Task[None]") -> None:
    while not server.started and not door.done():  # noqa: ASYNC110  uvicorn has a flag and no event
        await asyncio.sleep(0.01)
    if door.done():
        door.result()
        sys.exit(1)  # uvicorn has said why: the port is taken


async def _until(stop: asyncio.Event, door: "asyncio.Task[None] | None") -> None:
    waiting = asyncio.create_task(stop.wait())
    await asyncio.wait([waiting, *([door] if door else [])], return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()


async def _announce(house: House, announce: Callable[[str], None]) -> None:
    """Say where to go: the set-up link while there is no owner."""
    url = house.settings.public_url
    async with house.units.read(SYSTEM) as read:
        owned = await has_owner(read)
    if owned:
        announce(f"Pilothouse is ready: {url}")
        return
    async with house.units.write(SYSTEM) as work:
        link = await make_owner_link(work, url)
    announce(f"Pilothouse is ready. Open this link to set it up (it works once, for 24 hours):\n\n  {link}\n")
