"""Routes that do what a test needs and nothing else."""

import asyncio

from fastapi import Request, Response
from sqlalchemy import Column, String, Table, func, insert, select

from pilothouse.base.database import metadata
from pilothouse.base.http import (
    In,
    Line,
    Out,
    Reader,
    Router,
    Writes,
    admin,
    etag,
    public,
    scope,
    seen_version,
    unchanged,
)
from pilothouse.kit.errors import Conflict
from pilothouse.kit.ids import new_id

things = Table(
    "sample_things", metadata, Column("id", String(36), primary_key=True), Column("name", String(200), nullable=False)
)


class ThingIn(In):
    name: Line
    size: int = 1


class ThingOut(Out):
    id: str
    name: str


class EditIn(In):
    base_version: int | None = None


async def create_thing(ask: ThingIn, work: Writes) -> ThingOut:
    thing = ThingOut(id=new_id(), name=ask.name)
    await work.session.execute(insert(things).values(id=thing.id, name=thing.name))
    if ask.name == "slow":
        await asyncio.sleep(0.3)
    if ask.name == "bad":
        raise Conflict("Bad after writing.")
    if ask.name == "bug":
        raise RuntimeError("secret detail of a bug")
    return thing


async def count_things(read: Reader) -> dict[str, int]:
    found = await read.session.execute(select(func.count()).select_from(things))
    return {"count": found.scalar_one()}


async def administer() -> dict[str, bool]:
    return {"ok": True}


async def look() -> dict[str, bool]:
    return {"ok": True}


async def get_versioned(request: Request) -> Response:
    return unchanged(request, 7) or Response(b"{}", headers={"ETag": etag(7)}, media_type="application/json")


async def edit_versioned(ask: EditIn, request: Request) -> dict[str, bool]:
    seen_version(request, ask.base_version).require(7, diff={"name": "changed"})
    return {"ok": True}


def sample_routes() -> Router:
    """The same functions for browsers and for programs."""
    router = Router("/api", tags=["sample"])
    router.post("/things", status_code=201)(scope("agents:write")(create_thing))
    router.post("/v1/things", status_code=201)(create_thing)
    router.get("/things")(scope("agents:read")(count_things))
    router.get("/v1/things")(count_things)
    router.post("/admin/act")(admin(administer))
    router.get("/look")(public(look))
    router.get("/v1/versioned")(scope("agents:read")(get_versioned))
    router.put("/v1/versioned")(scope("agents:write")(edit_versioned))
    return router
