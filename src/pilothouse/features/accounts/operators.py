"""What whoever runs the machine may see and do about others: the command line's door to accounts."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import select

from pilothouse.base.actor import Actor, Role
from pilothouse.base.work import Read, Work
from pilothouse.features.accounts import queries
from pilothouse.features.accounts.errors import ApiKeyNotFound, OwnerMissing, UserNotFound
from pilothouse.features.accounts.events import UserCreated
from pilothouse.features.accounts.models import ApiKey, User
from pilothouse.features.accounts.schemas import ApiKeyIn
from pilothouse.features.accounts.service.api_keys import NewApiKey, create_api_key, delete_api_key
from pilothouse.kit.ids import ApiKeyId, UserId, new_id
from pilothouse.kit.json import Json

LOCAL_MAIL = "local@localhost"
NO_PASSWORD = "!"  # no hash looks like this, so no password fits


@dataclass(frozen=True, slots=True)
class Person:
    """A user as the operator sees them."""

    id: str
    email: str
    name: str
    role: str
    created_at: datetime
    disabled_at: datetime | None

    @classmethod
    def of(cls, user: User) -> "Person":
        return cls(user.id, user.email, user.name, user.role, user.created_at, user.disabled_at)


@dataclass(frozen=True, slots=True)
class KeyFacts:
    """A key as the operator sees it; its value is nowhere."""

    id: str
    email: str
    name: str
    prefix: str
    scopes: Json
    rate_limit_per_minute: int | None
    created_at: datetime
    expires_at: datetime | None
    suspended_at: datetime | None
    last_used_at: datetime | None

    @classmethod
    def of(cls, key: ApiKey, user: User) -> "KeyFacts":
        same = {name: getattr(key, name) for name in cls.__dataclass_fields__ if name != "email"}
        return cls(email=user.email, **same)


async def find_actor(read: Read, email: str | None) -> Actor:
    """Act as this user, else as the owner, else (before there is one) as the local user if that exists.

    Raises `UserNotFound` or `OwnerMissing`.
    """
    if email is not None:
        user = await queries.find_user_by_mail(read, email.strip().lower())
        if user is None:
            raise UserNotFound(f"There is no user {email}.", hint="`pilothouse user list` shows everyone.")
    else:
        owner = await read.session.scalar(select(User).where(User.role == Role.OWNER))
        user = owner or await queries.find_user_by_mail(read, LOCAL_MAIL)
        if user is None:
            raise OwnerMissing()
    return Actor(UserId(user.id), Role(user.role))


async def local_actor(work: Work) -> Actor:
    """A member for trying things out before there is an owner. Nobody can sign in as it: it has no password."""
    user = await queries.find_user_by_mail(work, LOCAL_MAIL)
    if user is None:
        user = User(
            id=new_id(),
            email=LOCAL_MAIL,
            name="Local",
            role=Role.MEMBER,
            password_hash=NO_PASSWORD,
            timezone="UTC",
            preferences={},
            created_at=work.now,
        )
        work.session.add(user)
        await work.session.flush()
        await work.emit(UserCreated(UserId(user.id), Role.MEMBER))
    return Actor(UserId(user.id), Role.MEMBER)


async def list_users(read: Read) -> Sequence[Person]:
    """Everyone, in the order they came."""
    return [Person.of(user) for user in await read.session.scalars(select(User).order_by(User.id))]


async def list_all_keys(read: Read, email: str | None = None) -> Sequence[KeyFacts]:
    """Every key, or those of one user, in the order they were made."""
    query = select(ApiKey, User).join(User, User.id == ApiKey.user_id).order_by(ApiKey.id)
    if email is not None:
        query = query.where(User.id == (await find_actor(read, email)).user_id)
    return [KeyFacts.of(key, user) for key, user in (await read.session.execute(query)).tuples()]


async def create_key_of(work: Work, email: str | None, ask: ApiKeyIn) -> NewApiKey:
    """A key for this user, or for the owner; the operator may set its limit."""
    user_id = (await find_actor(work, email)).user_id
    return await create_api_key(replace(work, actor=replace(work.actor, user_id=user_id)), ask)


async def revoke_key(work: Work, id_or_prefix: str) -> KeyFacts:
    """Stop a key for good. Every process refuses it within 5 seconds. Raises `ApiKeyNotFound`."""
    query = select(ApiKey, User).join(User, User.id == ApiKey.user_id)
    which = (ApiKey.id == id_or_prefix) | (ApiKey.prefix == id_or_prefix)
    found = (await work.session.execute(query.where(which))).tuples().one_or_none()
    if found is None:
        raise ApiKeyNotFound(hint="`pilothouse key list` shows ids and prefixes.")
    key, user = found
    facts = KeyFacts.of(key, user)
    theirs = replace(work, actor=replace(work.actor, user_id=UserId(user.id)))
    await delete_api_key(theirs, ApiKeyId(key.id))
    return facts
