"""`pilothouse run`: beside a running server the server works; alone, this process does."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, cast

import typer

from pilothouse.app.cli.agent_files import Pinned, actor_or_local, keep_document, read_document
from pilothouse.app.cli.desk import open_desk
from pilothouse.app.cli.following import follow_run
from pilothouse.app.cli.run_inputs import gather_inputs
from pilothouse.app.cli.terminal import AsJson, UserMail, WrongCall, await_, brief_settings, hint, say, show
from pilothouse.app.house import House, open_house
from pilothouse.app.profile import profile_of
from pilothouse.base.directory_lock import DirectoryTaken
from pilothouse.base.jobs.moves import DB_NOW
from pilothouse.base.settings import Settings
from pilothouse.features.runs import RunAsk
from pilothouse.features.runs.present import RunFacts, run_json
from pilothouse.features.runs.rehearsals import DryRun, start
from pilothouse.kit.errors import Conflict
from pilothouse.kit.ids import AgentId, is_id
from pilothouse.kit.json import Json, JsonObject, dumps

GRACE_SECONDS = 2.0
# What becomes of a run that is no longer waited for, by whether others work on it.
_AFTERWARDS = {True: "The run goes on.", False: "The run goes on when a server is started."}


class InstallationHeld(Conflict):
    """This installation was restored from a backup and is held."""

    hint = "Run `pilothouse resume` when its unfinished work may go on."


@dataclass(frozen=True, slots=True)
class Call:
    """What was asked for on the command line."""

    target: str
    user: str | None
    version: int | None
    texts: tuple[str, ...]
    json_texts: tuple[str, ...]
    wait: bool
    quiet: bool
    dry_run: DryRun | None


def run(
    target: Annotated[str, typer.Argument(metavar="AGENT_OR_FILE", help="An agent's id, or a file that holds one.")],
    texts: Annotated[
        list[str] | None, typer.Option("--input", metavar="NAME=VALUE", help="An input; give it once for each.")
    ] = None,
    json_texts: Annotated[
        list[str] | None, typer.Option("--input-json", metavar="NAME=JSON", help="An input as JSON.")
    ] = None,
    user: UserMail = None,
    version: Annotated[int | None, typer.Option(min=1, help="A version; the active one if left out.")] = None,
    wait: Annotated[bool, typer.Option(help="Wait for the end and print the outputs.")] = True,
    quiet: Annotated[bool, typer.Option("--quiet", help="Do not tell the steps.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Try it without reaching anything outside.")] = False,
    recorded: Annotated[
        str | None, typer.Option(metavar="RUN_ID", help="A dry run with the values of this run.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run an agent or an agent's file, and print its outputs."""
    settings = brief_settings()
    trial = DryRun("recorded", recorded) if recorded is not None else DryRun() if dry_run else None
    call = Call(target, user, version, tuple(texts or ()), tuple(json_texts or ()), wait, quiet, trial)
    document = None if is_id(target) else _document(Path(target))
    facts = await_(_run(settings, call, document))
    if as_json:
        show(run_json(facts))
    elif not wait:
        say(facts.id)
    else:
        _tell_outputs(facts)
    if facts.ended_at is not None and _is_failure(facts):
        raise typer.Exit(1)


def _document(path: Path) -> Json:
    if not path.exists():
        raise WrongCall(f"{path} is neither an agent's id nor a file.")
    return read_document(path)


async def _run(settings: Settings, call: Call, document: Json) -> RunFacts:
    async with _open(settings, works=call.wait) as house:
        actor = await actor_or_local(house.units, call.user)
        pinned = Pinned(AgentId(call.target), call.version)
        if document is not None:
            pinned = await keep_document(house.units, actor, house.registry, document)
        planned = await house.plans.find(actor.user_id, *pinned)
        inputs = gather_inputs(call.texts, call.json_texts, planned.input_schema)
        ask = RunAsk(pinned.agent_id, inputs, pinned.version, trigger="cli")
        admitted = await start(house.runs, actor, ask, call.dry_run)
        hint(f"Run {admitted.id}")
        if not call.wait:
            return admitted.facts
        try:
            return await follow_run(house.reader, actor, admitted.id, planned.plan, quiet=call.quiet)
        except asyncio.CancelledError:
            hint(f"{_AFTERWARDS[house.worker is None]} See: pilothouse runs show {admitted.id}")
            raise


@asynccontextmanager
async def _open(settings: Settings, *, works: bool) -> AsyncGenerator[House]:
    """A house that works if nobody else does."""
    async with AsyncExitStack() as stack:
        house = None
        if works and not await _others_work(settings):
            with suppress(DirectoryTaken):  # then a server runs, and finds the job within a second
                house = await stack.enter_async_context(_working_house(settings))
        yield house or await stack.enter_async_context(open_house(settings, serves=False))


@asynccontextmanager
async def _working_house(settings: Settings) -> AsyncGenerator[House]:
    """While it works, it also goes on with what else is unfinished, as a server would."""
    brief = settings.model_copy(update={"shutdown_grace_seconds": GRACE_SECONDS})
    async with open_house(brief, serves=True) as house:
        if not house.released.is_set():
            raise InstallationHeld
        await house.begin_work()
        try:
            yield house
        finally:
            await house.end_work()


async def _others_work(settings: Settings) -> bool:
    """On PostgreSQL, whether a worker's lease is fresh. On SQLite the directory's lock says it, when it is tried."""
    if profile_of(settings).embedded:
        return False
    async with open_desk(settings) as desk:
        return bool(await desk.reader.rows(f"select 1 from workers where expires_at > {DB_NOW} limit 1"))


def _tell_outputs(facts: RunFacts) -> None:
    for name, values in cast(dict[str, list[Json]], facts.outputs).items():
        for value in values:
            say(f"{name}: {value if isinstance(value, str) else dumps(value)}")
    if facts.status != "completed":
        reason = cast(JsonObject, facts.reason or {})
        hint(f"The run {facts.status.replace('_', ' ')}" + (f": {reason['message']}" if reason else "."))


def _is_failure(facts: RunFacts) -> bool:
    if facts.status == "completed_with_errors":
        return bool(cast(JsonObject, facts.stats or {}).get("errors_unhandled"))
    return facts.status != "completed"
