"""What goes with the end of a run that has others."""

from pilothouse.base.committer import Write
from pilothouse.features.reviews import close_reviews
from pilothouse.features.runs.children import CANCEL_TREE, ended_json, parent_of, tell_end
from pilothouse.features.runs.desk import Desk
from pilothouse.features.runs.piloting import forget_watches, may_ask
from pilothouse.kit.json import Json


def last_words(desk: Desk, stats: dict[str, Json], now: int, owner: str) -> list[Write]:
    """Its questions close, its children stop, its watches go, its parent hears. A run that is alone has none."""
    run, job = desk.run, desk.hold.job
    also: list[Write] = []
    if desk.asked:
        also = desk.journal.take_also()
        also.append(close_reviews(job.id, now))
        if run.status != "cancelled":  # else the mark that it saw reached all below it too, and lets nothing new begin
            also.append((CANCEL_TREE, (job.id, now, owner, False)))
    if may_ask(run):
        also.append(forget_watches(job.id))
    if (parent := parent_of(run.facts)) is not None:
        also.append(tell_end(parent, job.id, ended_json(run.status, run.reason, stats), now))
    return also
