"""What AutoPilot does around a run: finds the agent, looks at the inputs, starts it once, waits for it."""

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import cast

from pilothouse.base.committer import Clash
from pilothouse.base.tools import ToolContext
from pilothouse.features import agents
from pilothouse.features.runs import queries
from pilothouse.features.runs.admitting import RunAsk
from pilothouse.features.runs.errors import AgentAmbiguous, AgentUnknown, AgentUnnamed, DryRunImpossible
from pilothouse.features.runs.present import RunFacts
from pilothouse.features.runs.service import Runs
from pilothouse.graph.catalogue import Effects
from pilothouse.graph.fields import properties, required
from pilothouse.kit.ids import AgentId, RunId, child_id
from pilothouse.kit.json import Json

LOOKED_AT = 500  # agents of a library, the newest
FIRST_LOOK_SECONDS = 0.01
POLL_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class RunOrder:
    """What to run, and how long to wait for it."""

    agent: agents.Agent
    inputs: Mapping[str, Json]
    wait_seconds: int
    dry_run: bool


@dataclass(frozen=True, slots=True)
class InputFaults:
    """Why a run with these inputs would be refused."""

    missing: list[str]
    unknown: list[str]
    errors: dict[str, str]
    required: list[str]
    optional: list[str]


async def look_up(ctx: ToolContext, agent_id: str, name: str) -> agents.Agent:
    """The user's agent by id, or by a name that fits only one."""
    if not (agent_id or name):
        raise AgentUnnamed
    async with ctx.read() as read:
        if agent_id:
            try:
                return await agents.get_agent(read, AgentId(agent_id))
            except agents.AgentNotFound:
                raise AgentUnknown(f"There is no agent with the id '{agent_id}'.") from None
        library = await agents.list_agents(read, LOOKED_AT)
    same = [agent for agent in library if agent.name.casefold() == name.casefold()]
    found = same or list(agents.find_agents(library, name, LOOKED_AT))
    if not found:
        raise AgentUnknown(f"There is no agent called '{name}'.")
    if len(found) > 1:
        raise AgentAmbiguous(candidates=[{"id": agent.id, "name": agent.name} for agent in found[:10]])
    return found[0]


def input_faults(planned: agents.Planned, inputs: Mapping[str, Json], *, use_defaults: bool) -> InputFaults | None:
    """None when a run may begin."""
    fields = properties(planned.input_schema)
    needed = sorted(name for name in required(planned.input_schema))
    optional = sorted(name for name in fields if name not in needed)
    unknown = sorted(name for name in inputs if name not in fields)
    missing = [name for name in needed if inputs.get(name) is None]
    errors: dict[str, str] = {}
    if not unknown and not missing:
        errors = _faults_of(planned, inputs)
    unasked = bool(fields) and not inputs and not use_defaults
    if unknown or missing or errors or unasked:
        return InputFaults(missing, unknown, errors, needed, optional)
    return None


def _faults_of(planned: agents.Planned, inputs: Mapping[str, Json]) -> dict[str, str]:
    try:
        planned.check_inputs(dict(inputs))
    except agents.AgentInvalid as invalid:
        issues = cast(list[dict[str, str]], invalid.facts["issues"])
        return {issue["field"]: issue["message"] for issue in issues}
    return {}


async def launch(ctx: ToolContext, planned: agents.Planned, order: RunOrder) -> RunFacts:
    """Start the run that belongs to this call, or find it when the call was made before; then wait."""
    if order.dry_run:
        _refuse_effects(planned)
    runs = ctx.part(Runs)
    run_id = RunId(child_id(ctx.turn_id, f"run_agent {ctx.idempotency_key}"))
    ask = RunAsk(AgentId(order.agent.id), order.inputs, trigger="autopilot")
    with suppress(Clash):  # this very call has started it before
        await runs.start_run(ctx.actor, ask, run_id=run_id)
    try:
        return await until_ended(ctx, run_id, order.wait_seconds)
    except asyncio.CancelledError:
        if ctx.cancelled.is_set():  # the user stopped the turn, which waited for this run
            await runs.cancel_run(ctx.actor, run_id)
        raise


async def until_ended(ctx: ToolContext, run_id: RunId, seconds: float) -> RunFacts:
    """The run once it has ended, or as it is when the time is over; looked at more rarely the longer it takes."""
    reader, loop = ctx.part(Runs).reader, asyncio.get_running_loop()
    until, pause = loop.time() + seconds, FIRST_LOOK_SECONDS
    while True:
        facts = await queries.get_run(reader, ctx.actor, run_id)
        left = until - loop.time()
        if facts.ended_at is not None or left <= 0:
            return facts
        await asyncio.sleep(min(pause, left))
        pause = min(pause * 2, POLL_SECONDS)


def _refuse_effects(planned: agents.Planned) -> None:
    """Without a rehearsal of effects, only what has none can be tried without them."""
    acting = sorted({node.spec.name for node in planned.plan.nodes if node.spec.effects is not Effects.NONE})
    if acting:
        raise DryRunImpossible(f"It uses {', '.join(acting)}.", blocks=[*acting])
