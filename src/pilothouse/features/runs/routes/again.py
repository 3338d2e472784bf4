"""The HTTP door of runs that go back to another."""

from typing import Annotated

from fastapi import Query, Request, Response

from pilothouse.base.http import CurrentActor, IdText, PathId, Router, problems, scope
from pilothouse.base.http.errors import IdempotencyConflict, IdempotencyInProgress
from pilothouse.features.agents import AgentInvalid, AgentNotFound
from pilothouse.features.runs import again, comparing, queries
from pilothouse.features.runs.again import ForkAsk
from pilothouse.features.runs.errors import (
    EffectsRepeat,
    PinNotEditable,
    RunExpired,
    RunIsReplay,
    RunNotEnded,
    RunNotFound,
    StepNotFound,
    StepUnreachable,
)
from pilothouse.features.runs.present import run_json
from pilothouse.features.runs.routes.keys import KnownRun, Start, StartKeys
from pilothouse.features.runs.schemas import ForkPlan, RunComparison, RunForkIn, RunOut
from pilothouse.features.runs.service import Runs
from pilothouse.kit.ids import RunId
from pilothouse.kit.json import JsonObject, dump_bytes


def _runs(request: Request) -> Runs:
    return request.app.state.runs


def _json(body: JsonObject, status: int, headers: dict[str, str] | None = None) -> Response:
    return Response(dump_bytes(body), status, headers, "application/json")


async def rerun_run(run_id: PathId, request: Request, actor: CurrentActor) -> Response:
    """Run the same version once more, with the same inputs and masks."""
    runs = _runs(request)
    return await _started(
        request,
        actor,
        lambda new_id, also: again.rerun_run(runs, actor, RunId(run_id), new_run_id=new_id, also=also),
    )


async def fork_run(run_id: PathId, body: RunForkIn, request: Request, actor: CurrentActor) -> Response:
    """Go on from a step of an ended run: what does not depend on it is taken over, and not executed.

    With `plan_only` nothing is started: `200` and the plan. Effects are repeated only with `confirm`.
    """
    runs, ask = _runs(request), ForkAsk(body.step, body.inputs, body.version, body.confirm)
    if body.plan_only:
        return _json((await again.plan_fork(runs, actor, RunId(run_id), ask)).plan, 200)
    return await _started(
        request,
        actor,
        lambda new_id, also: again.fork_run(runs, actor, RunId(run_id), ask, new_run_id=new_id, also=also),
    )


async def replay_run(run_id: PathId, request: Request, actor: CurrentActor) -> Response:
    """Live an ended run once more from its records: blocks that compute run, all others answer what they answered."""
    runs = _runs(request)
    return await _started(
        request,
        actor,
        lambda new_id, also: again.replay_run(runs, actor, RunId(run_id), new_run_id=new_id, also=also),
    )


async def compare_runs(
    request: Request, actor: CurrentActor, a: Annotated[IdText, Query()], b: Annotated[IdText, Query()]
) -> Response:
    """Two ended runs side by side: outputs, status, cost and duration, as a whole and node by node."""
    return _json(await comparing.compare_runs(_runs(request), actor, RunId(a), RunId(b)), 200)


async def _started(request: Request, actor: CurrentActor, start: Start) -> Response:
    reader = _runs(request).reader
    admitted = await (await StartKeys.of(request)).admit(reader, start)
    headers = {"Location": f"{request.scope['path'].partition('/runs/')[0]}/runs/{admitted.id}"}
    if isinstance(admitted, KnownRun):
        facts = await queries.get_run(reader, actor, admitted.id)
        return _json(run_json(facts), 201, headers | {"Idempotent-Replay": "true"})
    return _json(run_json(admitted.facts), 201, headers)


def add_again(router: Router) -> None:
    """Beside the other routes of runs."""
    run = scope("agents:run")
    faults = (RunNotFound, AgentNotFound, AgentInvalid, RunExpired, IdempotencyConflict, IdempotencyInProgress)
    router.post("/runs/{run_id}/rerun", response_model=RunOut, status_code=201, responses=problems(*faults))(
        run(rerun_run)
    )
    router.post(
        "/runs/{run_id}/replay", response_model=RunOut, status_code=201, responses=problems(*faults, RunNotEnded)
    )(run(replay_run))
    compared = problems(RunNotFound, RunNotEnded, RunExpired)
    router.get("/runs/compare", response_model=RunComparison, responses=compared)(scope("runs:read")(compare_runs))
    planned = {200: {"model": ForkPlan, "description": "What it would do: `plan_only` was given."}}
    forked = problems(*faults, RunNotEnded, RunIsReplay, StepNotFound, StepUnreachable, EffectsRepeat, PinNotEditable)
    router.post("/runs/{run_id}/fork", response_model=RunOut, status_code=201, responses={**planned, **forked})(
        run(fork_run)
    )
