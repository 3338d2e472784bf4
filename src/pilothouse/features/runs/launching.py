"""What AutoPilot does around a run: finds the agent, looks at the inputs, starts it once."""

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
from pilothouse.features.runs.begun import AUTOPILOT
from pilothouse.features.runs.errors import (
    AgentAmbiguous,
    AgentUnknown,
    AgentUnnamed,
    BlockForbidden,
    BuilderSessionGraphMismatch,
    RunNotFound,
)
from pilothouse.features.runs.present import RunFacts
from pilothouse.features.runs.rehearsals import DryRun, start
from pilothouse.features.runs.service import Runs
from pilothouse.graph.fields import properties, required
from pilothouse.graph.json_schema import as_object
from pilothouse.graph.sub_agents import sub_agents_of
from pilothouse.kit.ids import AgentId, RunId, child_id
from pilothouse.kit.json import Json, JsonObject

LOOKED_AT = 500  # agents of a library, the newest


@dataclass(frozen=True, slots=True)
class RunOrder:
    """What to run, and how long its result is waited for."""

    agent: agents.Agent
    version: int  # the one that was looked at: another may have been saved since
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


async def look_up_bound(ctx: ToolContext, agent_id: str, name: str) -> agents.Agent:
    """As `look_up`; a session that is bound to an agent means that one, and no other."""
    bound = ctx.builder_graph_id
    if bound is None:
        return await look_up(ctx, agent_id, name)
    agent = await look_up(ctx, agent_id or ("" if name else bound), name)
    if agent.id != bound:
        raise BuilderSessionGraphMismatch
    return agent


async def shape_run(ctx: ToolContext, schema: JsonObject, arguments: Mapping[str, Json]) -> JsonObject:
    """The agent says which of its inputs are files, lists, objects or text."""
    named, name = arguments.get("library_agent_id"), arguments.get("agent_name")
    agent = await look_up_bound(ctx, str(named or ""), str(name or ""))
    return {**schema, "properties": {**as_object(schema["properties"]), "inputs": agent.input_schema}}


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


async def launch(ctx: ToolContext, order: RunOrder) -> RunFacts:
    """Start the run that belongs to this call, or find it when the call was made before."""
    runs = ctx.part(Runs)
    run_id = RunId(child_id(ctx.turn_id, f"run_agent {ctx.idempotency_key}"))
    asked_by: JsonObject = {"session_id": ctx.session_id, "turn_id": ctx.turn_id}
    asked_by["permissions"] = ctx.permissions.as_json()
    ask = RunAsk(AgentId(order.agent.id), order.inputs, order.version, trigger=AUTOPILOT, asked_by=asked_by)
    starting = asyncio.create_task(start(runs, ctx.actor, ask, DryRun() if order.dry_run else None, run_id=run_id))
    try:
        with suppress(Clash):  # this very call has started it before
            await asyncio.shield(starting)
        return await queries.get_run(runs.reader, ctx.actor, run_id)
    except asyncio.CancelledError:
        await asyncio.gather(starting, return_exceptions=True)  # what is on its way to disk cannot be called back
        if ctx.cancelled.is_set():  # the user stopped the turn, which was about to wait for this run
            with suppress(RunNotFound):
                await runs.cancel_run(ctx.actor, run_id)
        raise


def refuse_forbidden(ctx: ToolContext, planned: agents.Planned) -> None:
    """Refuse an agent that uses, at any depth, a block which this turn may not use.

    Where blocks are limited, an agent that only a value chosen at run time names is refused too: nobody can look
    into it beforehand.
    """
    if not ctx.permissions.limits_blocks:
        return
    catalogue = ctx.part(Runs).plans.catalogue
    documents = (planned.document, *planned.children.values())
    used = {node.block for document in documents for node in document.nodes}
    known = [catalogue[block] for block in used if block in catalogue]
    forbidden = sorted(spec.name for spec in known if not ctx.permissions.allows_block(spec.id, spec.name))
    if forbidden:
        raise BlockForbidden(f"This agent uses {', '.join(forbidden)}.", blocks=[*forbidden])
    found = (pinned for document in documents for _, pinned in sub_agents_of(document, catalogue))
    if any(pinned is None for pinned in found):
        raise BlockForbidden("This agent chooses another agent only while it runs.", blocks=[])
