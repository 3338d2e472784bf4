"""What a run gave: a large value to be read whole, and all of it to be saved."""

from typing import Annotated, Any

from fastapi import Path, Query, Request, Response
from pydantic import JsonValue
from starlette.responses import StreamingResponse

from pilothouse.base.http import CurrentActor, PathId, Router, problems, scope
from pilothouse.features import files
from pilothouse.features.runs import queries
from pilothouse.features.runs.errors import RunNotFound, ValueNotFound
from pilothouse.features.runs.outputs import gathered
from pilothouse.features.runs.service import Runs
from pilothouse.kit.ids import RunId

DOWNLOADED: dict[int | str, dict[str, Any]] = {
    200: {"description": "The zip, the one file, or the plan.", "content": {"application/zip": {}}},
    **problems(RunNotFound, files.FileCorrupt),
}


async def get_run_value(
    run_id: PathId, value_hash: Annotated[str, Path(pattern="^[0-9a-f]{64}$")], request: Request, actor: CurrentActor
) -> Response:
    """A value that is too large for the run's events: they show its beginning and its hash."""
    runs: Runs = request.app.state.runs
    value = await queries.get_value(runs.reader, actor, RunId(run_id), value_hash)
    return Response(value, media_type="application/json")


async def download_outputs(
    run_id: PathId,
    request: Request,
    actor: CurrentActor,
    plan: Annotated[bool, Query(description="Only tell what would be sent, and what left out.")] = False,
) -> Response:
    """What an ended run gave: one file as itself, several (or none) as a zip that is made as it is sent."""
    runs: Runs = request.app.state.runs
    cabinet: files.Cabinet = request.app.state.cabinet
    run = await queries.get_run(runs.reader, actor, RunId(run_id))
    parcel = await gathered(cabinet, actor.user_id, run.outputs if isinstance(run.outputs, dict) else {})
    if plan:
        return Response(files.ParcelOut.of(parcel).model_dump_json(), media_type="application/json")
    going = await files.sending(cabinet, parcel, f"run-{run_id[-6:]}.zip")
    return StreamingResponse(going.chunks, 200, going.headers)


def add_outputs(router: Router) -> None:
    read = scope("runs:read")
    router.get("/runs/{run_id}/values/{value_hash}", response_model=JsonValue, responses=problems(ValueNotFound))(
        read(get_run_value)
    )
    router.get("/runs/{run_id}/outputs.zip", response_model=files.ParcelOut, responses=DOWNLOADED)(
        read(download_outputs)
    )
