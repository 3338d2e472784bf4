"""How reviews are stored, decided and closed. Who decides locks the job's top lane, its job, then its reviews."""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from pilothouse.base.committer import Write, WriteSet
from pilothouse.base.jobs.inbox import SEND_FACT
from pilothouse.base.scripted import Script, Scripted
from pilothouse.base.statements import REFUSED, Sql, delete_by, unnest
from pilothouse.features.reviews.models import reviews
from pilothouse.features.reviews.review import COLUMNS, FACT, SENSITIVE, NewReview, Review, payload_hash, reviews_of
from pilothouse.kit.ids import child_id
from pilothouse.kit.json import Json, JsonObject, dumps

_NAMES = COLUMNS.split(", ")
# A step that is repeated after a crash asks the same question under the same id.
_INSERT_REVIEW = Sql(
    name="insert_review",
    sqlite=f"insert into reviews ({COLUMNS}) values ({', '.join('?' * len(_NAMES))}) on conflict do nothing",
    postgres=f"insert into reviews ({COLUMNS}) select {', '.join(f'v.{name}' for name in _NAMES)}"
    f" from {unnest(reviews, _NAMES)} on conflict do nothing",
    touches=None,
)
_CLOSE_REVIEWS = Sql(
    name="close_reviews",
    sqlite="update reviews set state='cancelled', decided_at=?2 where job_id=?1 and state='waiting'",
    postgres="update reviews t set state='cancelled', decided_at=v.now from unnest($1::text[], $2::bigint[])"
    " with ordinality as v(job_id, now, nth) where t.job_id=v.job_id and t.state='waiting'",
    touches=None,
)


Waiter: TypeAlias = tuple[str, str, str | None]  # of the job that waits: kind, top lane, lane


class Answer(NamedTuple):
    """What one person says to one question. `data` replaces the payload when `edited`."""

    review_id: str
    payload_hash: str
    approved: bool
    edited: bool
    data: Json
    message: str | None
    for_node: bool


class Decided(NamedTuple):
    """What became of a call: either all was decided, now or before in the same way, or `why` nothing was."""

    why: str | None  # absent, several_runs, changed, decided, not_editable, unfit
    reviews: list[JsonObject]
    ring: tuple[str, str] | None = None  # kind and id of the job that wants one


def insert_review(new: NewReview) -> Write:
    """To be landed with the entry that says that the step waits."""
    decision = dumps({"approved": True, "data": new.payload, "message": None, "automatic": True})
    passed, waits = ("approved", False, decision, None, new.created_at), ("waiting", False, None, None, None)
    payload = (dumps(new.payload), payload_hash(new.payload), new.editable, new.assignee_id, new.expires_at)
    return (_INSERT_REVIEW, (*new[:10], *payload, *(passed if new.passed else waits), new.created_at))


def close_reviews(job_id: str, now: int) -> Write:
    """What still waits when its run ends is cancelled with it."""
    return (_CLOSE_REVIEWS, (job_id, now))


# For a script that forgets a run: (job id).
FORGET_REVIEWS = delete_by(reviews, ["job_id"])


def _decide(user_id: str, answers: Sequence[Answer], now: int) -> Script:
    first = yield "select job_id from reviews where id=?1 and user_id=?2", (answers[0].review_id, user_id)
    if not first:
        return Decided("absent", [])
    job_id = first[0][0]
    jobs = yield "select kind, top_lane, lane from jobs where id=?1 for update", (job_id,)
    found: list[Review] = []
    for answer in answers:
        rows = yield f"select {COLUMNS} from reviews where id=?1 and user_id=?2 for update", (answer.review_id, user_id)
        if not rows:
            return Decided("absent", [])
        found += reviews_of(rows)
    why = _refusal(found, answers, now)
    if why is not None:
        return Decided(why, [review.outcome for review in found])
    ring = None
    for review, answer in zip(found, answers, strict=True):
        if review.state == "waiting":
            rang = yield from _settle(jobs[0] if jobs else None, review, answer, user_id, now)
            ring = rang or ring
    told: list[JsonObject] = []
    for answer in answers:
        rows = yield f"select {COLUMNS} from reviews where id=?1", (answer.review_id,)
        told.append(reviews_of(rows)[0].outcome)
    return Decided(None, told, ring)


def _refusal(found: Sequence[Review], answers: Sequence[Answer], now: int) -> str | None:
    """Why none of this may be decided."""
    if len({review.job_id for review in found}) > 1:
        return "several_runs"
    for review, answer in zip(found, answers, strict=True):
        if review.payload_hash != answer.payload_hash:
            return "changed"
        if review.state != "waiting":
            if not _says_the_same(review, answer):
                return "decided"
        elif review.expires_at is not None and review.expires_at <= now:
            return "decided"
        elif answer.edited and not review.editable:
            return "not_editable"
        elif answer.edited and review.kind == SENSITIVE and not isinstance(answer.data, dict):
            return "unfit"  # these are the inputs with which a step is to act
    return None


def _says_the_same(review: Review, answer: Answer) -> bool:
    return review.decision is not None and review.decision == _decision(review, answer)


def _decision(review: Review, answer: Answer) -> JsonObject:
    data = answer.data if answer.edited else review.payload
    return {"approved": answer.approved, "data": data, "message": answer.message, "automatic": False}


def _settle(job: Waiter | None, review: Review, answer: Answer, user_id: str, now: int) -> Script:
    """The decision, and with it whatever else of the node it lets pass."""
    ring = yield from _store(job, review, _decision(review, answer), answer, (user_id, now))
    if answer.approved and answer.for_node:
        rows = yield (
            f"select {COLUMNS} from reviews where job_id=?1 and node_id=?2 and state='waiting' order by id for update",
            (review.job_id, review.node_id),
        )
        for other in reviews_of(rows):
            said: JsonObject = {"approved": True, "data": other.payload, "message": answer.message, "automatic": True}
            rang = yield from _store(job, other, said, answer, (user_id, now))
            ring = rang or ring
    return ring


def _store(job: Waiter | None, review: Review, said: JsonObject, answer: Answer, by: tuple[str, int]) -> Script:
    state = "approved" if answer.approved else "rejected"
    yield (
        "update reviews set state=?2, decision=?3, for_node=?4, decided_by=?5, decided_at=?6 where id=?1",
        (review.id, state, dumps(said), answer.approved and answer.for_node, *by),
    )
    return (yield from _tell(job, review, {**said, "state": state}, by[1]))


def _tell(job: Waiter | None, review: Review, said: JsonObject, now: int) -> Script:
    """Wake who waits; answers its kind and id when it wants a ring."""
    if job is None:
        return None
    kind, top, lane = job
    body = dumps({"review_id": review.id, "payload_hash": review.payload_hash, **said})
    fact = (review.job_id, top, lane, now, child_id(review.job_id, f"review {review.id}"), FACT, body)
    rings = yield SEND_FACT, fact
    return (kind, review.job_id) if rings is True else None


def _expire(review_id: str, now: int) -> Script:
    rows = yield "select job_id from reviews where id=?1", (review_id,)
    jobs = yield "select kind, top_lane, lane from jobs where id=?1 for update", (rows[0][0],)
    rows = yield f"select {COLUMNS} from reviews where id=?1 for update", (review_id,)
    review = reviews_of(rows)[0]
    if review.state != "waiting":
        return REFUSED
    yield "update reviews set state='expired', decided_at=?2 where id=?1", (review_id, now)
    said: JsonObject = {"approved": False, "data": None, "message": None, "automatic": True, "state": "expired"}
    return (yield from _tell(jobs[0] if jobs else None, review, said, now))


_DECIDE = Scripted("decide_reviews", _decide)
_EXPIRE = Scripted("expire_review", _expire)


def decide_reviews(user_id: str, top_lane: str, answers: Sequence[Answer], now: int) -> WriteSet:
    """The answer is `Decided`. Safe to repeat: the same again is no second decision."""
    size = sum(len(dumps(answer.data)) for answer in answers)
    return WriteSet(((_DECIDE, (user_id, tuple(answers), now)),), locks=(top_lane,), size=size)


def expire_review(review_id: str, top_lane: str, now: int) -> WriteSet:
    """Refused when somebody was faster."""
    return WriteSet(((_EXPIRE, (review_id, now)),), locks=(top_lane,))
