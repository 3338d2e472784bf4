"""AutoPilot's door to runs: start one, wait for it, show what came out."""

from typing import Annotated, Any, Literal

from pydantic import Field

from pilothouse.base.deferred import Deferred, WaitSeconds, wait_for
from pilothouse.base.jobs.moves import micros
from pilothouse.base.tools import Answer, Effect, NoResults, ToolBox, ToolContext, ToolResult
from pilothouse.features import agents
from pilothouse.features.runs import queries
from pilothouse.features.runs.errors import AgentUnnamed
from pilothouse.features.runs.events import read_steps
from pilothouse.features.runs.launching import (
    InputFaults,
    RunOrder,
    input_faults,
    launch,
    look_up,
    look_up_bound,
    refuse_forbidden,
    shape_run,
)
from pilothouse.features.runs.present import RunFacts, moment
from pilothouse.features.runs.queries import Filter
from pilothouse.features.runs.service import Runs
from pilothouse.features.runs.tool_results import (
    AgentDetails,
    AgentOutput,
    Execution,
    ExecutionStarted,
    InputValidation,
    RunBroken,
)
from pilothouse.kit.ids import RunId

tools = ToolBox()

SHOWN_RUNS = 5
SHOWN_STEPS = 100
ENDED = ("completed", "completed_with_errors", "failed", "cancelled")

LibraryId = Annotated[str, Field(description="An id that another tool returned.")]
Name = Annotated[str, Field(max_length=200, description="The agent's name, when its id is not known.")]


async def _finish_run(ctx: ToolContext, waiting: Deferred, late: bool) -> ToolResult | None:
    """The run has ended, or the call has waited long enough."""
    facts = await queries.get_run(ctx.part(Runs).reader, ctx.actor, RunId(waiting.id))
    if facts.ended_at is None and not late:
        return None
    agent = await look_up(ctx, facts.agent_id, "")
    waited = (micros() - waiting.since) // 1_000_000
    result = _run_result(agent, facts, waited_seconds=waited, dry_run=bool(waiting.memo["dry_run"]))
    if isinstance(result, AgentOutput) and result.is_dry_run:
        result.execution.node_executions = await _steps(ctx, facts)
    return result.model_copy(update={"background_id": ctx.background_id}) if facts.ended_at is None else result


async def _steps(ctx: ToolContext, facts: RunFacts) -> list[dict[str, Any]]:
    """What each step was given and gave, so that an agent which was just built can be judged."""
    runs = ctx.part(Runs)
    plan = await runs.plans.outline(facts.agent_id, facts.version)
    steps, _ = await read_steps(runs.reader, facts.id, plan, 0, SHOWN_STEPS)
    return [
        {
            "node_id": step["node_id"],
            "block_id": plan.by_id[str(step["node_id"])].block,
            "status": step["status"],
            "input_data": step["inputs"],
            "output_data": step["outputs"],
            "start_time": step["started_at"],
            "end_time": step["ended_at"],
        }
        for step in steps
    ]


@tools.tool(
    label="Running the agent",
    effect=Effect.OUTSIDE,
    timeout_seconds=None,
    rehearses=True,
    finish=_finish_run,
    shape=shape_run,
)
async def run_agent(
    ctx: ToolContext,
    library_agent_id: LibraryId = "",
    agent_name: Name = "",
    inputs: Annotated[dict[str, Any] | None, Field(description="Values by input name.")] = None,
    use_defaults: Annotated[bool, Field(description="Run with the defaults for what is not given.")] = False,
    wait_for_result: WaitSeconds = 0,
    dry_run: Annotated[bool, Field(description="Try it without outside effects.")] = False,
) -> Answer:
    """Run an agent. With `wait_for_result`, its outputs are the answer when it ends in time."""
    agent = await look_up_bound(ctx, library_agent_id, agent_name)
    given = inputs or {}
    planned = await ctx.part(Runs).plans.find(ctx.actor.user_id, agent.id)
    if (faults := input_faults(planned, given, use_defaults=use_defaults)) is not None:
        return _not_run(agent, faults)
    refuse_forbidden(ctx, planned)
    order = RunOrder(agent, planned.version, given, wait_for_result, dry_run=dry_run or ctx.dry_run)
    facts = await launch(ctx, order)
    if not wait_for_result:
        message = f"{agent.name} was started. Do not run it again unless asked."
        return _started(agent, facts, message, dry_run=order.dry_run)
    return wait_for("run", facts.id, facts.id, wait_for_result, owned=True, dry_run=order.dry_run)


async def _finish_view(ctx: ToolContext, waiting: Deferred, late: bool) -> ToolResult | None:
    facts = await queries.get_run(ctx.part(Runs).reader, ctx.actor, RunId(waiting.id))
    if facts.ended_at is None and not late:
        return None
    return await _shown(ctx, facts, listed=bool(waiting.memo["listed"]))


@tools.tool(label="Looking at the results", timeout_seconds=None, finish=_finish_view)
async def view_agent_output(
    ctx: ToolContext,
    agent_name: Name = "",
    library_agent_id: LibraryId = "",
    execution_id: Annotated[str, Field(description="A run; else the agent's latest that ended.")] = "",
    run_time: Literal["latest"] = "latest",
    wait_if_running: WaitSeconds = 0,
) -> Answer:
    """Show what a run gave, with its real status."""
    reader = ctx.part(Runs).reader
    if execution_id:
        return await _view(ctx, await queries.get_run(reader, ctx.actor, RunId(execution_id)), wait_if_running, False)
    if not (agent_name or library_agent_id):
        raise AgentUnnamed
    agent = await look_up(ctx, library_agent_id, agent_name)
    recent = await queries.list_runs(reader, ctx.actor, Filter(agent_id=agent.id), before=None, limit=50)
    shown = [run for run in recent if wait_if_running or run.status in ENDED]
    if not shown:
        return NoResults(message=f"{agent.name} has no run to show.", query=agent.name)
    return await _view(ctx, await queries.get_run(reader, ctx.actor, RunId(shown[0].id)), wait_if_running, True)


async def _view(ctx: ToolContext, facts: RunFacts, wait_seconds: int, listed: bool) -> Answer:
    if facts.ended_at is None and wait_seconds:
        return wait_for("run", facts.id, facts.id, wait_seconds, listed=listed)
    return await _shown(ctx, facts, listed=listed)


async def _shown(ctx: ToolContext, facts: RunFacts, *, listed: bool) -> ToolResult:
    """The run; with others of its agent to choose from, when it was the agent that was asked for."""
    agent = await look_up(ctx, facts.agent_id, "")
    if not listed:
        return _output(agent, facts)
    wanted = Filter(agent_id=agent.id)
    recent = await queries.list_runs(ctx.part(Runs).reader, ctx.actor, wanted, before=None, limit=SHOWN_RUNS + 1)
    others = [_brief(run) for run in recent if run.id != facts.id][:SHOWN_RUNS]
    return _output(agent, facts).model_copy(update={"available_executions": others})


def _not_run(agent: agents.Agent, faults: InputFaults) -> ToolResult:
    about: dict[str, Any] = {"graph_id": agent.id, "graph_version": agent.version}
    if faults.unknown or faults.errors:
        return InputValidation(
            message="Nothing was run: some inputs do not fit.",
            unrecognized_fields=faults.unknown,
            errors=faults.errors,
            inputs=agent.input_schema,
            **about,
        )
    shown = {"id": agent.id, "name": agent.name, "description": agent.description, "inputs": agent.input_schema}
    message = f"Nothing was run. Required: {', '.join(faults.required) or 'none'}."
    if faults.optional:
        message += f" Optional: {', '.join(faults.optional)}."
    message += " Ask the user for values, or call again with use_defaults=true where defaults exist."
    return AgentDetails(message=message, agent=shown, missing=faults.missing, **about)


def _run_result(agent: agents.Agent, facts: RunFacts, *, waited_seconds: int, dry_run: bool) -> ToolResult:
    """What a run that was waited for comes to."""
    if facts.status in ("completed", "completed_with_errors"):
        return _output(agent, facts, dry_run=dry_run)
    if facts.status in ("failed", "cancelled"):
        code = "execution_failed" if facts.status == "failed" else "execution_terminated"
        details = {"reason": facts.reason, "execution_id": facts.id, "link": _link(facts), "agent_name": agent.name}
        message = f"The run of {agent.name} {facts.status}."
        return RunBroken(
            code=code, message=message, details=details, execution_id=facts.id, graph_id=agent.id, is_dry_run=dry_run
        )
    later = "`view_agent_output` with `wait_if_running` shows it later."
    message = f"{agent.name} has not finished after {waited_seconds} s. {later}"
    return _started(agent, facts, message, dry_run=dry_run)


def _started(agent: agents.Agent, facts: RunFacts, message: str, *, dry_run: bool) -> ToolResult:
    return ExecutionStarted(
        message=message,
        execution_id=facts.id,
        graph_id=agent.id,
        graph_name=agent.name,
        library_agent_id=agent.id,
        library_agent_link=f"/library/agents/{agent.id}",
        link=_link(facts),
        status=facts.status,
        is_dry_run=dry_run,
    )


_STATUS = {
    "completed": "completed",
    "completed_with_errors": "completed, but some steps failed",
    "failed": "failed",
    "cancelled": "was cancelled",
    "waiting": "waits",
}


def _output(agent: agents.Agent, facts: RunFacts, *, dry_run: bool = False) -> AgentOutput:
    outputs = facts.outputs if isinstance(facts.outputs, dict) else {}
    reason = facts.reason if isinstance(facts.reason, dict) else {}
    warnings = [] if outputs or facts.status != "completed" else ["The run gave no output."]
    if facts.status == "completed_with_errors":
        warnings.append(str(reason.get("message") or "Some steps failed."))
    return AgentOutput(
        message=f"The run of {agent.name} {_STATUS.get(facts.status, 'has not ended')}.",
        agent_name=agent.name,
        agent_id=agent.id,
        library_agent_id=agent.id,
        library_agent_link=f"/library/agents/{agent.id}",
        execution=Execution(
            execution_id=facts.id,
            status=facts.status,
            started_at=moment(facts.started_at),
            ended_at=moment(facts.ended_at),
            inputs_summary=facts.inputs if isinstance(facts.inputs, dict) else {},
            outputs={name: value if isinstance(value, list) else [value] for name, value in outputs.items()},
            error=str(reason["message"]) if reason.get("message") else None,
            link=_link(facts),
        ),
        warnings=warnings,
        is_dry_run=dry_run,
    )


def _brief(facts: RunFacts) -> dict[str, Any]:
    return {"execution_id": facts.id, "status": facts.status, "ended_at": moment(facts.ended_at)}


def _link(facts: RunFacts) -> str:
    return f"/library/runs/{facts.id}"
