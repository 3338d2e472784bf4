"""Tells the HTTP door who is calling, from a short memory where it can."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Generic, TypeVar, cast

import structlog
from sqlalchemy import update
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.sql import Executable

from pilothouse.base.actor import SYSTEM, Actor, Role
from pilothouse.base.http import Visit
from pilothouse.base.http.gate import csrf_token
from pilothouse.base.http.rates import Throttle
from pilothouse.base.keyring import Keyring
from pilothouse.base.work import Handlers, Units, Work
from pilothouse.features.accounts import queries
from pilothouse.features.accounts.events import ApiKeyChanged, SessionsEnded, UserDisabled
from pilothouse.features.accounts.models import ApiKey, LoginSession, User
from pilothouse.features.accounts.passwords import Passwords
from pilothouse.features.accounts.tokens import digest, is_api_key
from pilothouse.kit.ids import ApiKeyId, UserId

SESSION_LIFE = timedelta(days=30)
SESSION_MARK = timedelta(hours=1)  # how rarely a session's end moves
KEY_MARK = timedelta(minutes=1)  # how rarely a key's last use is written
MEMORY_SECONDS = 4.0  # a revoked key or session is refused within 5 s in every process
MEMORY_SIZE = 20_000

Known = TypeVar("Known")


class Memory(Generic[Known]):
    """What was found a moment ago, under the hash of the secret that it was found by."""

    def __init__(self, ticks: Callable[[], float] = time.monotonic) -> None:
        self.ticks = ticks
        self.generation = 0
        self._entries: dict[str, tuple[float, Known]] = {}
        self._looking: dict[str, asyncio.Task[Known]] = {}

    def recall(self, key: str) -> tuple[Known] | None:
        """A one-tuple, so that a remembered absence differs from no memory."""
        entry = self._entries.get(key)
        return (entry[1],) if entry is not None and self.ticks() < entry[0] else None

    def keep(self, key: str, value: Known, seconds: float, generation: int) -> None:
        """Unless something was revoked while this was being read."""
        if generation != self.generation:
            return
        if len(self._entries) >= MEMORY_SIZE:
            self._entries.clear()
        self._entries[key] = (self.ticks() + seconds, value)

    async def look_up(self, key: str, find: Callable[[], Awaitable[Known]]) -> Known:
        """Find it once for all who ask at the same time: a busy key's callers all come when its memory has faded."""
        task = self._looking.get(key)
        if task is None:
            task = self._looking[key] = asyncio.create_task(_run(find))
            task.add_done_callback(lambda done: self._found(key, done))
        return await asyncio.shield(task)  # whoever goes away must not take the others' answer along

    def _found(self, key: str, task: "asyncio.Task[Known]") -> None:
        if self._looking.get(key) is task:
            del self._looking[key]
        if not task.cancelled():
            task.exception()  # each who asked is told; that all of them have gone is no fault

    def forget(self) -> None:
        """Everything: revocations are rare, and then nothing stale is left in this process."""
        self.generation += 1
        self._entries.clear()
        self._looking.clear()  # those answer whoever asked before; nobody else joins them


async def _run(find: Callable[[], Awaitable[Known]]) -> Known:
    return await find()


@dataclass(frozen=True, slots=True)
class Memories:
    """The memories of one process."""

    keys: Memory[Actor | None] = field(default_factory=lambda: Memory[Actor | None]())
    visits: Memory[Visit | None] = field(default_factory=lambda: Memory[Visit | None]())

    def handlers(self) -> Handlers:
        """To be wired to accounts' facts: after the commit of a revocation, remember nothing."""
        return {fact: [self._forget] for fact in (ApiKeyChanged, SessionsEnded, UserDisabled)}

    async def _forget(self, work: Work, _fact: Any) -> None:
        work.after_commit.extend([self.keys.forget, self.visits.forget])


@dataclass(slots=True)
class Reception:
    """The `Identity` of the HTTP door, with what signing in needs."""

    units: Units
    keyring: Keyring
    memories: Memories = field(default_factory=Memories)
    passwords: Passwords = field(default_factory=Passwords)
    _owned: bool = False

    @property
    def throttle(self) -> Throttle:
        return Throttle(self.units)

    async def has_owner(self) -> bool:
        if not self._owned:
            async with self.units.read(SYSTEM) as read:
                self._owned = await queries.has_owner(read)
        return self._owned

    async def by_key(self, key: str) -> Actor | None:
        key_hash = digest(key)
        if found := self.memories.keys.recall(key_hash):
            return found[0]
        if not is_api_key(key):
            return None
        return await self.memories.keys.look_up(key_hash, lambda: self._look_up_key(key_hash))

    async def _look_up_key(self, key_hash: str) -> Actor | None:
        memory = self.memories.keys
        generation = memory.generation
        async with self.units.read(SYSTEM) as read:
            found = await queries.find_live_key(read, key_hash)
        left = _seconds_left(found[0].expires_at, read.now) if found else MEMORY_SECONDS
        actor = _key_actor(found[0], found[1]) if found and left > 0 else None
        memory.keep(key_hash, actor, min(MEMORY_SECONDS, max(left, 0.0)), generation)
        if found and actor and _is_old(found[0].last_used_at, read.now, KEY_MARK):
            await self._mark(update(ApiKey).where(ApiKey.id == found[0].id).values(last_used_at=read.now))
        return actor

    async def by_session(self, token: str) -> Visit | None:
        token_hash = digest(token)
        if found := self.memories.visits.recall(token_hash):
            return found[0]
        memory = self.memories.visits
        generation = memory.generation
        async with self.units.read(SYSTEM) as read:
            row = await queries.find_live_session(read, token_hash)
        if row is None:
            memory.keep(token_hash, None, MEMORY_SECONDS, generation)
            return None
        visit = Visit(_session_actor(row[1]), row[0].id, csrf_token(self.keyring, token))
        seconds = min(MEMORY_SECONDS, _seconds_left(row[0].expires_at, read.now))
        memory.keep(token_hash, visit, seconds, generation)
        return await self._renewed(row[0], visit, read.now)

    async def _renewed(self, session: LoginSession, visit: Visit, now: datetime) -> Visit:
        if not _is_old(session.seen_at, now, SESSION_MARK):
            return visit
        moved = {"seen_at": now, "expires_at": now + SESSION_LIFE}
        await self._mark(update(LoginSession).where(LoginSession.id == session.id).values(**moved))
        return replace(visit, renewed=True)

    async def _mark(self, statement: Executable) -> None:
        """A mark of last use is not worth failing a request for."""
        try:
            async with self.units.write(SYSTEM) as work:
                await work.session.execute(statement)
        except (SQLAlchemyError, OSError) as error:
            structlog.get_logger("pilothouse.accounts").warning("use.unmarked", error=type(error).__name__)


def _key_actor(key: ApiKey, user: User) -> Actor:
    """With the role that its owner has now: a key never exceeds them."""
    scopes = frozenset(cast(list[str], key.scopes))
    return Actor(UserId(user.id), Role(user.role), scopes, ApiKeyId(key.id), key.rate_limit_per_minute)


def _session_actor(user: User) -> Actor:
    return Actor(UserId(user.id), Role(user.role))


def _seconds_left(end: datetime | None, now: datetime) -> float:
    return MEMORY_SECONDS if end is None else (end - now).total_seconds()


def _is_old(moment: datetime | None, now: datetime, age: timedelta) -> bool:
    return moment is None or now - moment >= age
