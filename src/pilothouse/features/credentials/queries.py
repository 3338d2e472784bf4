"""Every select of credentials, scoped to the actor."""

from collections.abc import Sequence

from sqlalchemy import func, select

from pilothouse.base.work import Read
from pilothouse.features.credentials.errors import CredentialNotFound
from pilothouse.features.credentials.models import StoredCredential
from pilothouse.features.credentials.system import PREFIX
from pilothouse.graph.catalogue import CredentialFacts
from pilothouse.graph.json_schema import as_list


async def list_credentials(read: Read, provider: str | None = None) -> Sequence[StoredCredential]:
    """Newest first: the one that somebody just made is the one that they look for."""
    query = select(StoredCredential).where(StoredCredential.user_id == read.actor.user_id)
    if provider is not None:
        query = query.where(StoredCredential.provider == provider)
    return (await read.session.scalars(query.order_by(StoredCredential.id.desc()))).all()


async def count_credentials(read: Read) -> int:
    query = select(func.count()).where(StoredCredential.user_id == read.actor.user_id)
    return await read.session.scalar(query) or 0


async def get_credential(read: Read, credential_id: str, *, lock: bool = False) -> StoredCredential:
    query = select(StoredCredential).where(
        StoredCredential.id == credential_id, StoredCredential.user_id == read.actor.user_id
    )
    found = await read.session.scalar(query.with_for_update() if lock else query)
    if found is None:
        raise CredentialNotFound
    return found


async def known_credentials(read: Read, ids: Sequence[str]) -> dict[str, CredentialFacts]:
    """Of these, the ones that the actor may use. Those of the installation are taken at their word until they are."""
    query = select(StoredCredential).where(StoredCredential.user_id == read.actor.user_id, StoredCredential.id.in_(ids))
    stored = {row.id: facts_of(row) for row in await read.session.scalars(query)}
    system = {key: CredentialFacts(key.removeprefix(PREFIX)) for key in ids if key.startswith(PREFIX)}
    return system | stored


def facts_of(row: StoredCredential) -> CredentialFacts:
    return CredentialFacts(row.provider, row.type, frozenset(map(str, as_list(row.scopes))))


def told_of(row: StoredCredential) -> dict[str, object]:
    """What everybody may know of it who may see it."""
    told = row.shown if isinstance(row.shown, dict) else {}
    return {
        **{name: told.get(name) for name in ("hint", "username", "host")},
        "header_names": told.get("header_names") or [],
        "scopes": row.scopes,
        "system": False,
        **{name: getattr(row, name) for name in ("id", "provider", "type", "title")},
        **{name: getattr(row, name) for name in ("created_at", "expires_at", "last_used_at")},
    }
