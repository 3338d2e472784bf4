"""The library by HTTP."""

from typing import Annotated, cast

from fastapi import Query
from pydantic import StringConstraints

from pilothouse.base.http import Page, Paging, PathId, Reader, Router, Writes, problems, user
from pilothouse.features.agents import AgentNotFound
from pilothouse.features.library import queries, service
from pilothouse.features.library.entry import Entry, EntryStatus
from pilothouse.features.library.queries import Order, Sort, Wanted
from pilothouse.features.library.schemas import EntryOut, EntryPatch
from pilothouse.kit.errors import Invalid
from pilothouse.kit.ids import AgentId

router = Router("/api/library", tags=["library"])

Term = Annotated[str, StringConstraints(strip_whitespace=True, max_length=100), Query()]


@router.get("/agents")
@user
async def list_library_agents(
    read: Reader,
    paging: Paging,
    q: Term = "",
    status: EntryStatus | None = None,
    sort: Sort = "created",
    order: Order = "desc",
    favourite: bool | None = None,
) -> Page[EntryOut]:
    """One's agents with how they fare: found by name and description, in the order that is asked for."""
    wanted = Wanted(q, status, sort, order, favourite)
    found = await queries.list_entries(read, wanted, paging.fetch, _after(paging.after, sort))
    entries, cursor = paging.page(found, lambda entry: [sort, entry.place, entry.id])
    return Page(items=[EntryOut.model_validate(entry) for entry in entries], next_cursor=cursor)


@router.patch("/agents/{agent_id}", response_model=EntryOut, responses=problems(AgentNotFound))
@user
async def change_entry(agent_id: PathId, ask: EntryPatch, work: Writes) -> Entry:
    """Make an agent a favourite, or no longer."""
    return await service.change_entry(work, AgentId(agent_id), favourite=ask.favourite)


def _after(seen: object, sort: Sort) -> tuple[str | int, str] | None:
    if seen is None:
        return None
    of, place, entry_id = cast(tuple[Sort, str | int, str], seen)
    if of != sort:
        raise Invalid("This cursor belongs to another order of the list.", hint="Start again without a cursor.")
    return place, entry_id
