"""Commands that start a process and stay."""

from typing import Annotated, TypeAlias

import typer
import uvloop

from pilothouse.app.cli.terminal import read_settings, say
from pilothouse.app.profile import ProfileImpossible, profile_of
from pilothouse.app.serve import serve as serve_process
from pilothouse.base import telemetry
from pilothouse.base.settings import Settings

Host: TypeAlias = Annotated[
    str | None, typer.Option(help="Address to listen on; PILOTHOUSE_HOST if left out.", show_default=False)
]
Port: TypeAlias = Annotated[
    int | None, typer.Option(help="Port to listen on; PILOTHOUSE_PORT if left out.", show_default=False)
]


def serve(host: Host = None, port: Port = None) -> None:
    """Run everything in one process: API, web, worker, scheduler."""
    _run(read_settings(host=host, port=port), works=True, listens=True)


def api(host: Host = None, port: Port = None) -> None:
    """Serve the API and the web app; workers do the work."""
    _run(read_settings(host=host, port=port), works=False, listens=True)


def worker() -> None:
    """Take jobs and run them."""
    _run(read_settings(), works=True, listens=False)


def scheduler() -> None:
    """Wake what is due; takes no jobs and opens no port."""
    _run(read_settings(), works=False, listens=False)


def _run(settings: Settings, *, works: bool, listens: bool) -> None:
    if profile_of(settings).embedded and not (works and listens):
        raise ProfileImpossible("On SQLite one process does everything.", hint="Start it with `pilothouse serve`.")
    telemetry.configure_logging(settings.log_level, settings.log_format)
    uvloop.run(serve_process(settings, works=works, listens=listens, announce=say))
