"""`import` and `blocks`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from pilothouse.app.catalogue import open_registry
from pilothouse.app.cli.agent_files import OnBase, actor_or_local, read_document
from pilothouse.app.cli.coverage_lines import coverage_lines
from pilothouse.app.cli.desk import open_desk
from pilothouse.app.cli.terminal import AsJson, UserMail, await_, brief_settings, hint, say, show, show_table
from pilothouse.features.agents import AgentGraph, Coverage, import_agent, preview_import
from pilothouse.graph.catalogue import BlockSpec
from pilothouse.kit.ids import AgentId


def import_file(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A document of format pilothouse.agent/1, or what AutoGPT exports.")
    ],
    agent: Annotated[str | None, typer.Option(metavar="ID", help="Make it a new version of this agent.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Tell what it would make and store nothing.")] = False,
    user: UserMail = None,
    as_json: AsJson = False,
) -> None:
    """Store an agent from a file and print its id."""
    settings = brief_settings()
    document = read_document(file)

    async def act() -> tuple[AgentGraph | None, Coverage]:
        async with open_desk(settings) as desk:
            actor = await actor_or_local(desk.units, user)
            catalogue = open_registry(settings)
            if dry_run:
                async with desk.units.read(actor) as read:
                    return None, (await preview_import(read, catalogue, document)).coverage
            async with desk.units.write(actor) as work:
                into = None if agent is None else (AgentId(agent), OnBase(None))
                made = await import_agent(work, catalogue, document, into)
                return made.stored, made.coverage

    stored, coverage = await_(act())
    if as_json:
        known = {"agent_id": stored and stored.id, "version": stored and stored.version}
        show({**known, "report": coverage.to_json()})
        return
    if stored is not None:
        say(stored.id)
        hint(f"Version {stored.version}.")
    for line in coverage_lines(coverage):
        hint(line)


def blocks(
    query: Annotated[str, typer.Argument(help="Words to look for in name, description and categories.")] = "",
    as_json: AsJson = False,
) -> None:
    """List the blocks that agents are made of."""
    settings = brief_settings()
    words = query.lower().split()
    registry = open_registry(settings)
    specs = sorted(registry.values(), key=lambda spec: spec.name)
    found = [spec for spec in specs if all(word in _text(spec) for word in words)]
    rows: list[dict[str, Any]] = [_row(spec) for spec in found]
    if as_json:
        show([{**row, "inputs": spec.inputs, "outputs": spec.outputs} for row, spec in zip(rows, found, strict=True)])
    else:
        show_table(rows, ["id", "name", "effects", "description"])
    for reason in registry.refused:
        hint(f"Not taken: {reason}.")


def _text(spec: BlockSpec) -> str:
    return " ".join((spec.id, spec.name, spec.description, *spec.categories)).lower()


def _row(spec: BlockSpec) -> dict[str, Any]:
    return {
        "id": spec.id,
        "name": spec.name,
        "description": spec.description,
        "categories": list(spec.categories),
        "effects": str(spec.effects),
        "disabled": spec.disabled,
        "reason": spec.reason,
        "plugin": spec.plugin,
    }
