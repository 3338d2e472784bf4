"""What can go wrong with a review."""

from pilothouse.kit.errors import Conflict, Invalid, NotFound


class ReviewNotFound(NotFound):
    """There is no such review."""


class AlreadyDecided(Conflict):
    """This review was decided before."""

    hint = "`detail.reviews` has what was decided."


class ReviewPayloadChanged(Conflict):
    """This decision is about another payload than the one that waits."""

    hint = "Read the review again and decide about what it holds now."


class ReviewsOfSeveralRuns(Invalid):
    """The decisions of one call must all be about one run."""


class ReviewUnfit(Invalid):
    """The inputs of a step are an object with a value for each pin; this is something else."""

    wire_code = "review_unfit"


class ReviewNotEditable(Invalid):
    """This payload may be approved or rejected, not changed."""

    wire_code = "review_not_editable"
