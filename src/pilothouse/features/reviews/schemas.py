"""The wire shapes of reviews."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, JsonValue, StringConstraints

from pilothouse.base.http import IdText, In, Out
from pilothouse.features.reviews.writes import Answer
from pilothouse.kit.json import MAX_DEPTH, depth

ReviewState = Literal["waiting", "approved", "rejected", "expired", "cancelled"]
JsonObject = dict[str, JsonValue]


def _shallow(value: JsonValue) -> JsonValue:
    if depth(value) > MAX_DEPTH:
        raise ValueError(f"must not nest deeper than {MAX_DEPTH} levels")
    return value


class ReviewAnswerIn(In):
    """One decision. It counts for the payload with this hash only."""

    review_id: IdText
    payload_hash: Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")]
    approved: bool
    data: Annotated[
        JsonValue,
        AfterValidator(_shallow),
        Field(description="What is approved instead of the payload; leave it out to approve the payload as it is."),
    ] = None
    message: Annotated[str, StringConstraints(max_length=10_000)] | None = None
    rest_of_node: Annotated[
        bool, Field(description="Approve whatever else this node of this run will ask for, too.")
    ] = False

    def answer(self) -> Answer:
        edited = "data" in self.model_fields_set
        return Answer(
            self.review_id,
            self.payload_hash,
            self.approved,
            edited,
            self.data,
            self.message,
            self.rest_of_node,
        )


def _distinct(answers: list[ReviewAnswerIn]) -> list[ReviewAnswerIn]:
    if len({answer.review_id for answer in answers}) < len(answers):
        raise ValueError("must not decide a review twice")
    return answers


class DecideIn(In):
    """Decisions about reviews of one run: all of them count, or none."""

    decisions: Annotated[list[ReviewAnswerIn], Field(min_length=1, max_length=200), AfterValidator(_distinct)]


class ReviewOutcome(Out):
    """What became of a review."""

    review_id: str
    state: ReviewState
    decision: JsonObject | None
    decided_at: str | None


class DecideOut(Out):
    """What became of each review, in the order asked."""

    reviews: list[ReviewOutcome]


class ReviewOut(Out):
    """What an agent asks a person."""

    id: str
    run_id: str
    step_id: int
    node_id: str
    agent_id: str
    kind: str
    name: str
    instructions: str
    payload: JsonValue
    payload_hash: str
    editable: bool
    state: ReviewState
    decision: JsonObject | None
    expires_at: str | None
    decided_at: str | None
    created_at: str


class ReviewList(Out):
    """A page of reviews, newest first."""

    items: list[ReviewOut]
    next_cursor: str | None
