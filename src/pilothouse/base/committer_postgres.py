"""The committer on PostgreSQL: two connections; a group's sets of one kind share each statement."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import structlog

from pilothouse.base.committer import Clash, DatabaseUnavailable, Pending, Refused, WaitingSets, WriteSet, settle_future
from pilothouse.base.postgres import AGAIN, BROKEN_RULE, FULL, LOST, PostgresConnection, connect, is_lost
from pilothouse.base.statements import REFUSED, GroupFetch, LockedLanes, Torn
from pilothouse.base.telemetry import COMMIT_GROUPS, COMMIT_OUTAGES, COMMIT_SETS

log = structlog.get_logger()

CONNECTIONS = 2
MAX_TRIES = 3
MAX_KNOWN_LANES = 100_000


class PostgresCommitter:
    """Lands groups over its own connections, apart from the pool of units of work."""

    def __init__(self, dsn: str, *, connections: int = CONNECTIONS) -> None:
        self._dsn = dsn
        self._count = connections
        self._waiting = WaitingSets()
        self._tasks: list[asyncio.Task[None]] = []
        self._known_lanes: set[str] = set()

    async def start(self) -> None:
        self._tasks = [asyncio.create_task(self._run(), name=f"committer-{i}") for i in range(self._count)]

    def submit(self, writes: WriteSet) -> "asyncio.Future[list[Any]]":
        return self._waiting.put(writes)

    async def land(self, writes: WriteSet, *, urgent: bool = False) -> list[Any]:
        return await self._waiting.put(writes, urgent=urgent)

    async def close(self) -> None:
        """Land what waits, then stop."""
        await self._waiting.drained()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _run(self) -> None:
        connection: PostgresConnection | None = None
        try:
            while True:
                group = await self._waiting.take()
                try:
                    if connection is None or connection.is_closed():
                        connection = await connect(self._dsn)
                    await self._land(connection, group)
                except LOST as error:
                    log.warning("committer.connection_lost", error=type(error).__name__)
                    COMMIT_OUTAGES.inc()
                    _drop(connection)
                    connection = None
                    await self._try_again(group)
                finally:
                    self._waiting.done(len(group))
        finally:
            _drop(connection)

    async def _try_again(self, group: Sequence[Pending]) -> None:
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
        self._waiting.put_back(again)

    async def _land(self, connection: PostgresConnection, group: list[Pending]) -> None:
        """Tell every waiting caller; raises only when the connection is lost."""
        try:
            async with connection.transaction():
                locked = await self._lock_lanes(connection, group)
                answers = await _apply_together(GroupFetch(connection.fetch, locked), group)
        except Exception as error:
            if is_lost(error):
                raise
            for pending in group:
                if not pending.future.done():
                    settle_future(pending, await self._land_alone(connection, pending))
            return
        COMMIT_GROUPS.inc()
        COMMIT_SETS.inc(len(group))
        for pending, answer in zip(group, answers, strict=True):
            settle_future(pending, answer)

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
            return


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
