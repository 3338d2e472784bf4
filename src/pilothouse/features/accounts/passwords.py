"""Passwords: argon2id, in threads, a few at a time, since each hash takes 19 MB and some 30 ms."""

import asyncio
from dataclasses import dataclass, field

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError


def _hasher() -> PasswordHasher:
    return PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)


@dataclass(frozen=True, slots=True)
class Passwords:
    """Makes and checks hashes."""

    hasher: PasswordHasher = field(default_factory=_hasher)
    _places: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(2))
    _stand_in: list[str] = field(default_factory=list[str])

    async def hash(self, password: str) -> str:
        async with self._places:
            return await asyncio.to_thread(self.hasher.hash, password)

    async def fits(self, password_hash: str | None, password: str) -> bool:
        """Without a hash (nobody has that mail address, or no password) the same work is done: time tells nothing."""
        if password_hash is None or not password_hash.startswith("$"):
            await self._verify(await self._nobodys(), password)
            return False
        return await self._verify(password_hash, password)

    async def prepare(self) -> None:
        """Make nobody's hash at start, or the first stranger would wait twice as long as the second."""
        await self._nobodys()

    async def _nobodys(self) -> str:
        if not self._stand_in:
            self._stand_in.append(await self.hash("nobody has this password"))
        return self._stand_in[0]

    async def _verify(self, password_hash: str, password: str) -> bool:
        async with self._places:
            try:
                return await asyncio.to_thread(self.hasher.verify, password_hash, password)
            except (VerificationError, InvalidHashError):
                return False
