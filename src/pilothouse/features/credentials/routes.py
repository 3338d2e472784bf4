"""Credentials by HTTP. No API key opens these doors: a credential is made by a person."""

from fastapi import Request

from pilothouse.base.http import PathId, Reader, Router, Writes, problems, user
from pilothouse.blocks.credentials import ApiKey
from pilothouse.features.credentials import queries, service
from pilothouse.features.credentials.errors import CredentialInUse, CredentialInvalid, CredentialNotFound
from pilothouse.features.credentials.models import StoredCredential
from pilothouse.features.credentials.safe import Safe
from pilothouse.features.credentials.schemas import (
    CredentialDetailOut,
    CredentialIn,
    CredentialOut,
    CredentialPatch,
    CredentialsOut,
    CredentialUserOut,
)

router = Router("/api/credentials", tags=["credentials"])


def _safe(request: Request) -> Safe:
    return request.app.state.credentials


def shown(row: StoredCredential) -> CredentialOut:
    """A stored credential as everybody sees it who may see it."""
    return CredentialOut.model_validate(queries.told_of(row))


def _of_the_installation(found: ApiKey) -> CredentialOut:
    return CredentialOut(
        id=found.id,
        provider=found.provider,
        type="api_key",
        title=f"{found.provider}, for everybody",
        hint=None,
        username=None,
        host=None,
        header_names=[],
        scopes=[],
        system=True,
        created_at=None,
        expires_at=None,
        last_used_at=None,
    )


@router.get("", response_model=CredentialsOut)
@user
async def list_credentials(request: Request, read: Reader, provider: str | None = None) -> CredentialsOut:
    """One's own, the newest first, then those of the installation; no secret is among what is told."""
    rows = await queries.list_credentials(read, provider)
    system = [each for each in _safe(request).system.values() if provider in (None, each.provider)]
    return CredentialsOut(items=[*map(shown, rows), *map(_of_the_installation, system)])


@router.post("", status_code=201, response_model=CredentialOut, responses=problems(CredentialInvalid))
@user
async def create_credential(ask: CredentialIn, request: Request, work: Writes) -> CredentialOut:
    """Keep a key, a password or headers for a host. What is secret is sealed and never told again."""
    return shown(await service.create_credential(work, _safe(request).keyring, ask.root))


@router.get("/{credential_id}", response_model=CredentialDetailOut, responses=problems(CredentialNotFound))
@user
async def get_credential(credential_id: PathId, request: Request, read: Reader) -> CredentialDetailOut:
    """One credential, and the agents that use it."""
    row = await queries.get_credential(read, credential_id)
    users = [CredentialUserOut(agent_id=each.agent_id, name=each.name) for each in await _users(request, read, row)]
    return CredentialDetailOut.model_validate({**queries.told_of(row), "used_by": users})


@router.patch("/{credential_id}", response_model=CredentialOut, responses=problems(CredentialNotFound))
@user
async def rename_credential(credential_id: PathId, ask: CredentialPatch, work: Writes) -> CredentialOut:
    """Give a credential another title."""
    return shown(await service.rename_credential(work, credential_id, ask.title))


@router.delete("/{credential_id}", status_code=204, responses=problems(CredentialNotFound, CredentialInUse))
@user
async def delete_credential(credential_id: PathId, request: Request, work: Writes, force: bool = False) -> None:
    """Forget a credential. One that agents use is kept, unless `force` says otherwise."""
    await service.delete_credential(work, credential_id, _safe(request).usage, force=force)


async def _users(request: Request, read: Reader, row: StoredCredential) -> list[service.CredentialUser]:
    return list(await _safe(request).usage(read, row.id))
