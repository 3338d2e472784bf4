"""Deciding what agents ask. Every door calls these."""

from collections.abc import Sequence
from dataclasses import dataclass

from pilothouse.base.actor import Actor
from pilothouse.base.committer import Committer, Refused
from pilothouse.base.jobs.bells import Bell
from pilothouse.base.jobs.moves import micros
from pilothouse.base.reader import Reader
from pilothouse.features.reviews import queries
from pilothouse.features.reviews.errors import (
    AlreadyDecided,
    ReviewNotEditable,
    ReviewNotFound,
    ReviewPayloadChanged,
    ReviewsOfSeveralRuns,
    ReviewUnfit,
)
from pilothouse.features.reviews.writes import Answer, Decided, decide_reviews, expire_review
from pilothouse.kit.json import JsonObject

_REFUSALS = {
    "absent": ReviewNotFound,
    "several_runs": ReviewsOfSeveralRuns,
    "changed": ReviewPayloadChanged,
    "not_editable": ReviewNotEditable,
    "unfit": ReviewUnfit,
}
AT_ONCE = 200


@dataclass(slots=True)
class Reviews:
    """One per process."""

    committer: Committer
    reader: Reader
    bell: Bell

    async def decide_reviews(self, actor: Actor, answers: Sequence[Answer]) -> list[JsonObject]:
        """All or none; when this returns, the decisions are on disk and whoever waits for them is woken.

        The first decision stands: the same again is told the same, another raises `AlreadyDecided` with the first.
        """
        review = await queries.get_review(self.reader, actor, answers[0].review_id)
        writes = decide_reviews(actor.user_id, review.top_lane, answers, micros())
        decided: Decided = (await self.committer.land(writes))[0]
        if decided.why is not None:
            if decided.why == "decided":
                raise AlreadyDecided(reviews=[*decided.reviews])
            raise _REFUSALS[decided.why]
        self._ring(decided.ring)
        return decided.reviews

    async def expire_reviews(self) -> None:
        """Tell those whose question nobody answered in time."""
        now = micros()
        for review_id, top_lane in await queries.overdue(self.reader, now, AT_ONCE):
            try:
                answers = await self.committer.land(expire_review(review_id, top_lane, now))
            except Refused:  # decided in this very moment
                continue
            self._ring(answers[0] if answers else None)

    def _ring(self, job: tuple[str, str] | None) -> None:
        if job is not None:
            self.bell.ring(job[0], [job[1]])
