"""People: made, changed, disabled. Used by the command line and the admin pages."""

from sqlalchemy.exc import IntegrityError

from pilothouse.base.actor import SYSTEM, Role
from pilothouse.base.work import Units, Work
from pilothouse.features.accounts import queries
from pilothouse.features.accounts.errors import MailTaken, OwnerStays, UserNotFound
from pilothouse.features.accounts.events import UserCreated, UserDisabled
from pilothouse.features.accounts.models import User
from pilothouse.features.accounts.passwords import Passwords
from pilothouse.features.accounts.schemas import UserPatch
from pilothouse.features.accounts.service.sessions import end_sessions
from pilothouse.kit.errors import Invalid
from pilothouse.kit.ids import UserId, new_id


async def create_user(
    units: Units, passwords: Passwords, *, email: str, name: str, password: str, role: Role = Role.MEMBER
) -> User:
    """Add a person. The owner comes by the set-up link only."""
    if role is Role.OWNER:
        raise Invalid("The owner is made by the set-up link.", hint="Run `pilothouse owner-link`.")
    password_hash = await passwords.hash(_long_enough(password))
    async with units.write(SYSTEM) as work:
        user = User(
            id=new_id(),
            email=email.strip().lower(),
            name=name,
            role=role,
            password_hash=password_hash,
            timezone="UTC",
            preferences={},
            created_at=work.now,
        )
        work.session.add(user)
        try:
            await work.session.flush()
        except IntegrityError as error:
            raise MailTaken() from error
        await work.emit(UserCreated(UserId(user.id), role))
        return user


async def reset_password(units: Units, passwords: Passwords, *, email: str, password: str) -> User:
    """Set a new password for somebody who lost theirs; their browsers are signed out."""
    password_hash = await passwords.hash(_long_enough(password))
    async with units.write(SYSTEM) as work:
        user = await _by_mail(work, email)
        user.password_hash = password_hash
        await end_sessions(work, UserId(user.id))
        return user


async def disable_user(work: Work, email: str) -> User:
    """End a person's sessions and stop their keys; nothing of theirs is deleted."""
    user = await _by_mail(work, email)
    if user.role == Role.OWNER:
        raise OwnerStays()
    if user.disabled_at is None:
        user.disabled_at = work.now
        await end_sessions(work, UserId(user.id))
        await work.emit(UserDisabled(UserId(user.id)))
    return user


async def enable_user(work: Work, email: str) -> User:
    """Let a disabled person in again, with the keys they had; they sign in anew."""
    user = await _by_mail(work, email)
    user.disabled_at = None
    return user


async def set_role(work: Work, email: str, role: Role) -> User:
    """Give another role; sessions end, so that none outlives the role it was opened with."""
    user = await _by_mail(work, email)
    if Role.OWNER in {user.role, role}:
        raise OwnerStays()
    user.role = role
    await end_sessions(work, UserId(user.id))
    return user


async def patch_me(work: Work, patch: UserPatch) -> User:
    """Change one's own profile: what is absent or null stays."""
    user = await queries.get_user(work, work.actor.user_id, lock=True)
    for name, value in patch.model_dump(exclude_none=True).items():
        setattr(user, name, value)
    return user


async def _by_mail(work: Work, email: str) -> User:
    user = await queries.find_user_by_mail(work, email.strip().lower())
    if user is None:
        raise UserNotFound()
    return user


def _long_enough(password: str) -> str:
    if not 10 <= len(password) <= 200:
        raise Invalid("A password has 10 to 200 characters.")
    return password
