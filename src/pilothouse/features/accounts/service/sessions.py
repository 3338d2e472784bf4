"""Opening and ending sessions, inside the units of others."""

from dataclasses import dataclass

from sqlalchemy import delete

from pilothouse.base.work import Work
from pilothouse.features.accounts.events import SessionsEnded
from pilothouse.features.accounts.models import LoginSession, SetupLink, User
from pilothouse.features.accounts.reception import SESSION_LIFE
from pilothouse.features.accounts.tokens import digest, new_token
from pilothouse.kit.ids import UserId, new_id


@dataclass(frozen=True, slots=True)
class SignedIn:
    """Who signed in, and the cookie's value, which exists nowhere else."""

    user: User
    token: str


def open_session(work: Work, user: User, device: str) -> SignedIn:
    """A new session under a new token: none that was known before ever becomes signed in."""
    token = new_token()
    session = LoginSession(
        id=new_id(),
        user_id=user.id,
        token_hash=digest(token),
        device=device[:200],
        created_at=work.now,
        seen_at=work.now,
        expires_at=work.now + SESSION_LIFE,
    )
    work.session.add(session)
    return SignedIn(user, token)


async def end_sessions(work: Work, user_id: UserId) -> None:
    """Sign all of a user's browsers out."""
    await work.session.execute(delete(LoginSession).where(LoginSession.user_id == user_id))
    await work.emit(SessionsEnded(user_id))


async def end_session_of(work: Work, token: str) -> None:
    """Sign out the browser that holds this token."""
    query = delete(LoginSession).where(LoginSession.token_hash == digest(token)).returning(LoginSession.user_id)
    user_id = (await work.session.execute(query)).scalar_one_or_none()
    if user_id is not None:
        await work.emit(SessionsEnded(UserId(user_id)))


async def forget_expired(work: Work) -> None:
    """Delete sessions and set-up links whose time is over; nobody could use them any more."""
    for table in (LoginSession, SetupLink):
        await work.session.execute(delete(table).where(table.expires_at < work.now))
