"""What happens in one feature because of another, in the same unit of work."""

from collections.abc import Sequence
from dataclasses import replace

from pilothouse.base.actor import Actor, Role
from pilothouse.base.work import Handler, Handlers, Work
from pilothouse.features.accounts import UserCreated
from pilothouse.features.agents import stock_library
from pilothouse.graph.catalogue import Catalogue


def reactions(catalogue: Catalogue) -> Handlers:
    """Handlers by fact."""

    async def stock_the_owners_library(work: Work, fact: UserCreated) -> None:
        if fact.role is Role.OWNER:
            await stock_library(replace(work, actor=Actor(fact.user_id, fact.role)), catalogue)

    return {UserCreated: [stock_the_owners_library]}


def together(*many: Handlers) -> Handlers:
    """All handlers of all these, those of one fact in the order given."""
    found: dict[type, Sequence[Handler]] = {}
    for handlers in many:
        for fact, called in handlers.items():
            found[fact] = [*found.get(fact, ()), *called]
    return found
