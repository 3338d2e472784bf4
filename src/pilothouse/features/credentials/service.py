"""Credentials: made, renamed and removed. Every door calls these."""

from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple, TypeAlias

from pilothouse.base.keyring import Keyring
from pilothouse.base.work import Read, Work
from pilothouse.features.credentials import queries
from pilothouse.features.credentials.errors import CredentialInUse, CredentialInvalid
from pilothouse.features.credentials.models import StoredCredential
from pilothouse.features.credentials.schemas import ApiKeyIn, HostScopedIn, UserPasswordIn
from pilothouse.features.credentials.secret import sealed_secret, secret_of, shown_of
from pilothouse.kit.ids import new_id
from pilothouse.kit.json import Json

MAX_CREDENTIALS = 5_000


class CredentialUser(NamedTuple):
    """An agent that names a credential."""

    agent_id: str
    name: str


# Who uses a credential: wired by `app`, for agents stand above credentials.
Usage: TypeAlias = Callable[[Read, str], Awaitable[Sequence[CredentialUser]]]


async def create_credential(
    work: Work, keyring: Keyring, ask: ApiKeyIn | UserPasswordIn | HostScopedIn
) -> StoredCredential:
    """Keep a credential; its secret is sealed and never told again."""
    if await queries.count_credentials(work) >= MAX_CREDENTIALS:
        raise CredentialInvalid(f"There are {MAX_CREDENTIALS} credentials, and that is the limit.")
    credential_id = new_id()
    envelope = sealed_secret(keyring, credential_id, work.actor.user_id, secret_of(ask))
    row = StoredCredential(
        id=credential_id,
        user_id=work.actor.user_id,
        provider=ask.provider,
        type=ask.type,
        title=ask.title,
        shown=shown_of(ask),
        scopes=[],
        wrapped_key=envelope.wrapped_key,
        sealed=envelope.sealed,
        key_id=envelope.key_id,
        created_at=work.now,
        updated_at=work.now,
        expires_at=ask.expires_at if isinstance(ask, ApiKeyIn) else None,
    )
    work.session.add(row)
    await work.session.flush()
    return row


async def rename_credential(work: Work, credential_id: str, title: str) -> StoredCredential:
    row = await queries.get_credential(work, credential_id, lock=True)
    row.title = title
    row.updated_at = work.now
    return row


async def delete_credential(work: Work, credential_id: str, usage: Usage, *, force: bool = False) -> None:
    """Forget a credential. Raises `CredentialInUse` with its users, unless it is to go all the same."""
    row = await queries.get_credential(work, credential_id, lock=True)
    if not force and (users := await usage(work, credential_id)):
        told: list[Json] = [{"agent_id": user.agent_id, "name": user.name} for user in users]
        names = ", ".join(user.name for user in users[:3])
        raise CredentialInUse(f"'{row.title}' is used by {names}.", used_by=told)
    await work.session.delete(row)
