"""What happens in one feature because of another, in the same unit of work."""

from collections.abc import Sequence
from dataclasses import replace

from pilothouse.base.actor import Actor, Role
from pilothouse.base.work import Handler, Handlers, Work
from pilothouse.features import runs
from pilothouse.features.accounts import UserCreated
from pilothouse.features.agents import AgentDeleted, stock_library
from pilothouse.features.chat import StopRun
from pilothouse.features.runs import RunNotFound, Runs
from pilothouse.graph.catalogue import Catalogue
from pilothouse.kit.ids import RunId, UserId


def reactions(catalogue: Catalogue) -> Handlers:
    """Handlers by fact."""

    async def stock_the_owners_library(work: Work, fact: UserCreated) -> None:
        if fact.role is Role.OWNER:
            await stock_library(replace(work, actor=Actor(fact.user_id, fact.role)), catalogue)

    async def forget_what_it_remembered(work: Work, fact: AgentDeleted) -> None:
        await runs.forget_agent(work, fact.agent_id)

    return {UserCreated: [stock_the_owners_library], AgentDeleted: [forget_what_it_remembered]}


def stopper_of(service: Runs) -> StopRun:
    """What a cancelled turn stops its runs with."""

    async def stop_run(user_id: str, run_id: str) -> bool:
        try:
            return (await service.cancel_run(Actor(UserId(user_id)), RunId(run_id)))[1]
        except RunNotFound:
            return False

    return stop_run


def together(*many: Handlers) -> Handlers:
    """All handlers of all these, those of one fact in the order given."""
    found: dict[type, Sequence[Handler]] = {}
    for handlers in many:
        for fact, called in handlers.items():
            found[fact] = [*found.get(fact, ()), *called]
    return found
