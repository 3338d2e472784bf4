"""`Idempotency-Key` for starting runs: the key lands in the run's own write set, so both exist or neither."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from fastapi import Request

from pilothouse.base.committer import Clash, Write
from pilothouse.base.http.auth import actor_of
from pilothouse.base.http.errors import IdempotencyInProgress
from pilothouse.base.http.idempotency import InProgress, KeyUse, Stored, idempotency_keys, judge, use_of
from pilothouse.base.jobs.moves import micros
from pilothouse.base.reader import Reader
from pilothouse.base.statements import insert_into
from pilothouse.features.runs.service import Admitted
from pilothouse.kit.ids import RunId, new_id
from pilothouse.kit.json import dumps, loads

_INSERT_KEY = insert_into(idempotency_keys, "user_id", "route", "key", "body_hash", "status", "body", "created_at")

# Starts a run under this id, if one is given, and lands the writes with it.
Start: TypeAlias = Callable[[str | None, Sequence[Write]], Awaitable[Admitted]]


@dataclass(frozen=True, slots=True)
class KnownRun:
    """The run that a key started earlier."""

    id: RunId


@dataclass(frozen=True, slots=True)
class StartKeys:
    """One request's key, if it has one."""

    use: KeyUse | None
    running: InProgress

    @classmethod
    async def of(cls, request: Request) -> "StartKeys":
        return cls(await use_of(request, actor_of(request)), request.app.state.keys_in_progress)

    async def admit(self, reader: Reader, start: Start) -> Admitted | KnownRun:
        """Start the run and remember the key with it, unless the key has started one already.

        Raises `IdempotencyConflict` when it did so with another body, `IdempotencyInProgress` when it is about to.
        """
        if self.use is None:
            return await start(None, ())
        if (known := await self._known_run(reader)) is not None:
            return known
        self.running.enter(self.use)
        try:
            run_id = new_id()
            return await start(run_id, [self._remember(run_id)])
        except Clash:  # another request was first, this very moment
            if (known := await self._known_run(reader)) is not None:
                return known
            raise IdempotencyInProgress from None
        finally:
            self.running.leave(self.use)

    async def _known_run(self, reader: Reader) -> KnownRun | None:
        assert self.use is not None
        rows = await reader.rows(
            "select body_hash, status, body from idempotency_keys where user_id=?1 and route=?2 and key=?3",
            *self.use[:3],
        )
        stored = judge(Stored(*rows[0]) if rows else None, self.use)
        return KnownRun(RunId(cast(Any, loads(stored.body))["run_id"])) if stored is not None else None

    def _remember(self, run_id: str) -> Write:
        assert self.use is not None
        return (_INSERT_KEY, (*self.use, 201, dumps({"run_id": run_id}), micros()))
