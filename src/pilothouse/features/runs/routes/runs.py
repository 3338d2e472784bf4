"""The HTTP door of runs. Hot routes build their bytes themselves."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated, Any

from fastapi import Header, Query, Request, Response

from pilothouse.base.http import (
    CurrentActor,
    EventStream,
    Hot,
    IdText,
    Paging,
    PathId,
    Reader,
    Router,
    actor_of,
    frame,
    problems,
    scope,
)
from pilothouse.base.http.errors import IdempotencyConflict, IdempotencyInProgress
from pilothouse.features import reviews
from pilothouse.features.agents import AgentInvalid, AgentNotFound
from pilothouse.features.runs import queries
from pilothouse.features.runs.admitting import RunAsk
from pilothouse.features.runs.errors import (
    BadPreference,
    EventBeyondHead,
    EventsExpired,
    RunNotEnded,
    RunNotFound,
)
from pilothouse.features.runs.events import RunEvents
from pilothouse.features.runs.present import brief_json, run_json
from pilothouse.features.runs.queries import Filter
from pilothouse.features.runs.rehearsals import DryRun, start
from pilothouse.features.runs.routes.again import add_again
from pilothouse.features.runs.routes.keys import KnownRun, StartKeys
from pilothouse.features.runs.routes.outputs import add_outputs
from pilothouse.features.runs.schemas import (
    DryRunIn,
    RunCancelled,
    RunIn,
    RunList,
    RunOut,
    RunPinIn,
    RunStatus,
    RunSummary,
    StepList,
)
from pilothouse.features.runs.schemas import RunEvents as RunEventsOut
from pilothouse.features.runs.service import Runs
from pilothouse.kit.ids import AgentId, RunId
from pilothouse.kit.json import JsonObject, dump_bytes

MAX_WAIT_SECONDS = 60
HEARTBEAT_SECONDS = 15.0


def _runs(request: Request) -> Runs:
    return request.app.state.runs


def _events(request: Request) -> RunEvents:
    return request.app.state.run_events


def _json(body: JsonObject | bytes | str, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    content = dump_bytes(body) if isinstance(body, dict) else body
    return Response(content, status, headers, "application/json")


def _wait_seconds(request: Request) -> int | None:
    """N of `Prefer: wait=N`; preferences that we do not know are ignored."""
    for line in request.headers.getlist("prefer"):
        for preference in line.split(","):
            name, _, value = preference.partition(";")[0].partition("=")
            if name.strip().lower() == "wait":
                return _seconds(value.strip().strip('"'))
    return None


def _seconds(text: str) -> int:
    seconds = int(text) if text.isascii() and text.isdigit() and len(text) <= 4 else 0
    if not 1 <= seconds <= MAX_WAIT_SECONDS:
        raise BadPreference
    return seconds


@Hot(RunIn)
async def start_run(agent_id: PathId, body: RunIn, request: Request) -> Response:
    """Start a run of an agent. With `Prefer: wait=N` the answer comes when the run has ended, or after N seconds."""
    actor, service = actor_of(request), _runs(request)
    wait = _wait_seconds(request)
    chosen: dict[str, JsonObject] = {key: {"id": choice.id} for key, choice in body.credentials.items()}
    ask = RunAsk(AgentId(agent_id), body.inputs, body.version, body.input_masks or None, credentials=chosen or None)
    dry_run = dry_run_of(body.dry_run)
    keys = await StartKeys.of(request)
    admitted = await keys.admit(
        service.reader,
        lambda run_id, also: start(service, actor, ask, dry_run, wait=wait is not None, run_id=run_id, also=also),
    )
    headers, stopping, final = _location(request, admitted.id), request.app.state.stopping, None
    if isinstance(admitted, KnownRun):
        headers["Idempotent-Replay"] = "true"
        if wait is not None:
            final = await service.await_known_end(actor, admitted.id, wait, stopping)
    elif wait is None:
        return _json(run_json(admitted.facts), 201, headers)
    else:
        final = await service.await_end(actor, admitted, wait, stopping)
    if final is not None:
        return _json(final, 200, headers | {"Preference-Applied": f"wait={wait}"})
    return _json(run_json(await queries.get_run(service.reader, actor, admitted.id)), 201, headers)


def dry_run_of(told: bool | DryRunIn) -> DryRun | None:
    """None for a real run."""
    if isinstance(told, DryRunIn):
        return DryRun(told.mode, told.run_id, told.as_of, told.seed)
    return DryRun() if told else None


def _location(request: Request, run_id: str) -> dict[str, str]:
    """On the caller's own side: a key is not valid on the browser's, nor a cookie on the programs'."""
    return {"Location": f"{request.scope['path'].partition('/agents/')[0]}/runs/{run_id}"}


async def list_runs(
    request: Request,
    actor: CurrentActor,
    page: Paging,
    agent_id: Annotated[IdText | None, Query()] = None,
    status: RunStatus | None = None,
    parent_id: Annotated[IdText | None, Query(description="Only what steps of this run started.")] = None,
) -> Response:
    """Runs, newest first; those that steps of others started only with `parent_id`."""
    before = page.after if isinstance(page.after, str) else None
    wanted = Filter(agent_id, status, parent_id)
    facts = await queries.list_runs(_runs(request).reader, actor, wanted, before=before, limit=page.fetch)
    shown, cursor = page.page(facts, lambda run: run.id)
    return _json({"items": [brief_json(run) for run in shown], "next_cursor": cursor})


async def list_agent_runs(
    agent_id: PathId, request: Request, actor: CurrentActor, page: Paging, status: RunStatus | None = None
) -> Response:
    """The runs of one agent, newest first."""
    await _runs(request).plans.check_owner(actor.user_id, agent_id)
    return await list_runs(request, actor, page, agent_id, status)


async def summarize_runs(read: Reader) -> Response:
    """How many runs there are, by status."""
    counts = await queries.count_runs(read)
    return _json({"total": sum(counts.values()), "by_status": dict(counts)})


async def get_run(run_id: PathId, request: Request, actor: CurrentActor) -> Response:
    """A run. Its outputs are there when it has ended; before that, the events have them."""
    return _json(run_json(await queries.get_run(_runs(request).reader, actor, RunId(run_id))))


async def list_steps(run_id: PathId, request: Request, actor: CurrentActor, page: Paging) -> Response:
    """The steps of a run in the order they started: inputs, outputs, attempts, times."""
    events = _events(request)
    after = page.after if isinstance(page.after, int) else 0
    steps, following = await events.steps(actor, RunId(run_id), after, page.limit)
    return _json({"items": [*steps], "next_cursor": None if following is None else page.cursor(following)})


async def list_run_reviews(
    run_id: PathId, request: Request, actor: CurrentActor, page: Paging, state: reviews.ReviewState | None = None
) -> Response:
    """What a run and the runs below it asked people, newest first; `run_id` says which of them asked."""
    reader = _runs(request).reader
    await queries.get_run(reader, actor, RunId(run_id))
    before = page.after if isinstance(page.after, str) else None
    asking = await queries.runs_below(reader, run_id)
    found = await reviews.list_reviews(reader, actor, state=state, job_ids=asking, before=before, limit=page.fetch)
    shown, cursor = page.page(found, lambda review: review.id)
    return _json({"items": [review.wire for review in shown], "next_cursor": cursor})


async def cancel_run(run_id: PathId, request: Request, actor: CurrentActor) -> Response:
    """Cancel a run. One that has ended stays as it is, and the answer says so."""
    facts, changed = await _runs(request).cancel_run(actor, RunId(run_id))
    return _json({"cancelled": changed, "run": run_json(facts)})


async def pin_run(run_id: PathId, body: RunPinIn, request: Request, actor: CurrentActor) -> Response:
    """Keep a run whatever its age, or no longer."""
    await _runs(request).pin_run(actor, RunId(run_id), pinned=body.pinned)
    return Response(status_code=204)


async def delete_run(run_id: PathId, request: Request, actor: CurrentActor) -> Response:
    """Forget an ended run and its log."""
    await _runs(request).delete_run(actor, RunId(run_id))
    return Response(status_code=204)


async def follow_run(
    run_id: PathId,
    request: Request,
    actor: CurrentActor,
    after: Annotated[int | None, Query(ge=0)] = None,
    follow: bool = True,
    limit: Annotated[int, Query(ge=1, le=1000)] = 200,
    last_event_id: Annotated[int | None, Header(ge=0)] = None,
) -> Response:
    """The run's log after an event id: a stream of server-sent events, or one page with `follow=false`."""
    events = _events(request)
    # A browser that connects again names what it saw last in the header; its URL still says where it once began.
    start = last_event_id if last_event_id is not None else after or 0
    head, plan = await events.open(actor, RunId(run_id), start)
    if not follow:
        items = await events.read(RunId(run_id), plan, start, limit)
        return _json({"items": [*items], "head": head.head, "ended": head.ended})

    async def frames() -> AsyncGenerator[bytes]:
        if head.ended and start >= head.head:
            return
        async with aclosing(events.stream(RunId(run_id), plan, start)) as batches:
            async for batch in batches:
                yield b"".join(frame(str(item["id"]), dump_bytes(item)) for item in batch)

    return EventStream(frames(), request.app.state.stopping, heartbeat=HEARTBEAT_SECONDS)


def routers() -> list[Router]:
    """The same functions for people (`/api`) and for programs (`/api/v1`)."""
    return [_router("/api"), _router("/api/v1")]


def _router(prefix: str) -> Router:
    router = Router(prefix, tags=["runs"])
    absent = problems(RunNotFound)
    run, read, write = scope("agents:run"), scope("runs:read"), scope("runs:write")
    post, get = router.post, router.get
    post(
        "/agents/{agent_id}/runs",
        response_model=RunOut,
        status_code=201,
        responses=_START_RESPONSES,
        openapi_extra=_START_HEADERS,
    )(run(start_run))
    get("/agents/{agent_id}/runs", response_model=RunList, responses=problems(AgentNotFound))(read(list_agent_runs))
    get("/runs", response_model=RunList)(read(list_runs))
    get("/runs/summary", response_model=RunSummary)(read(summarize_runs))
    add_again(router)  # before the routes of one run, whose id would take any word
    get("/runs/{run_id}", response_model=RunOut, responses=absent)(read(get_run))
    get("/runs/{run_id}/steps", response_model=StepList, responses=absent)(read(list_steps))
    get("/runs/{run_id}/reviews", response_model=reviews.ReviewList, responses=absent)(read(list_run_reviews))
    get("/runs/{run_id}/events", response_model=RunEventsOut, responses=_EVENT_RESPONSES)(read(follow_run))
    add_outputs(router)
    post("/runs/{run_id}/cancel", response_model=RunCancelled, responses=absent)(write(cancel_run))
    router.patch("/runs/{run_id}/pinned", status_code=204, responses=absent)(write(pin_run))
    router.delete("/runs/{run_id}", status_code=204, responses=problems(RunNotFound, RunNotEnded))(write(delete_run))
    return router


_START_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {"model": RunOut, "description": "The run has ended within the time of `Prefer: wait=N`."},
    **problems(BadPreference, AgentNotFound, IdempotencyConflict, IdempotencyInProgress, AgentInvalid),
}
_EVENT_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {"description": "A page, or the stream.", "content": {"text/event-stream": {"schema": {"type": "string"}}}},
    **problems(RunNotFound, EventBeyondHead, EventsExpired),
}
_START_HEADERS: dict[str, Any] = {
    "parameters": [
        {
            "name": "Prefer",
            "in": "header",
            "required": False,
            "description": "`wait=N`: wait up to N seconds (1 to 60) for the run's end.",
            "schema": {"type": "string"},
        },
        {
            "name": "Idempotency-Key",
            "in": "header",
            "required": False,
            "description": "The same key and body, sent again within 7 days, start nothing and answer the first run.",
            "schema": {"type": "string", "minLength": 1, "maxLength": 128},
        },
    ]
}
