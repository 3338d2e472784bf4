"""Keys for programs: made, narrowed, stopped."""

from dataclasses import dataclass
from dataclasses import replace as with_changes

from pilothouse.base.work import Work
from pilothouse.features.accounts import queries
from pilothouse.features.accounts.errors import LimitNotYours, UserNotFound
from pilothouse.features.accounts.events import ApiKeyChanged
from pilothouse.features.accounts.models import ApiKey
from pilothouse.features.accounts.schemas import ApiKeyIn, ApiKeyPatch
from pilothouse.features.accounts.tokens import digest, new_api_key
from pilothouse.kit.errors import Invalid
from pilothouse.kit.ids import ApiKeyId, UserId, new_id
from pilothouse.kit.json import Json


@dataclass(frozen=True, slots=True)
class NewApiKey:
    """A key's row, and its value, which exists nowhere else."""

    row: ApiKey
    key: str


async def create_api_key(work: Work, ask: ApiKeyIn) -> NewApiKey:
    """A key for the caller. Its value can be read now and never again."""
    _may_set_limit(work, ask.rate_limit_per_minute)
    if ask.expires_at is not None and ask.expires_at <= work.now:
        raise Invalid("A key cannot expire in the past.")
    key = new_api_key()
    row = ApiKey(
        id=new_id(),
        user_id=work.actor.user_id,
        name=ask.name,
        prefix=key[:11],
        key_hash=digest(key),
        scopes=_unique(ask.scopes),
        rate_limit_per_minute=ask.rate_limit_per_minute,
        created_at=work.now,
        expires_at=ask.expires_at,
    )
    work.session.add(row)
    await work.session.flush()
    return NewApiKey(row, key)


async def create_api_key_for(work: Work, email: str, ask: ApiKeyIn) -> NewApiKey:
    """As `create_api_key`, for another: the command line's way, where the limit may be set."""
    user = await queries.find_user_by_mail(work, email.strip().lower())
    if user is None:
        raise UserNotFound()
    return await create_api_key(with_changes(work, actor=with_changes(work.actor, user_id=UserId(user.id))), ask)


async def patch_api_key(work: Work, api_key_id: ApiKeyId, patch: ApiKeyPatch) -> ApiKey:
    """Rename a key or change its rights; what is absent stays, and a null limit is the ordinary one."""
    row = await queries.get_api_key(work, api_key_id, lock=True)
    if patch.name is not None:
        row.name = patch.name
    if patch.scopes is not None:
        row.scopes = _unique(patch.scopes)
    if "rate_limit_per_minute" in patch.model_fields_set:
        _may_set_limit(work, patch.rate_limit_per_minute)
        row.rate_limit_per_minute = patch.rate_limit_per_minute
    return await _changed(work, row)


async def suspend_api_key(work: Work, api_key_id: ApiKeyId) -> ApiKey:
    """Stop a key for a while; it can be resumed. Suspending twice changes nothing."""
    row = await queries.get_api_key(work, api_key_id, lock=True)
    row.suspended_at = row.suspended_at or work.now
    return await _changed(work, row)


async def resume_api_key(work: Work, api_key_id: ApiKeyId) -> ApiKey:
    """Let a suspended key work again."""
    row = await queries.get_api_key(work, api_key_id, lock=True)
    row.suspended_at = None
    return await _changed(work, row)


async def delete_api_key(work: Work, api_key_id: ApiKeyId) -> None:
    """Stop a key for good."""
    row = await queries.get_api_key(work, api_key_id, lock=True)
    await work.session.delete(row)
    await _changed(work, row)


async def _changed(work: Work, row: ApiKey) -> ApiKey:
    await work.emit(ApiKeyChanged(UserId(row.user_id), ApiKeyId(row.id)))
    return row


def _may_set_limit(work: Work, limit: int | None) -> None:
    if limit is not None and not work.actor.is_admin:
        raise LimitNotYours()


def _unique(scopes: list[str]) -> Json:
    return list[Json](sorted(set(scopes)))
