"""Every select of accounts. Lists and lookups by id are scoped to the actor."""

from collections.abc import Sequence

from sqlalchemy import exists, select

from pilothouse.base.actor import Role
from pilothouse.base.work import Read
from pilothouse.features.accounts.errors import ApiKeyNotFound, SessionNotFound, UserNotFound
from pilothouse.features.accounts.models import ApiKey, LoginSession, SetupLink, User
from pilothouse.kit.ids import ApiKeyId, UserId


async def has_owner(read: Read) -> bool:
    return bool(await read.session.scalar(select(exists().where(User.role == Role.OWNER))))


async def get_user(read: Read, user_id: UserId, *, lock: bool = False) -> User:
    query = select(User).where(User.id == user_id)
    user = await read.session.scalar(query.with_for_update() if lock else query)
    if user is None:
        raise UserNotFound()
    return user


async def find_user_by_mail(read: Read, email: str) -> User | None:
    return await read.session.scalar(select(User).where(User.email == email))


async def find_setup_link(read: Read, token_hash: str) -> SetupLink | None:
    """A link that still works."""
    query = select(SetupLink).where(
        SetupLink.token_hash == token_hash, SetupLink.used_at.is_(None), SetupLink.expires_at > read.now
    )
    return await read.session.scalar(query)


async def find_live_session(read: Read, token_hash: str) -> tuple[LoginSession, User] | None:
    """A session that still opens something, with whom it belongs to."""
    query = (
        select(LoginSession, User)
        .join(User, User.id == LoginSession.user_id)
        .where(LoginSession.token_hash == token_hash, LoginSession.expires_at > read.now, User.disabled_at.is_(None))
    )
    return (await read.session.execute(query)).one_or_none()


async def find_live_key(read: Read, key_hash: str) -> tuple[ApiKey, User] | None:
    """A key that still opens something, with whom it belongs to; expiry is left to the caller, who caches."""
    query = (
        select(ApiKey, User)
        .join(User, User.id == ApiKey.user_id)
        .where(ApiKey.key_hash == key_hash, ApiKey.suspended_at.is_(None), User.disabled_at.is_(None))
    )
    return (await read.session.execute(query)).one_or_none()


async def list_sessions(read: Read) -> Sequence[LoginSession]:
    """The caller's live sessions, newest first."""
    query = select(LoginSession).where(LoginSession.user_id == read.actor.user_id, LoginSession.expires_at > read.now)
    return (await read.session.scalars(query.order_by(LoginSession.id.desc()))).all()


async def get_session(read: Read, session_id: str) -> LoginSession:
    query = select(LoginSession).where(LoginSession.id == session_id, LoginSession.user_id == read.actor.user_id)
    found = await read.session.scalar(query)
    if found is None:
        raise SessionNotFound()
    return found


async def list_api_keys(read: Read, *, limit: int, after: str | None = None) -> Sequence[ApiKey]:
    """The caller's keys, newest first; ids sort by time."""
    query = select(ApiKey).where(ApiKey.user_id == read.actor.user_id).order_by(ApiKey.id.desc()).limit(limit)
    if after is not None:
        query = query.where(ApiKey.id < after)
    return (await read.session.scalars(query)).all()


async def get_api_key(read: Read, api_key_id: ApiKeyId, *, lock: bool = False) -> ApiKey:
    query = select(ApiKey).where(ApiKey.id == api_key_id, ApiKey.user_id == read.actor.user_id)
    found = await read.session.scalar(query.with_for_update() if lock else query)
    if found is None:
        raise ApiKeyNotFound()
    return found
