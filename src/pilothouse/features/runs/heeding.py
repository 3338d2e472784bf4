"""What a fact that somebody sent does to the run: it ends the waits that are for it."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import cast

from pilothouse.base.jobs import watches
from pilothouse.base.jobs.inbox import Fact
from pilothouse.engine.run import Run
from pilothouse.engine.state import Step
from pilothouse.features import reviews
from pilothouse.features.runs import children
from pilothouse.kit.json import Json, JsonObject, loads


def heed(run: Run, facts: Sequence[Fact], at: int) -> set[str]:
    """Resume the steps that wait for these; answers the ids of the facts that are of no more use.

    That a child has ended says all that its news would, so ends go first. News that find nobody waiting are of no
    use: the step is about to read the child's log anyway. Older steps go on first.
    """
    told = [(fact, cast(JsonObject, loads(fact.body))) for fact in facts]
    done = {fact.id for fact, body in told if _is_news(fact, body)}
    told.sort(key=lambda pair: _is_news(*pair))
    for step in sorted(run.waiting.values(), key=lambda step: step.id):
        for fact, body in told:
            if _awaits(step, fact, body):
                run.resume(step, _said(fact, body), at)
                done.add(fact.id)
                break
    return done


def _is_news(fact: Fact, body: JsonObject) -> bool:
    return fact.kind == children.FACT and body["ended"] is None


def _awaits(step: Step, fact: Fact, body: JsonObject) -> bool:
    pause = step.pause
    if pause is None:
        return False
    match fact.kind:
        case children.FACT:
            return pause.kind == "child" and _ref(pause.ref).get("run_id") == body["run_id"]
        case reviews.FACT:
            return pause.kind == "review" and _ref(pause.ref).get("review_id") == body["review_id"]
        case watches.FACT:
            return pause.kind == "turn" and _ref(pause.ref).get("turn_id") == body["job_id"]
        case _:
            return pause.kind == "fact" and pause.ref == fact.kind


def _said(fact: Fact, body: JsonObject) -> Json:
    """What the wait comes to."""
    return body if fact.kind in (children.FACT, reviews.FACT, watches.FACT) else body.get("value")


def _ref(ref: Json) -> JsonObject:
    return ref if isinstance(ref, dict) else {}


@dataclass(frozen=True, slots=True)
class RunEar:
    """Takes what comes while steps run: a child's outputs need not wait for the slowest of them."""

    told: asyncio.Event
    take: Callable[[], Awaitable[None]]

    def is_told(self) -> bool:
        return self.told.is_set()

    async def wait(self) -> object:
        return await self.told.wait()

    async def heed(self) -> None:
        self.told.clear()
        await self.take()
