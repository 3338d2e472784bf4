"""`pilothouse agent ...`: judge, compare, change and hand on agents, stored ones and those in files."""

import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated, NamedTuple, TypeAlias, TypeVar

import typer

from pilothouse.app.cli.agent_files import NotJson, OnBase, Pinned, actor_or_local, read_document, read_json
from pilothouse.app.cli.desk import open_desk
from pilothouse.app.cli.diff_lines import diff_lines
from pilothouse.app.cli.terminal import AsJson, UserMail, WrongCall, await_, brief_settings, hint, say, show
from pilothouse.base.actor import Actor
from pilothouse.base.work import Read, Units
from pilothouse.blocks.registry import Registry
from pilothouse.features import agents
from pilothouse.features.agents.documents import read_document as parsed
from pilothouse.graph.autogpt import is_autogpt
from pilothouse.graph.catalogue import Catalogue
from pilothouse.graph.diff import diff as difference
from pilothouse.graph.diff_operations import operations_between
from pilothouse.graph.document import to_json
from pilothouse.graph.report import AGENT, Level, Report
from pilothouse.kit.ids import AgentId, is_id
from pilothouse.kit.json import Json, JsonObject, loads

T = TypeVar("T")
group = typer.Typer(help="Validate, compare, edit and export agents.", no_args_is_help=True, rich_markup_mode=None)
Target: TypeAlias = Annotated[str, typer.Argument(metavar="TARGET", help="A file, an agent's ID, or ID@VERSION.")]
Stored: TypeAlias = Annotated[str, typer.Argument(metavar="AGENT", help="An agent's ID, or ID@VERSION.")]


@group.command()
def validate(
    target: Target,
    level: Annotated[Level, typer.Option(help="What it must be fit for.")] = "run",
    user: UserMail = None,
    as_json: AsJson = False,
) -> None:
    """Say everything that is wrong with an agent; exit 1 when it is not valid."""

    async def act(table: _Table) -> Report:
        async with table.units.read(table.actor) as read:
            return await agents.validate_document(read, table.catalogue, await _graph(table, read, target), level)

    report = _at_desk(act, user)
    if as_json:
        show(report.to_json())
    else:
        for issue in report.issues:
            place = issue.field if issue.node_id == AGENT else f"{issue.node_id}, {issue.field}"
            say(f"{issue.severity} {issue.code} at {place}: {issue.message}")
        hint("Valid." if report.valid else "Not valid.")
    if not report.valid:
        raise typer.Exit(1)


@group.command()
def diff(
    before: Annotated[str, typer.Argument(help="A file, an agent's ID, or ID@VERSION.")],
    after: Annotated[str, typer.Argument(help="The same.")],
    positions: Annotated[bool, typer.Option("--positions", help="Where nodes are drawn counts too.")] = False,
    user: UserMail = None,
    as_json: AsJson = False,
) -> None:
    """Tell what changed from one agent to another; with --json also the operations that would do it."""

    async def act(table: _Table) -> tuple[JsonObject, list[JsonObject]]:
        async with table.units.read(table.actor) as read:
            old, new = [parsed(await _graph(table, read, target)) for target in (before, after)]
        operations = operations_between(old, new, table.catalogue, positions=positions)
        return difference(old, new, positions=positions), operations

    changed, operations = _at_desk(act, user)
    if as_json:
        show({"diff": changed, "operations": operations})
    else:
        for line in diff_lines(changed):
            say(line)


@group.command()
def edit(
    agent: Annotated[str, typer.Argument(metavar="ID", help="The agent.")],
    operations: Annotated[str, typer.Argument(metavar="FILE", help="A JSON list of operations; - is standard input.")],
    base: Annotated[int | None, typer.Option(min=1, help="The version that they were made for.")] = None,
    rebase: Annotated[bool, typer.Option("--rebase", help="Go on if nothing they touch changed since.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the result and store nothing.")] = False,
    note: Annotated[str | None, typer.Option(help="What to write beside the version.")] = None,
    user: UserMail = None,
    as_json: AsJson = False,
) -> None:
    """Change an agent by operations: all of them and one new version, or nothing."""
    asked = _from_stdin() if operations == "-" else read_json(Path(operations))
    if not isinstance(asked, list) or not all(isinstance(one, dict) for one in asked):
        raise WrongCall("The operations are a JSON list of objects.")
    ops = [one for one in asked if isinstance(one, dict)]

    async def act(table: _Table) -> agents.Edited:
        async with table.units.write(table.actor) as work:
            return await agents.edit_agent(
                work, table.catalogue, AgentId(agent), ops, OnBase(base), save=not dry_run, rebase=rebase, note=note
            )

    edited = _at_desk(act, user)
    if as_json:
        told = {"id": agent, "version": edited.agent.version, "saved": edited.saved, "nodes": dict(edited.nodes)}
        show({**told, "ops": list(edited.ops), **edited.report.to_json()})
    elif dry_run:
        say(edited.agent.document.rstrip("\n"))
    else:
        say(str(edited.agent.version))
        hint(f"Version {edited.agent.version} is active.")


@group.command()
def export(
    agent: Stored,
    output: Annotated[Path | None, typer.Option(help="Write it there; standard output if left out.")] = None,
    user: UserMail = None,
) -> None:
    """Write an agent, with the agents inside it and without secrets, as a file that `import` takes."""
    pinned = _pinned(agent)
    if pinned is None:
        raise WrongCall(f"{agent} is not an agent's id.")

    async def act(table: _Table) -> agents.Exported:
        async with table.units.read(table.actor) as read:
            return await agents.export_agent(read, table.catalogue, *pinned)

    file = _at_desk(act, user)
    if output is None:
        sys.stdout.write(file.text)
    else:
        try:
            output.write_text(file.text, encoding="utf-8")
        except OSError as error:
            raise WrongCall(f"{output} cannot be written: {error.strerror}.") from error
        hint(f"{file.name}, version {file.version}, is in {output}.")


def _from_stdin() -> Json:
    try:
        return loads(sys.stdin.read())
    except ValueError as error:
        raise NotJson(f"Standard input is not JSON: {error}.") from None


class _Table(NamedTuple):
    units: Units
    actor: Actor
    catalogue: Catalogue


def _at_desk(act: Callable[[_Table], Awaitable[T]], user: str | None) -> T:
    settings = brief_settings()

    async def work() -> T:
        async with open_desk(settings) as desk:
            actor = await actor_or_local(desk.units, user)
            return await act(_Table(desk.units, actor, Registry(test_blocks=settings.test_blocks)))

    return await_(work())


async def _graph(table: _Table, read: Read, target: str) -> Json:
    """What a file says, or a stored version."""
    pinned = _pinned(target)
    if pinned is None:
        document = read_document(Path(target))
        return to_json(await agents.read_file(read, table.catalogue, document)) if is_autogpt(document) else document
    return (await agents.get_agent(read, *pinned)).graph


def _pinned(target: str) -> Pinned | None:
    agent_id, at, version = target.partition("@")
    if not is_id(agent_id):
        return None
    if at and not (version.isascii() and version.isdigit() and 0 < int(version[:10]) < 2**31):
        raise WrongCall(f"'{version}' is no version.")
    return Pinned(AgentId(agent_id), int(version) if at else None)
