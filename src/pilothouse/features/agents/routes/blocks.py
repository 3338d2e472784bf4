"""The installed blocks by HTTP."""

from typing import Annotated, cast

from fastapi import Query

from pilothouse.base.http import Page, Paging, PathId, problems, scope
from pilothouse.features.agents import installed
from pilothouse.features.agents.errors import BlockNotFound
from pilothouse.features.agents.routes.twins import Installed, TwinRouter
from pilothouse.features.agents.schemas import BlockOut
from pilothouse.graph.catalogue import BlockSpec

router = TwinRouter("/blocks", tags=["blocks"])


Words = Annotated[str, Query(max_length=200)]


@router.get("")
@scope("blocks:read")
async def list_blocks(catalogue: Installed, paging: Paging, q: Words = "") -> Page[BlockOut]:
    after = cast(list[str] | None, paging.after)
    found = installed.list_blocks(catalogue, q, paging.fetch, None if after is None else (after[0], after[1]))
    specs, cursor = paging.page(found, lambda spec: list(installed.place(spec)))
    return Page(items=[BlockOut.model_validate(spec) for spec in specs], next_cursor=cursor)


@router.get("/{block_id}", response_model=BlockOut, responses=problems(BlockNotFound))
@scope("blocks:read")
async def get_block(block_id: PathId, catalogue: Installed) -> BlockSpec:
    return installed.get_block(catalogue, block_id)
