"""Commands by name. Only the module of the command that is called is imported, so that `--help` stays quick."""

import importlib
from typing import Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup


class Entry(NamedTuple):
    """Where a command lives, and its line in the list of commands (a test keeps it equal to the docstring's)."""

    place: str  # module:function, or module:group
    line: str


COMMANDS = {
    "serve": Entry("processes:serve", "Run everything in one process: API, web, worker, scheduler."),
    "api": Entry("processes:api", "Serve the API and the web app; workers do the work."),
    "worker": Entry("processes:worker", "Take jobs and run them."),
    "scheduler": Entry("processes:scheduler", "Wake what is due; takes no jobs and opens no port."),
    "run": Entry("run:run", "Run an agent or an agent's file, and print its outputs."),
    "runs": Entry("runs:group", "List, show and cancel runs."),
    "import": Entry("agents:import_file", "Store an agent from a file and print its id."),
    "agent": Entry("agent:group", "Validate, compare, edit and export agents."),
    "blocks": Entry("agents:blocks", "List the blocks that agents are made of."),
    "user": Entry("users:group", "Add people, reset passwords, disable and enable."),
    "key": Entry("keys:group", "Make, list and revoke API keys."),
    "keys": Entry("encryption:group", "List, rotate and drop encryption keys."),
    "credential": Entry("credentials:group", "Keep, list and forget credentials."),
    "models": Entry("models:group", "Connect, try and remove model providers."),
    "owner-link": Entry("upkeep:owner_link", "Print a new link that makes the owner, once."),
    "config": Entry("upkeep:config", "Print every setting, its value and its source."),
    "doctor": Entry("upkeep:doctor", "Look for what is broken, and say how to mend it."),
    "migrate": Entry("upkeep:migrate", "Bring the database to the schema of this version."),
    "backup": Entry("backups:backup", "Write everything into one file, while the server runs."),
    "restore": Entry("backups:restore", "Fill an empty data directory from a backup."),
    "resume": Entry("backups:resume", "Let a restored installation go on with its unfinished work."),
}


class LazyGroup(TyperGroup):
    """Shows every command, and loads one when it is called."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        for name, entry in COMMANDS.items():
            self.add_command(TyperCommand(name, help=entry.line))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] in COMMANDS:
            self.add_command(load(args[0]), args[0])
        return super().resolve_command(ctx, args)


def load(name: str) -> Any:
    """The command itself."""
    module, _, attribute = COMMANDS[name].place.partition(":")
    found = getattr(importlib.import_module(f"pilothouse.app.cli.{module}"), attribute)
    if isinstance(found, typer.Typer):
        return typer.main.get_command(found)
    single = typer.Typer(add_completion=False, rich_markup_mode=None)
    single.command(name)(found)
    return typer.main.get_command(single)
