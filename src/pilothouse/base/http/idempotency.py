"""`Idempotency-Key`: the answer is kept in the transaction of its effect, so a repeat repeats the answer only."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from hashlib import sha256
from typing import NamedTuple

from fastapi import Request, Response
from sqlalchemy import delete, select, tuple_
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncSession

from pilothouse.base.actor import Actor
from pilothouse.base.http.errors import IdempotencyConflict, IdempotencyInProgress
from pilothouse.base.http.tables import idempotency_keys
from pilothouse.base.keyring import Keyring
from pilothouse.base.work import Work
from pilothouse.kit.errors import Invalid

KEPT_FOR = timedelta(days=7)
_SEALED = "sealed:"  # JSON never begins so


class Replayed(Exception):
    """Not an error: the answer is known already."""

    def __init__(self, status: int, body: bytes) -> None:
        super().__init__(status)
        self.status, self.body = status, body


class KeyUse(NamedTuple):
    """Which request a key stands for."""

    user_id: str
    route: str
    key: str
    body_hash: str


class Stored(NamedTuple):
    """The answer that was given."""

    body_hash: str
    status: int
    body: str


@dataclass(slots=True)
class InProgress:
    """The keys whose first request is still running in this process."""

    uses: set[tuple[str, str, str]] = field(default_factory=set[tuple[str, str, str]])

    def enter(self, use: KeyUse) -> None:
        """Raises `IdempotencyInProgress` when the first request has not ended."""
        if use[:3] in self.uses:
            raise IdempotencyInProgress()
        self.uses.add(use[:3])

    def leave(self, use: KeyUse) -> None:
        self.uses.discard(use[:3])


def body_hash(body: bytes) -> str:
    """What makes two bodies the same: their bytes."""
    return sha256(body).hexdigest()


def key_of(request: Request) -> str | None:
    """The caller's key, if it sent one."""
    raw = request.scope["state"]["headers"].get(b"idempotency-key")
    if raw is None:
        return None
    key = raw.decode("latin-1")
    if not 1 <= len(key) <= 128 or not key.isprintable():
        raise Invalid("Idempotency-Key must have 1 to 128 printable characters.")
    return key


async def use_of(request: Request, actor: Actor) -> KeyUse | None:
    """The key with all that it is bound to: the caller, the path, the body."""
    key = key_of(request)
    if key is None or not actor_is_known(request):
        return None
    route = f"{request.method} {request.scope['path']}"[:300]
    return KeyUse(actor.user_id, route, key, body_hash(await request.body()))


def actor_is_known(request: Request) -> bool:
    """Nobody's answers may be kept for nobody: strangers would read each other's."""
    state = request.scope["state"]
    return "visit" in state or state["actor"].key_id is not None


def judge(stored: Stored | None, use: KeyUse) -> Stored | None:
    """The stored answer, None for a new key, or `IdempotencyConflict`."""
    if stored is not None and stored.body_hash != use.body_hash:
        raise IdempotencyConflict()
    return stored


async def find(session: AsyncSession, use: KeyUse) -> Stored | None:
    """The answer stored under this key."""
    table = idempotency_keys.c
    query = select(table.body_hash, table.status, table.body).where(
        table.user_id == use.user_id, table.route == use.route, table.key == use.key
    )
    row = (await session.execute(query)).one_or_none()
    return Stored(*row) if row else None


@dataclass(slots=True)
class Claim:
    """One request's hold on its key."""

    request: Request
    use: KeyUse | None
    keyring: Keyring

    async def look_up(self, work: Work) -> None:
        """Raises `Replayed` when the answer is known; else sees to it that this request's answer is kept."""
        if self.use is None:
            return
        if stored := judge(await find(work.session, self.use), self.use):
            raise Replayed(stored.status, open_body(self.keyring, stored.body))

        async def remember(response: Response) -> None:
            await self._store(work, response)

        self.request.scope["state"]["remember"] = remember

    async def _store(self, work: Work, response: Response) -> None:
        assert self.use is not None
        dialect = postgresql if work.session.get_bind().dialect.name == "postgresql" else sqlite
        sealed = _SEALED + self.keyring.seal(bytes(response.body))  # an answer may hold a secret that is shown once
        values = {**self.use._asdict(), "status": response.status_code, "body": sealed, "created_at": work.now}
        insert = dialect.insert(idempotency_keys).values(values).on_conflict_do_nothing()
        written = await work.session.execute(insert.returning(idempotency_keys.c.key))
        if written.one_or_none() is None:  # another process was first; this effect is rolled back
            raise IdempotencyInProgress()


def open_body(keyring: Keyring, body: str) -> bytes:
    return keyring.open(body.removeprefix(_SEALED)) if body.startswith(_SEALED) else body.encode()


@asynccontextmanager
async def claim_key(request: Request, actor: Actor) -> AsyncGenerator[Claim]:
    """Hold the key while the unit of work runs, commit included."""
    use = await use_of(request, actor) if request.method == "POST" else None
    claim = Claim(request, use, request.app.state.keyring)
    if use is None:
        yield claim
        return
    running: InProgress = request.app.state.keys_in_progress
    running.enter(use)
    try:
        yield claim
    finally:
        running.leave(use)


def replay(request: Request, error: Exception) -> Response:
    """The handler for `Replayed`."""
    assert isinstance(error, Replayed)
    return Response(error.body, error.status, {"Idempotent-Replay": "true"}, "application/json")


async def prune(work: Work, *, limit: int = 1_000) -> bool:
    """Forget keys after seven days, some at a time so that no write has to wait long; answers whether all are gone."""
    table = idempotency_keys.c
    key = tuple_(table.user_id, table.route, table.key)
    old = select(table.user_id, table.route, table.key).where(table.created_at < work.now - KEPT_FOR).limit(limit)
    gone = await work.session.execute(delete(idempotency_keys).where(key.in_(old)).returning(table.key))
    return len(gone.all()) < limit
