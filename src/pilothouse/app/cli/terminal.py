"""Reading the settings and speaking to the terminal, the same way in every command."""

import os
import sys
from collections.abc import Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeAlias, TypeVar

import typer
import uvloop
from pydantic import ValidationError

from pilothouse.app.cli.options import CHOSEN
from pilothouse.base import telemetry
from pilothouse.base.settings import Settings
from pilothouse.base.settings_sources import Reading
from pilothouse.base.settings_sources import read_settings as read_sources
from pilothouse.kit.json import pretty

T = TypeVar("T")

AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON.")]
UserMail: TypeAlias = Annotated[
    str | None, typer.Option("--user", metavar="MAIL", help="On whose behalf; the owner if left out.")
]


def read_all(**options: object) -> Reading:
    """Every source of settings. Odd names are told on stderr; a bad value ends the command (exit 2)."""
    reading = read_sources(os.environ, Path.cwd(), {**CHOSEN.get({}), **options})
    for warning in reading.warnings:
        hint(f"Warning: {warning}")
    return reading


def read_settings(**options: object) -> Settings:
    return read_all(**options).settings


def brief_settings(**options: object) -> Settings:
    """For commands that do one thing and end: warnings only, and no long wait for a database that is not there."""
    settings = read_settings(**options)
    telemetry.configure_logging("debug" if settings.log_level == "debug" else "warning", settings.log_format)
    patience = min(settings.database_connect_timeout, 5.0)
    return settings.model_copy(update={"database_connect_timeout": patience})


def await_(doing: Coroutine[Any, Any, T]) -> T:
    """Run a command's work to its end."""
    return uvloop.run(doing)


def say(text: str) -> None:
    """The answer: stdout."""
    typer.echo(text)


def hint(text: str) -> None:
    """What is said beside the answer: stderr."""
    typer.echo(text, err=True)


def show(data: object) -> None:
    """The answer as JSON."""
    sys.stdout.write(pretty(data))
    sys.stdout.flush()


def show_table(rows: Sequence[Mapping[str, object]], columns: Sequence[str]) -> None:
    """Rows for people, each column as wide as it must be."""
    cells = [[column.upper().replace("_", " ") for column in columns]]
    cells += [["" if row[column] is None else str(row[column]) for column in columns] for row in rows]
    widths = [max(len(line[i]) for line in cells) for i in range(len(columns))]
    for line in cells:
        say("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


class WrongCall(typer.BadParameter):
    """An argument that cannot be meant; exit 2."""


def ask_secret(label: str, option: str, *, from_stdin: bool, twice: bool = False) -> str:
    """A line that nobody sees. Never an argument: those are seen by everyone on the machine."""
    if from_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    if not sys.stdin.isatty():
        raise WrongCall(f"There is no terminal to ask for the {label.lower()}. Use {option}.")
    return typer.prompt(label, hide_input=True, confirmation_prompt=twice)


def faults_in(error: ValidationError, *, below: int = 0) -> WrongCall:
    """What is wrong with what was said, without what was said: it may be secret. `below`: how deep names begin."""
    faults = error.errors(include_input=False, include_url=False, include_context=False)
    told = (f"{'.'.join(map(str, fault['loc'][below:])) or 'type'}: {fault['msg']}" for fault in faults)
    return WrongCall("; ".join(told))
