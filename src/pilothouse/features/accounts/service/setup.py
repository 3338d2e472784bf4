"""The first owner: made by a link that works once, for a day, and only while there is no owner."""

from datetime import timedelta

from sqlalchemy import delete, update
from sqlalchemy.exc import IntegrityError

from pilothouse.base.actor import SYSTEM, Role
from pilothouse.base.work import Work
from pilothouse.features.accounts import queries
from pilothouse.features.accounts.errors import SetupDone, SetupLinkExpired
from pilothouse.features.accounts.events import UserCreated
from pilothouse.features.accounts.models import SetupLink, User
from pilothouse.features.accounts.reception import Reception
from pilothouse.features.accounts.schemas import OwnerIn
from pilothouse.features.accounts.service.sessions import SignedIn, open_session
from pilothouse.features.accounts.service.signin import TRIES_PER_ADDRESS
from pilothouse.features.accounts.tokens import digest, new_token
from pilothouse.kit.ids import UserId, new_id

LINK_LIFE = timedelta(hours=24)


async def make_owner_link(work: Work, public_url: str) -> str:
    """A new link; those before it stop working. Raises `SetupDone` when there is an owner.

    The token stands behind the `#`, so that it reaches no server's log.
    """
    if await queries.has_owner(work):
        raise SetupDone()
    token = new_token()
    await work.session.execute(delete(SetupLink))
    work.session.add(
        SetupLink(id=new_id(), token_hash=digest(token), created_at=work.now, expires_at=work.now + LINK_LIFE)
    )
    return f"{public_url.rstrip('/')}/setup#token={token}"


async def create_owner(reception: Reception, ask: OwnerIn, *, address: str, device: str) -> SignedIn:
    """Look, hash outside of any transaction, then settle: of many at once, one wins."""
    await reception.throttle.take(f"setup address {address}", TRIES_PER_ADDRESS)
    token_hash = digest(ask.token.get_secret_value())
    async with reception.units.read(SYSTEM) as read:
        if await queries.has_owner(read):
            raise SetupDone()
        if await queries.find_setup_link(read, token_hash) is None:
            raise SetupLinkExpired()
    password_hash = await reception.passwords.hash(ask.password.get_secret_value())
    async with reception.units.write(SYSTEM) as work:
        await _use_link(work, token_hash)
        return await _settle_owner(work, ask, password_hash, device)


async def _use_link(work: Work, token_hash: str) -> None:
    if await queries.has_owner(work):
        raise SetupDone()
    link = SetupLink.token_hash == token_hash
    use = update(SetupLink).where(link, SetupLink.used_at.is_(None), SetupLink.expires_at > work.now)
    used = await work.session.execute(use.values(used_at=work.now).returning(SetupLink.id))
    if used.one_or_none() is None:
        raise SetupDone() if await queries.has_owner(work) else SetupLinkExpired()


async def _settle_owner(work: Work, ask: OwnerIn, password_hash: str, device: str) -> SignedIn:
    owner = User(
        id=new_id(),
        email=ask.email,
        name=ask.name,
        role=Role.OWNER,
        password_hash=password_hash,
        timezone=ask.timezone,
        preferences={},
        created_at=work.now,
    )
    work.session.add(owner)
    try:
        await work.session.flush()
    except IntegrityError as error:
        raise SetupDone() from error  # the index that allows one owner
    await work.emit(UserCreated(UserId(owner.id), Role.OWNER))
    return open_session(work, owner, device)
