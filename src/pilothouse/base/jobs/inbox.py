"""Facts from others (a child's output, a person's decision, a follow-up) reach a job only through its inbox."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from pilothouse.base.committer import Write
from pilothouse.base.jobs import lanes
from pilothouse.base.jobs.lanes import LanePair
from pilothouse.base.jobs.moves import WAKE_JOB
from pilothouse.base.statements import (
    JOINS_GO,
    REFUSED,
    OneStatement,
    Params,
    PostgresFetch,
    Sql,
    SqliteExecute,
    columns_of,
    write_later,
)
from pilothouse.kit.json import dumps


class Fact(NamedTuple):
    """What somebody wants a job to know."""

    id: str
    kind: str
    body: str


@dataclass(frozen=True, slots=True, eq=False)
class SendFact:
    """Put a fact into a job's inbox and wake it: (job_id, top, lane, now, fact id, kind, body).

    Refused when the job has ended. Sending the same fact id twice leaves one. Answers whether a ring is wanted.
    """

    name: str = "send_fact"

    def on_sqlite(self, execute: SqliteExecute, params: Params) -> Any:
        job_id, top, lane, now, fact_id, kind, body = params
        if not execute("select 1 from jobs where id=?", (job_id,))[0]:
            return REFUSED
        execute(
            "insert into inbox (job_id, id, kind, body) values (?, ?, ?, ?) on conflict do nothing",
            (job_id, fact_id, kind, body),
        )
        return WAKE_JOB.on_sqlite(execute, (job_id, top, lane, now, False))

    async def on_postgres(self, fetch: PostgresFetch, many: Sequence[Params]) -> Sequence[Any]:
        answers: list[Any] = []
        for job_id, top, lane, now, fact_id, kind, body in many:
            if not await fetch("select 1 from jobs where id=$1 for update", job_id):
                answers.append(REFUSED)
                continue
            await fetch(
                "insert into inbox (job_id, id, kind, body) values ($1, $2, $3, $4) on conflict do nothing",
                job_id,
                fact_id,
                kind,
                body,
            )
            answers += await WAKE_JOB.on_postgres(fetch, [(job_id, top, lane, now, False)])
        return answers


_INSERT_FACTS = (
    "insert into inbox (job_id, id, kind, body) select * from unnest($1::text[], $2::text[], $3::text[], $4::text[])"
    " on conflict do nothing"
)
_WAKE_JOBS = (
    "update jobs j set state=v.state, due_at=0, fence=j.fence+1, moved_at=v.now"
    " from unnest($1::text[], $2::text[], $3::bigint[]) as v(id, state, now) where j.id=v.id"
)


@dataclass(frozen=True, slots=True, eq=False)
class TellJob:
    """As `SendFact`, for a job that may be over: (job_id, now, fact id, kind, body). Needs the user's top lane.

    One that has ended or was cancelled wants to know nothing. Answers the job's id when it wants a ring.
    """

    name: str = "tell_job"

    def on_sqlite(self, execute: SqliteExecute, params: Params) -> str | None:
        job_id, now, *fact = params
        _, rows = execute("select top_lane, lane from jobs where id=? and cancel_at is null", (job_id,))
        if not rows:
            return None
        execute(
            "insert into inbox (job_id, id, kind, body) values (?, ?, ?, ?) on conflict do nothing", (job_id, *fact)
        )
        return job_id if WAKE_JOB.on_sqlite(execute, (job_id, *rows[0], now, False)) else None

    async def on_postgres(self, fetch: PostgresFetch, many: Sequence[Params]) -> Sequence[str | None]:
        rows = await fetch(
            "select id, state, top_lane, lane from jobs where id = any($1::text[]) and cancel_at is null"
            " order by id for update",
            sorted({params[0] for params in many}),
        )
        listening = {row[0] for row in rows}
        facts = [(params[0], *params[2:]) for params in many if params[0] in listening]
        if facts:
            await write_later(fetch, _INSERT_FACTS, columns_of(facts))
        asleep = {row[0]: (row[2], row[3]) for row in rows if row[1] == "waiting"}
        placed = await self._wake(fetch, asleep, many[0][1]) if asleep else set[str]()
        return [params[0] if params[0] in placed else None for params in many]

    async def _wake(self, fetch: PostgresFetch, asleep: Mapping[str, LanePair], now: int) -> set[str]:
        """Queue those for whom there is a place, hold the others."""
        book = await lanes.read_postgres(fetch, list(asleep.values()))
        placed = {job_id for job_id, pair in asleep.items() if book.take(pair)}
        await lanes.save_postgres(fetch, book, later=True)
        moves = [(job_id, "queued" if job_id in placed else "held", now) for job_id in asleep]
        await write_later(fetch, _WAKE_JOBS, columns_of(moves))
        return placed


@dataclass(frozen=True, slots=True, eq=False)
class ReadInbox(OneStatement):
    """The facts of a job, oldest first: (job_id,). Delete them with `drain_inbox` in the flush that journals them."""

    name: str = "read_inbox"

    def on_sqlite(self, execute: SqliteExecute, params: Params) -> Any:
        return [Fact(*row) for row in execute("select id, kind, body from inbox where job_id=? order by id", params)[1]]

    async def on_postgres(self, fetch: PostgresFetch, many: Sequence[Params]) -> Sequence[Any]:
        return [
            [Fact(*row) for row in await fetch("select id, kind, body from inbox where job_id=$1 order by id", *params)]
            for params in many
        ]


_DRAIN_INBOX = Sql(
    name="drain_inbox",
    sqlite="delete from inbox where job_id=?1 and id in (select value from json_each(?2))",
    postgres="delete from inbox t using unnest($1::text[], $2::text[]) with ordinality as v(job_id, ids, nth)"
    " where t.job_id=v.job_id and t.id in (select jsonb_array_elements_text(v.ids::jsonb))"
    f"{JOINS_GO} returning v.nth",
    touches=None,
)


def drain_inbox(job_id: str, fact_ids: Iterable[str]) -> Write:
    """Delete the facts that this flush journals. Land it behind `GUARD_JOB`."""
    return (_DRAIN_INBOX, (job_id, dumps(sorted(fact_ids))))


SEND_FACT = SendFact()
TELL_JOB = TellJob()
READ_INBOX = ReadInbox()
