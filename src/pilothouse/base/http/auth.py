"""What a route may ask for: its caller, a unit to read in, a unit to write in."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Annotated, Protocol

from fastapi import Depends, Request

from pilothouse.base.actor import Actor
from pilothouse.base.http.idempotency import claim_key
from pilothouse.base.work import Read, Units, Work
from pilothouse.kit.ids import UserId

ANONYMOUS = Actor(user_id=UserId("ffffffff-ffff-ffff-ffff-ffffffffffff"), scopes=frozenset())


@dataclass(frozen=True, slots=True)
class Visit:
    """A signed-in browser."""

    actor: Actor
    session_id: str
    csrf_token: str
    renewed: bool = False  # the session's end moved; the browser is told


class Identity(Protocol):
    """Who is calling. Implemented by `accounts`, which the base cannot know."""

    async def has_owner(self) -> bool:
        """Whether set-up is done; cheap once it is."""
        ...

    async def by_session(self, token: str) -> Visit | None:
        """The visit that this cookie stands for, if it still does."""
        ...

    async def by_key(self, key: str) -> Actor | None:
        """The actor that this API key stands for, if it still does."""
        ...


def actor_of(request: Request) -> Actor:
    """The caller, for hot routes that spare themselves a dependency."""
    return request.scope["state"]["actor"]


async def _current_actor(request: Request) -> Actor:
    return actor_of(request)


async def _current_visit(request: Request) -> Visit:
    return request.scope["state"]["visit"]


async def _reading(request: Request) -> AsyncGenerator[Read]:
    units: Units = request.app.state.units
    async with units.read(actor_of(request)) as read:
        yield read


async def _writing(request: Request) -> AsyncGenerator[Work]:
    units: Units = request.app.state.units
    async with claim_key(request, actor_of(request)) as claim, units.write(actor_of(request)) as work:
        await claim.look_up(work)
        yield work


# With scope="function" the unit commits before the answer leaves, so a 2xx always follows the commit.
Reader = Annotated[Read, Depends(_reading, scope="function")]
Writes = Annotated[Work, Depends(_writing, scope="function")]
CurrentActor = Annotated[Actor, Depends(_current_actor)]
CurrentVisit = Annotated[Visit, Depends(_current_visit)]
