"""Taking a cancelled job away from a worker that does not let go of it, or that lost it before it could end it."""

from pilothouse.base.jobs.claims import Claimed
from pilothouse.base.scripted import Script, Scripted
from pilothouse.base.statements import REFUSED

# Both hold a place in their lanes, so that nothing is to be counted when the one becomes the other.
_WITH_A_PLACE = ("running", "queued")


def _seize(job_id: str, owner: str, now: int) -> Script:
    rows = yield "select state, cancel_at from jobs where id=?1 for update", (job_id,)
    if not rows or rows[0][0] not in _WITH_A_PLACE or rows[0][1] is None:
        return REFUSED
    rows = yield (
        "update jobs set state='running', owner=?2, fence=fence+1, moved_at=?3 where id=?1"
        " returning id, kind, user_id, top_lane, lane, fence, attempt, cancel_at, reply_to",
        (job_id, owner, now),
    )
    return Claimed(*rows[0])


# (id, owner, now): a job that was asked to stop, and runs or is queued again, becomes the caller's, who settles it at
# once; refused when there is none. What its worker still writes matches no row.
SEIZE_JOB = Scripted("seize_job", _seize)
