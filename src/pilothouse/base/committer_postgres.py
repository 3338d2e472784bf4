"""The committer on PostgreSQL: two connections; a group's sets of one kind share each statement.

Sets that touch lanes go over one of them, all others over the second. Lanes are locked until the commit: two groups of
one user could not go on side by side anyway, and a claim or a heartbeat must not wait for them.
"""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import structlog

from pilothouse.base.committer import (
    Clash,
    DatabaseUnavailable,
    Pending,
    Refused,
    WaitingSets,
    Write,
    WriteSet,
    settle_future,
)
from pilothouse.base.one_shot import OneShot, one_shot_of
from pilothouse.base.postgres import AGAIN, BROKEN_RULE, FULL, LOST, UNDONE, PostgresConnection, connect, is_lost
from pilothouse.base.statements import REFUSED, GroupFetch, LockedLanes, OneStatement, Torn
from pilothouse.base.telemetry import COMMIT_GROUPS, COMMIT_OUTAGES, COMMIT_SETS

log = structlog.get_logger()

MAX_TRIES = 3
MAX_KNOWN_LANES = 100_000


class PostgresCommitter:
    """Lands groups over its own connections, apart from the pool of units of work."""

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        self._with_lanes, self._others = WaitingSets(), WaitingSets()
        self._tasks: list[asyncio.Task[None]] = []
        self._known_lanes: set[str] = set()
        self._shots: dict[tuple[int, ...], OneShot | None] = {}

    async def start(self) -> None:
        queues = {"lanes": self._with_lanes, "others": self._others}
        self._tasks = [
            asyncio.create_task(self._run(queue), name=f"committer-{name}") for name, queue in queues.items()
        ]

    def submit(self, writes: WriteSet) -> "asyncio.Future[list[Any]]":
        return self._queue_of(writes).put(writes)

    async def land(self, writes: WriteSet, *, urgent: bool = False) -> list[Any]:
        return await self._queue_of(writes).put(writes, urgent=urgent)

    def _queue_of(self, writes: WriteSet) -> WaitingSets:
        return self._with_lanes if writes.locks else self._others

    async def close(self) -> None:
        """Land what waits, then stop."""
        await self._with_lanes.drained()
        await self._others.drained()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _run(self, queue: WaitingSets) -> None:
        connection: PostgresConnection | None = None
        try:
            while True:
                group = await queue.take()
                try:
                    if connection is None or connection.is_closed():
                        connection = await connect(self._dsn)
                    await self._land(connection, group)
                except LOST as error:
                    log.warning("committer.connection_lost", error=type(error).__name__)
                    COMMIT_OUTAGES.inc()
                    _drop(connection)
                    connection = None
                    await self._try_again(queue, group)
                finally:
                    queue.done(len(group))
        finally:
            _drop(connection)

    async def _try_again(self, queue: WaitingSets, group: Sequence[Pending]) -> None:
        """The commit's fate is unknown: ask again, each set by its proof; give up after a few tries."""
        again: list[Pending] = []
        for pending in group:
            if pending.future.done():
                continue  # landed before the connection broke, or nobody waits any more
            pending.tries += 1
            pending.writes = replace(pending.writes, doubtful=True)
            if pending.tries >= MAX_TRIES:
                settle_future(pending, DatabaseUnavailable())
            else:
                again.append(pending)
        await asyncio.sleep(0.2)
        queue.put_back(again)

    async def _land(self, connection: PostgresConnection, group: list[Pending]) -> None:
        """Tell every waiting caller; raises only when the connection is lost."""
        COMMIT_SETS.inc(len(group))
        left = await self._shoot(connection, group)
        for part in _transactions(left):
            await self._land_part(connection, part)

    async def _land_part(self, connection: PostgresConnection, part: list[Pending]) -> None:
        try:
            answers = await self._apply(connection, part)
        except Exception as error:
            if is_lost(error):
                raise
            for pending in part:
                if not pending.future.done():
                    settle_future(pending, await self._land_alone(connection, pending))
            return
        COMMIT_GROUPS.inc()
        for pending, answer in zip(part, answers, strict=True):
            settle_future(pending, answer)

    async def _shoot(self, connection: PostgresConnection, group: list[Pending]) -> list[Pending]:
        """Land the sets of each kind by one statement where that can be done; answers those that are left."""
        left: list[Pending] = []
        for many in _by_kind(group):
            shot = self._shot_of(many[0].writes)
            answers = await _try_shot(connection, shot, many) if shot is not None else None
            if answers is None:
                left += many
                continue
            COMMIT_GROUPS.inc()
            for pending, answer in zip(many, answers, strict=True):
                settle_future(pending, Refused(pending.writes.writes[0][0].name) if answer is None else answer)
        return left

    def _shot_of(self, writes: WriteSet) -> OneShot | None:
        if writes.doubtful:
            return None
        kind = writes.kind
        if kind not in self._shots:
            self._shots[kind] = one_shot_of([statement for statement, _ in writes.writes])
        return self._shots[kind]

    async def _apply(self, connection: PostgresConnection, group: list[Pending]) -> list[list[Any] | Exception]:
        if (only := _single(group)) is not None:  # a statement is a transaction of its own: two journeys saved
            statement, params = only
            result = (await statement.on_postgres(connection.fetch, [params]))[0]
            return [Refused(statement.name) if result is REFUSED else [result]]
        async with connection.transaction():
            locked = await self._lock_lanes(connection, group)
            return await _apply_together(GroupFetch(connection.fetch, locked), group)

    async def _land_alone(self, connection: PostgresConnection, pending: Pending) -> list[Any] | Exception:
        """A transaction of its own for a set whose group could not be landed as one."""
        for _ in range(MAX_TRIES):
            try:
                async with connection.transaction():
                    await self._lock_lanes(connection, [pending])
                    return await apply_one(connection, pending.writes)
            except Refused as error:
                return error
            except BROKEN_RULE as error:
                return Clash(str(error))
            except FULL:
                return DatabaseUnavailable()
            except (Torn, *AGAIN):
                await asyncio.sleep(0.01)
            except Exception as error:
                if is_lost(error):
                    raise
                log.warning("committer.fault", exc_info=True)  # a fault of ours: only this set suffers
                return error
        return DatabaseUnavailable()

    async def _lock_lanes(self, connection: PostgresConnection, group: Sequence[Pending]) -> LockedLanes:
        keys = sorted({key for pending in group for key in pending.writes.locks})
        return await lock_lanes(connection, keys, self._known_lanes) if keys else {}


def _by_kind(group: Sequence[Pending]) -> list[list[Pending]]:
    kinds: defaultdict[tuple[int, ...], list[Pending]] = defaultdict(list)
    for pending in group:
        kinds[() if pending.writes.doubtful else pending.writes.kind].append(pending)
    return list(kinds.values())


def _transactions(group: list[Pending]) -> list[list[Pending]]:
    """Sets that lock lanes go together: the lanes keep others out. The rest go by kind: each transaction then locks its
    jobs by one statement, in order, and cannot meet a cancelled tree, whose jobs are locked in order too, in a ring.
    """
    return [group] if any(pending.writes.locks for pending in group) else _by_kind(group)


async def _try_shot(
    connection: PostgresConnection, shot: OneShot, many: Sequence[Pending]
) -> list[list[Any] | None] | None:
    try:
        return await shot.shoot(connection.fetch, [[params for _, params in pending.writes.writes] for pending in many])
    except UNDONE as error:
        if is_lost(error):
            raise
        log.info("committer.long_way", error=type(error).__name__)  # it undid itself; now set by set, if need be
        return None


def _single(group: Sequence[Pending]) -> Write | None:
    """The one statement of a group that is no more than that."""
    if len(group) != 1 or len(group[0].writes.writes) != 1:
        return None
    writes = group[0].writes
    statement = writes.writes[0][0]
    return None if writes.locks or writes.doubtful or not isinstance(statement, OneStatement) else writes.writes[0]


def _drop(connection: PostgresConnection | None) -> None:
    if connection is not None:
        connection.terminate()


async def lock_lanes(connection: PostgresConnection, keys: Sequence[str], known: set[str]) -> LockedLanes:
    """Lock these lanes in key order, so that two groups never wait for each other in a ring; answers (cap, used).

    `known` remembers lanes that have a row. Raises `Torn` when one of them has none after all: try again.
    """
    if unknown := [key for key in keys if key not in known]:
        await connection.execute(
            "insert into lanes (key, cap, used) select key, 0, 0 from unnest($1::text[]) as v(key) order by key"
            " on conflict do nothing",
            unknown,
        )
    locked = await connection.fetch(
        "select key, cap, used from lanes where key = any($1::text[]) order by key for update", keys
    )
    if len(known) > MAX_KNOWN_LANES or len(locked) != len(keys):
        known.clear()
    if len(locked) != len(keys):
        raise Torn
    known.update(keys)
    return {row[0]: (row[1], row[2]) for row in locked}


async def _apply_together(fetch: GroupFetch, group: list[Pending]) -> list[list[Any] | Exception]:
    answers: list[list[Any] | Exception | None] = [None] * len(group)
    kinds: defaultdict[tuple[int, ...], list[int]] = defaultdict(list)
    for index, pending in enumerate(group):
        if pending.writes.doubtful:
            raise Torn
        kinds[pending.writes.kind].append(index)
    for indexes in kinds.values():
        await _apply_kind(fetch, group, indexes, answers)
    return [answer if answer is not None else [] for answer in answers]


async def _apply_kind(
    fetch: GroupFetch,
    group: list[Pending],
    indexes: list[int],
    answers: list[list[Any] | Exception | None],
) -> None:
    alive = indexes
    for index in indexes:
        answers[index] = []
    for position, (statement, _) in enumerate(group[indexes[0]].writes.writes):
        many = [group[index].writes.writes[position][1] for index in alive]
        fetch.guarding = position == 0
        results = await statement.on_postgres(fetch, many)
        passed: list[int] = []
        for index, result in zip(alive, results, strict=True):
            if result is not REFUSED:
                passed.append(index)
                answer = answers[index]
                if isinstance(answer, list):
                    answer.append(result)
            elif position:
                raise Torn  # it had changed something already
            else:
                answers[index] = Refused(statement.name)
        alive = passed
        if not alive:
            break
    await fetch.flush()  # before the next kind, which may write to the same rows


async def apply_one(connection: PostgresConnection, writes: WriteSet) -> list[Any]:
    """Apply a set inside the caller's transaction."""
    results: list[Any] = []
    if writes.doubtful and writes.proof is not None:
        statement, params = writes.proof
        if (await statement.on_postgres(connection.fetch, [params]))[0] is not REFUSED:
            return results
    for statement, params in writes.writes:
        result = (await statement.on_postgres(connection.fetch, [params]))[0]
        if result is REFUSED:
            raise Refused(statement.name)
        results.append(result)
    return results
