"""Signing in and out, and one's own password."""

from hashlib import sha256

from pilothouse.base.actor import SYSTEM
from pilothouse.base.http import Visit
from pilothouse.base.work import Work
from pilothouse.features.accounts import queries
from pilothouse.features.accounts.errors import PasswordWrong, SignInRefused
from pilothouse.features.accounts.events import SessionsEnded
from pilothouse.features.accounts.reception import Reception
from pilothouse.features.accounts.schemas import PasswordIn, SignInIn
from pilothouse.features.accounts.service.sessions import SignedIn, end_session_of, end_sessions, open_session
from pilothouse.kit.ids import UserId

TRIES_PER_ACCOUNT = 5
TRIES_PER_ADDRESS = 20


async def login(
    reception: Reception, ask: SignInIn, *, address: str, device: str, old_token: str | None = None
) -> SignedIn:
    """Count, look, check outside of any transaction, then settle. Every refusal reads and takes alike."""
    await reception.throttle.take(f"login address {address}", TRIES_PER_ADDRESS)
    await reception.throttle.take(_account_subject(ask.email), TRIES_PER_ACCOUNT)
    async with reception.units.read(SYSTEM) as read:
        user = await queries.find_user_by_mail(read, ask.email)
    fits = await reception.passwords.fits(user.password_hash if user else None, ask.password.get_secret_value())
    if user is None or not fits or user.disabled_at is not None:
        raise SignInRefused()
    async with reception.units.write(SYSTEM) as work:
        if old_token is not None:
            await end_session_of(work, old_token)
        return open_session(work, user, device)


def _account_subject(email: str) -> str:
    """The address is hashed: the table of tries is no list of people."""
    return f"login account {sha256(email.encode()).hexdigest()[:32]}"


async def logout(work: Work, visit: Visit) -> None:
    """End this session; the user's other browsers stay signed in."""
    await delete_session(work, visit.session_id)


async def delete_session(work: Work, session_id: str) -> None:
    """Sign one of the caller's browsers out."""
    await work.session.delete(await queries.get_session(work, session_id))
    await work.emit(SessionsEnded(work.actor.user_id))


async def change_password(reception: Reception, visit: Visit, ask: PasswordIn) -> SignedIn:
    """Set a new password; every session ends, and this browser gets a new one."""
    user_id = visit.actor.user_id
    await reception.throttle.take(f"password {user_id}", TRIES_PER_ACCOUNT)
    async with reception.units.read(visit.actor) as read:
        user = await queries.get_user(read, user_id)
        session = await queries.get_session(read, visit.session_id)
    if not await reception.passwords.fits(user.password_hash, ask.current_password.get_secret_value()):
        raise PasswordWrong()
    password_hash = await reception.passwords.hash(ask.new_password.get_secret_value())
    async with reception.units.write(visit.actor) as work:
        fresh = await queries.get_user(work, UserId(user_id), lock=True)
        if fresh.password_hash != user.password_hash:
            raise PasswordWrong()  # it was changed while we hashed
        fresh.password_hash = password_hash
        await end_sessions(work, user_id)
        return open_session(work, fresh, session.device)
