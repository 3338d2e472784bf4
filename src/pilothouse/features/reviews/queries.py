"""Every read of reviews, scoped to the actor."""

from collections.abc import Sequence

from pilothouse.base.actor import Actor
from pilothouse.base.reader import Reader, marks
from pilothouse.features.reviews.errors import ReviewNotFound
from pilothouse.features.reviews.review import COLUMNS, Review, reviews_of


async def get_review(reader: Reader, actor: Actor, review_id: str) -> Review:
    rows = await reader.rows(f"select {COLUMNS} from reviews where id=?1 and user_id=?2", review_id, actor.user_id)
    if not rows:
        raise ReviewNotFound
    return reviews_of(rows)[0]


async def list_reviews(
    reader: Reader,
    actor: Actor,
    *,
    state: str | None,
    job_ids: Sequence[str] | None = None,
    before: str | None,
    limit: int,
    brief: bool = False,
) -> list[Review]:
    """Newest first; with `job_ids` only what these asked, and when `brief` without the payloads, which can be large."""
    columns = COLUMNS.replace(" payload,", " 'null',") if brief else COLUMNS
    where = "user_id=?1"
    params: list[str] = [actor.user_id]
    for column, value in (("state=", state), ("id <", before)):
        if value is not None:
            params.append(value)
            where += f" and {column}?{len(params)}"
    if job_ids is not None:
        where += f" and job_id in ({marks(len(job_ids), len(params) + 1)})"
        params += job_ids
    sql = f"select {columns} from reviews where {where} order by id desc limit ?{len(params) + 1}"
    return reviews_of(await reader.rows(sql, *params, limit))


async def is_approved_for_node(reader: Reader, job_id: str, node_id: str) -> bool:
    """Whether somebody approved the rest of this node's steps in this run."""
    sql = "select 1 from reviews where job_id=?1 and node_id=?2 and for_node and state='approved' limit 1"
    return bool(await reader.rows(sql, job_id, node_id))


async def overdue(reader: Reader, now: int, limit: int) -> list[tuple[str, str]]:
    """Ids and top lanes of reviews that nobody decided in time."""
    sql = "select id, top_lane from reviews where state='waiting' and expires_at <= ?1 order by id limit ?2"
    return [(row[0], row[1]) for row in await reader.rows(sql, now, limit)]
