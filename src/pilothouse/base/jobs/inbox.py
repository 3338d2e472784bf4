"""Facts from others (a child's output, a person's decision, a follow-up) reach a job only through its inbox."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from pilothouse.base.jobs.moves import WAKE_JOB
from pilothouse.base.statements import REFUSED, Params, PostgresFetch, SqliteExecute


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


@dataclass(frozen=True, slots=True, eq=False)
class ReadInbox:
    """The facts of a job, oldest first: (job_id,). Delete them with `DRAIN` in the flush that journals them."""

    name: str = "read_inbox"

    def on_sqlite(self, execute: SqliteExecute, params: Params) -> Any:
        return [Fact(*row) for row in execute("select id, kind, body from inbox where job_id=? order by id", params)[1]]

    async def on_postgres(self, fetch: PostgresFetch, many: Sequence[Params]) -> Sequence[Any]:
        return [
            [Fact(*row) for row in await fetch("select id, kind, body from inbox where job_id=$1 order by id", *params)]
            for params in many
        ]


@dataclass(frozen=True, slots=True, eq=False)
class DrainInbox:
    """Delete the facts that this flush journals: (job_id, fact ids). Land it behind `GUARD_JOB`."""

    name: str = "drain_inbox"

    def on_sqlite(self, execute: SqliteExecute, params: Params) -> Any:
        job_id, ids = params
        marks = ",".join("?" * len(ids))
        return execute(f"delete from inbox where job_id=? and id in ({marks})", (job_id, *ids))[0]

    async def on_postgres(self, fetch: PostgresFetch, many: Sequence[Params]) -> Sequence[Any]:
        for job_id, ids in many:
            await fetch("delete from inbox where job_id=$1 and id = any($2::text[])", job_id, list(ids))
        return [1] * len(many)


SEND_FACT = SendFact()
READ_INBOX = ReadInbox()
DRAIN_INBOX = DrainInbox()
