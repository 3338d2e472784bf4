"""The entry point, and the one frame that turns errors into words and exit codes."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from pilothouse import __version__
from pilothouse.app.cli.lazy import LazyGroup
from pilothouse.app.cli.options import CHOSEN
from pilothouse.graph.report import AGENT
from pilothouse.kit.errors import PilothouseError
from pilothouse.kit.json import Json, JsonObject, dumps

MOST_NAMES = 8

cli = typer.Typer(
    cls=LazyGroup,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


@cli.callback()
def pilothouse(
    data_dir: Annotated[
        Path | None, typer.Option(help="Where state is kept; PILOTHOUSE_DATA_DIR if left out.", show_default=False)
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print it.")
    ] = False,
) -> None:
    """Delegate work to agents that survive anything."""
    CHOSEN.set({"data_dir": data_dir})


def main() -> None:
    """Exit 1: it could not be done; exit 2: the call or the settings are wrong."""
    try:
        cli()
    except PilothouseError as error:
        tell(error)
        sys.exit(2 if error.code == "settings_wrong" else 1)


def tell(error: PilothouseError) -> None:
    """What went wrong, each fault on a line, or else what to do about it."""
    typer.echo(f"Error: {error.message}", err=True)
    issues, ops = error.facts.get("issues"), error.facts.get("ops")
    if isinstance(issues, list):
        for issue in issues:
            typer.echo(f"  {_issue(issue)}", err=True)
    elif isinstance(ops, list):
        for op in ops:
            if isinstance(op, dict) and not op["ok"]:
                typer.echo(f"  {_operation(op)}", err=True)
    elif error.advice:
        typer.echo(f"Hint: {error.advice}", err=True)


def _issue(issue: Json) -> str:
    if not isinstance(issue, dict):
        return dumps(issue)
    node, where = issue.get("node_id"), issue.get("field")
    place = "" if node in {None, AGENT} else f"{node}, {where}: "
    return f"{place}{issue.get('message')}"


def _operation(answer: JsonObject) -> str:
    allowed = answer.get("allowed")
    names = ", ".join(str(name) for name in allowed[:MOST_NAMES]) if isinstance(allowed, list) else ""
    return f"{answer['index']}: {answer['message']}" + (f" Allowed: {names}" if names else "")
