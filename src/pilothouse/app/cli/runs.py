"""`pilothouse runs ...`: look at runs and stop them."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, TypeAlias, TypeVar

import typer

from pilothouse.app.catalogue import open_registry
from pilothouse.app.cli.desk import Desk, open_desk
from pilothouse.app.cli.terminal import AsJson, UserMail, await_, brief_settings, hint, say, show, show_table
from pilothouse.app.house import open_house
from pilothouse.base.actor import SYSTEM, Actor
from pilothouse.base.fanout import LocalFanout
from pilothouse.features.accounts import find_actor
from pilothouse.features.agents import Plans
from pilothouse.features.runs import queries
from pilothouse.features.runs.events import RunEvents
from pilothouse.features.runs.present import RunFacts, brief_json, run_json
from pilothouse.features.runs.queries import Filter
from pilothouse.features.runs.schemas import RunStatus
from pilothouse.kit.ids import RunId
from pilothouse.kit.json import JsonObject, pretty

T = TypeVar("T")
group = typer.Typer(help="List, show and cancel runs.", no_args_is_help=True, rich_markup_mode=None)
Which: TypeAlias = Annotated[str, typer.Argument(metavar="RUN_ID", help="The run.")]
PAGE = 500


@group.command("list")
def list_(
    agent: Annotated[str | None, typer.Option(metavar="ID", help="Only this agent's.")] = None,
    status: Annotated[RunStatus | None, typer.Option(help="Only these.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="At most so many.")] = 50,
    user: UserMail = None,
    as_json: AsJson = False,
) -> None:
    """List runs, newest first."""

    async def act(desk: Desk, actor: Actor) -> list[RunFacts]:
        return await queries.list_runs(desk.reader, actor, Filter(agent, status), before=None, limit=limit)

    rows = [brief_json(facts) for facts in _at_desk(act, user)]
    if as_json:
        show(rows)
    else:
        show_table(rows, ["id", "status", "trigger", "created_at", "ended_at", "agent_id"])


@group.command("show")
def show_(run_id: Which, user: UserMail = None, as_json: AsJson = False) -> None:
    """Show a run with its steps."""

    async def act(desk: Desk, actor: Actor) -> tuple[RunFacts, list[JsonObject]]:
        facts = await queries.get_run(desk.reader, actor, RunId(run_id))
        return facts, await _steps(desk, actor, facts)

    facts, steps = _at_desk(act, user)
    if as_json:
        show({**run_json(facts), "steps": steps})
        return
    for name, value in run_json(facts).items():
        say(f"{name}: {value if isinstance(value, str | int | None) else pretty(value).strip()}")
    rows: list[dict[str, Any]] = [step | {"error": (step["error"] or {}).get("message")} for step in steps]  # pyright: ignore
    show_table(rows, ["step_id", "node_id", "status", "attempt", "error"])


@group.command()
def cancel(run_id: Which, user: UserMail = None, as_json: AsJson = False) -> None:
    """Cancel a run; one that nobody works on ends at once."""
    settings = brief_settings()

    async def act() -> tuple[RunFacts, bool]:
        async with open_house(settings, serves=False) as house:
            async with house.units.read(SYSTEM) as read:
                actor = await find_actor(read, user)
            return await house.runs.cancel_run(actor, RunId(run_id))

    facts, changed = await_(act())
    if as_json:
        show({"cancelled": changed, "run": run_json(facts)})
    elif not changed:
        hint(f"The run had ended already: {facts.status}.")
    else:
        hint("The run is cancelled." if facts.ended_at else "The run ends as soon as its worker hears of it.")


async def _steps(desk: Desk, actor: Actor, facts: RunFacts) -> list[JsonObject]:
    plans = Plans(desk.reader, open_registry(desk.settings))
    log = RunEvents(desk.reader, LocalFanout(), plans)
    steps: list[JsonObject] = []
    after: int | None = 0
    while after is not None:
        page, after = await log.steps(actor, RunId(facts.id), after, PAGE)
        steps += page
    return steps


def _at_desk(act: Callable[[Desk, Actor], Awaitable[T]], user: str | None) -> T:
    settings = brief_settings()

    async def work() -> T:
        async with open_desk(settings) as desk:
            return await act(desk, await desk.actor(user))

    return await_(work())
