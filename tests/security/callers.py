"""Everyone who may stand at the door, and what the policy of a route means for each."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, TypeAlias

from sqlalchemy import update

from pilothouse.base.actor import SYSTEM, Role
from pilothouse.base.http.gate import SAFE_METHODS
from pilothouse.base.http.policy import SCOPES
from pilothouse.features import accounts
from pilothouse.features.accounts.models import ApiKey
from pilothouse.features.accounts.service import delete_api_key, suspend_api_key
from pilothouse.kit.ids import ApiKeyId
from tests.security.samples import Operation
from tests.security.site import ORIGIN, Person, Site

Headers: TypeAlias = dict[str, str]
Refusal: TypeAlias = tuple[int, str]  # status and code; None stands for "let in"

UNKNOWN: Final[Refusal] = (401, "unauthenticated")
OPEN: Final = {"setup", "public"}  # to anyone


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls: the headers for one request to this operation, and what must come of it."""

    headers: Callable[[Site, Person, Operation], Awaitable[Headers]]
    refusal: Callable[[Operation], Refusal | None]
    role: Role = Role.MEMBER


def nobody(operation: Operation) -> Refusal | None:
    """For whoever has no valid proof of who they are."""
    return None if operation.policy in OPEN else UNKNOWN


def member(operation: Operation) -> Refusal | None:
    if operation.policy == "user":
        return None
    return (403, "forbidden") if operation.policy == "admin" else nobody(operation)


def administrator(operation: Operation) -> Refusal | None:
    return None if operation.policy in {"user", "admin"} else nobody(operation)


def holder_of_all_scopes(operation: Operation) -> Refusal | None:
    return None if operation.policy.startswith("scope:") else nobody(operation)


def holder_of_other_scopes(operation: Operation) -> Refusal | None:
    return (403, "scope_missing") if operation.policy.startswith("scope:") else nobody(operation)


def both_at_once(operation: Operation) -> Refusal | None:
    return nobody(operation) if operation.policy in {*OPEN, "signed"} else (400, "bad_request")


def from_elsewhere(operation: Operation) -> Refusal | None:
    """A page of another site, with the cookie that the browser adds."""
    if operation.method in SAFE_METHODS or operation.policy.startswith("scope:") or operation.policy == "signed":
        return member(operation)
    return (403, "origin_denied")


def without_token(operation: Operation) -> Refusal | None:
    changes = operation.method not in SAFE_METHODS and operation.policy in {"user", "admin"}
    return (403, "csrf_failed") if changes else member(operation)


async def bare(site: Site, person: Person, operation: Operation) -> Headers:
    return {"Origin": ORIGIN}


async def session(site: Site, person: Person, operation: Operation) -> Headers:
    return site.headers_of(await site.session(person))


async def session_of_disabled(site: Site, person: Person, operation: Operation) -> Headers:
    leaver = await site.person("leaver")
    headers = site.headers_of(await site.session(leaver))
    async with site.house.units.write(SYSTEM) as work:
        await accounts.disable_user(work, leaver.email)
    return headers


async def expired_session(site: Site, person: Person, operation: Operation) -> Headers:
    sleeper = await site.person("sleeper")
    headers = site.headers_of(await site.session(sleeper))
    await site.expire(sleeper)
    return headers


async def invented_session(site: Site, person: Person, operation: Operation) -> Headers:
    return site.headers_of("A" * 43)


async def foreign_page(site: Site, person: Person, operation: Operation) -> Headers:
    return {**await session(site, person, operation), "Origin": "https://evil.example"}


async def null_origin(site: Site, person: Person, operation: Operation) -> Headers:
    return {**await session(site, person, operation), "Origin": "null"}


async def tokenless(site: Site, person: Person, operation: Operation) -> Headers:
    return {**site.cookie(await site.session(person)), "Origin": ORIGIN}


async def full_key(site: Site, person: Person, operation: Operation) -> Headers:
    return bearer((await site.key(person, *SCOPES))[1])


async def poor_key(site: Site, person: Person, operation: Operation) -> Headers:
    """Every scope but the one that is needed."""
    needed = operation.policy.removeprefix("scope:")
    return bearer((await site.key(person, *(scope for scope in SCOPES if scope != needed)))[1])


async def revoked_key(site: Site, person: Person, operation: Operation) -> Headers:
    key_id, key = await site.key(person, *SCOPES)
    async with site.house.units.write(person.actor) as work:
        await delete_api_key(work, ApiKeyId(key_id))
    return bearer(key)


async def suspended_key(site: Site, person: Person, operation: Operation) -> Headers:
    key_id, key = await site.key(person, *SCOPES)
    async with site.house.units.write(person.actor) as work:
        await suspend_api_key(work, ApiKeyId(key_id))
    return bearer(key)


async def expired_key(site: Site, person: Person, operation: Operation) -> Headers:
    key_id, key = await site.key(person, *SCOPES)
    async with site.house.units.write(SYSTEM) as work:
        past = work.now - timedelta(seconds=1)
        await work.session.execute(update(ApiKey).where(ApiKey.id == key_id).values(expires_at=past))
    return bearer(key)


async def key_of_disabled(site: Site, person: Person, operation: Operation) -> Headers:
    leaver = await site.person("leaver")
    key = (await site.key(leaver, *SCOPES))[1]
    async with site.house.units.write(SYSTEM) as work:
        await accounts.disable_user(work, leaver.email)
    return bearer(key)


async def cookie_and_key(site: Site, person: Person, operation: Operation) -> Headers:
    return {**await session(site, person, operation), **await full_key(site, person, operation)}


def bearer(key: str) -> Headers:
    return {"Authorization": f"Bearer {key}"}


CALLERS: Final[Mapping[str, Caller]] = {
    "nobody": Caller(bare, nobody),
    "a member": Caller(session, member),
    "an administrator": Caller(session, administrator, Role.ADMIN),
    "a disabled user": Caller(session_of_disabled, nobody),
    "an expired session": Caller(expired_session, nobody),
    "an invented session": Caller(invented_session, nobody),
    "a page of another site": Caller(foreign_page, from_elsewhere),
    "a page without an origin": Caller(null_origin, from_elsewhere),
    "a session without its token": Caller(tokenless, without_token),
    "a key with all scopes": Caller(full_key, holder_of_all_scopes),
    "a key without the scope": Caller(poor_key, holder_of_other_scopes),
    "a revoked key": Caller(revoked_key, nobody),
    "a suspended key": Caller(suspended_key, nobody),
    "an expired key": Caller(expired_key, nobody),
    "a disabled user's key": Caller(key_of_disabled, nobody),
    "a cookie and a key together": Caller(cookie_and_key, both_at_once),
}
