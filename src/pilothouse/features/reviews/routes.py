"""The HTTP door of reviews. Deciding is a person's: no API key opens it."""

from fastapi import Request

from pilothouse.base.http import CurrentActor, Paging, Router, problems, user
from pilothouse.features.reviews import queries
from pilothouse.features.reviews.errors import (
    AlreadyDecided,
    ReviewNotEditable,
    ReviewNotFound,
    ReviewPayloadChanged,
    ReviewsOfSeveralRuns,
    ReviewUnfit,
)
from pilothouse.features.reviews.schemas import DecideIn, DecideOut, ReviewList, ReviewOut, ReviewState
from pilothouse.features.reviews.service import Reviews

router = Router("/api/reviews", tags=["reviews"])

_REFUSALS = problems(
    *(ReviewNotFound, AlreadyDecided, ReviewPayloadChanged, ReviewNotEditable, ReviewUnfit, ReviewsOfSeveralRuns)
)


def _reviews(request: Request) -> Reviews:
    return request.app.state.reviews


@router.get("", response_model=ReviewList)
@user
async def list_reviews(
    request: Request, actor: CurrentActor, page: Paging, state: ReviewState | None = None, brief: bool = False
) -> ReviewList:
    """What agents ask, newest first; when `brief`, each `payload` is left out (null)."""
    before, reader = page.after if isinstance(page.after, str) else None, _reviews(request).reader
    found = await queries.list_reviews(reader, actor, state=state, before=before, limit=page.fetch, brief=brief)
    shown, cursor = page.page(found, lambda review: review.id)
    return ReviewList(items=[ReviewOut.model_validate(review.wire) for review in shown], next_cursor=cursor)


@router.post("/decide", response_model=DecideOut, responses=_REFUSALS)
@user
async def decide_reviews(ask: DecideIn, request: Request, actor: CurrentActor) -> DecideOut:
    """Approve or reject. The first decision stands: the same again answers the same, another is refused with it."""
    told = await _reviews(request).decide_reviews(actor, [decision.answer() for decision in ask.decisions])
    return DecideOut.model_validate({"reviews": told})
