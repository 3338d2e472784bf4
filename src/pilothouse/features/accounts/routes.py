"""Accounts by HTTP: set-up, signing in and out, oneself, API keys."""

from collections.abc import Awaitable, Callable
from typing import Annotated, TypeAlias

from fastapi import Depends, Request, Response

from pilothouse.base.http import (
    CurrentActor,
    CurrentVisit,
    Page,
    Paging,
    PathId,
    Reader,
    Router,
    Writes,
    problems,
    public,
    scope,
    setup,
    user,
)
from pilothouse.base.http.addresses import client_address
from pilothouse.base.http.gate import Gate, csrf_token
from pilothouse.features.accounts import queries, service
from pilothouse.features.accounts.errors import (
    ApiKeyNotFound,
    LimitNotYours,
    PasswordWrong,
    SessionNotFound,
    SetupDone,
    SetupLinkExpired,
    SignInRefused,
)
from pilothouse.features.accounts.models import ApiKey, LoginSession, User
from pilothouse.features.accounts.reception import Reception
from pilothouse.features.accounts.schemas import (
    ApiKeyIn,
    ApiKeyOut,
    ApiKeyPatch,
    KeyHolderOut,
    MeOut,
    NewApiKeyOut,
    OwnerIn,
    PasswordIn,
    SessionOut,
    SessionsOut,
    SetupStatus,
    SignInIn,
    UserOut,
    UserPatch,
)
from pilothouse.features.accounts.service import SignedIn
from pilothouse.kit.errors import RateLimited
from pilothouse.kit.ids import ApiKeyId

router = Router("/api", tags=["accounts"])


async def _reception(request: Request) -> Reception:
    identity = request.app.state.gate.identity
    assert isinstance(identity, Reception)
    return identity


Desk = Annotated[Reception, Depends(_reception)]
Flags: TypeAlias = Callable[[], Awaitable[dict[str, bool]]]  # what `app` wants every page to know


def _caller(request: Request) -> tuple[str, str]:
    """The address, for throttles, and the device's own description, for the list of sessions."""
    gate: Gate = request.app.state.gate
    return client_address(request.scope, gate.proxies), request.headers.get("user-agent", "")[:200]


async def _welcome(request: Request, response: Response, desk: Reception, signed_in: SignedIn) -> MeOut:
    gate: Gate = request.app.state.gate
    response.headers.append("set-cookie", gate.site.cookie(signed_in.token))
    return await _me(request, signed_in.user, csrf_token(desk.keyring, signed_in.token))


async def _me(request: Request, who: User, token: str) -> MeOut:
    shown = UserOut.model_validate(who)
    flags: Flags | None = getattr(request.app.state, "flags", None)
    known = {} if flags is None else await flags()
    return MeOut(user=shown, role=shown.role, csrf_token=token, flags=known)


@router.get("/setup/status")
@setup
async def get_setup_status(request: Request, desk: Desk) -> SetupStatus:
    gate: Gate = request.app.state.gate
    return SetupStatus(needs_owner=not await desk.has_owner(), signed_in=await gate.recognises(request.scope))


@router.post("/setup/owner", status_code=201, responses=problems(SetupDone, SetupLinkExpired, RateLimited))
@setup
async def create_owner(ask: OwnerIn, request: Request, response: Response, desk: Desk) -> MeOut:
    address, device = _caller(request)
    signed_in = await service.create_owner(desk, ask, address=address, device=device)
    return await _welcome(request, response, desk, signed_in)


@router.post("/auth/login", responses=problems(SignInRefused, RateLimited))
@public
async def login(ask: SignInIn, request: Request, response: Response, desk: Desk) -> MeOut:
    address, device = _caller(request)
    gate: Gate = request.app.state.gate
    old_token = request.cookies.get(gate.site.cookie_name)
    signed_in = await service.login(desk, ask, address=address, device=device, old_token=old_token)
    return await _welcome(request, response, desk, signed_in)


@router.post("/auth/logout", status_code=204)
@user
async def logout(request: Request, response: Response, visit: CurrentVisit, work: Writes) -> None:
    await service.logout(work, visit)
    gate: Gate = request.app.state.gate
    response.headers.append("set-cookie", gate.site.cookie("", seconds=0))


@router.get("/auth/me")
@user
async def get_current_session(request: Request, visit: CurrentVisit, read: Reader) -> MeOut:
    return await _me(request, await queries.get_user(read, read.actor.user_id), visit.csrf_token)


@router.post("/auth/password", responses=problems(PasswordWrong, RateLimited))
@user
async def change_password(
    ask: PasswordIn, request: Request, response: Response, visit: CurrentVisit, desk: Desk
) -> MeOut:
    signed_in = await service.change_password(desk, visit, ask)
    return await _welcome(request, response, desk, signed_in)


@router.get("/auth/sessions")
@user
async def list_sessions(visit: CurrentVisit, read: Reader) -> SessionsOut:
    return SessionsOut(items=[_session(row, visit.session_id) for row in await queries.list_sessions(read)])


def _session(row: LoginSession, current_id: str) -> SessionOut:
    return SessionOut(
        id=row.id,
        device=row.device,
        created_at=row.created_at,
        seen_at=row.seen_at,
        expires_at=row.expires_at,
        current=row.id == current_id,
    )


@router.delete("/auth/sessions/{session_id}", status_code=204, responses=problems(SessionNotFound))
@user
async def delete_session(session_id: PathId, work: Writes) -> None:
    await service.delete_session(work, session_id)


@router.get("/me", response_model=UserOut)
@user
async def get_me(read: Reader) -> User:
    return await queries.get_user(read, read.actor.user_id)


@router.patch("/me", response_model=UserOut)
@user
async def patch_me(patch: UserPatch, work: Writes) -> User:
    return await service.patch_me(work, patch)


@router.get("/v1/me")
@scope("identity")
async def get_key_holder(actor: CurrentActor, read: Reader) -> KeyHolderOut:
    who = await queries.get_user(read, actor.user_id)
    scopes = sorted(actor.scopes or ())
    return KeyHolderOut.model_validate(
        {"id": who.id, "name": who.name, "role": who.role, "scopes": scopes, "api_key_id": actor.key_id}
    )


@router.get("/api-keys")
@user
async def list_api_keys(read: Reader, paging: Paging) -> Page[ApiKeyOut]:
    after = None if paging.after is None else str(paging.after)
    rows, cursor = paging.page(await queries.list_api_keys(read, limit=paging.fetch, after=after), lambda row: row.id)
    return Page(items=[ApiKeyOut.model_validate(row) for row in rows], next_cursor=cursor)


@router.post("/api-keys", status_code=201, responses=problems(LimitNotYours))
@user
async def create_api_key(ask: ApiKeyIn, work: Writes) -> NewApiKeyOut:
    made = await service.create_api_key(work, ask)
    return NewApiKeyOut(**ApiKeyOut.model_validate(made.row).model_dump(), key=made.key)


@router.get("/api-keys/{api_key_id}", response_model=ApiKeyOut, responses=problems(ApiKeyNotFound))
@user
async def get_api_key(api_key_id: PathId, read: Reader) -> ApiKey:
    return await queries.get_api_key(read, ApiKeyId(api_key_id))


@router.patch("/api-keys/{api_key_id}", response_model=ApiKeyOut, responses=problems(ApiKeyNotFound, LimitNotYours))
@user
async def patch_api_key(api_key_id: PathId, patch: ApiKeyPatch, work: Writes) -> ApiKey:
    return await service.patch_api_key(work, ApiKeyId(api_key_id), patch)


@router.delete("/api-keys/{api_key_id}", status_code=204, responses=problems(ApiKeyNotFound))
@user
async def delete_api_key(api_key_id: PathId, work: Writes) -> None:
    await service.delete_api_key(work, ApiKeyId(api_key_id))


@router.post("/api-keys/{api_key_id}/suspend", response_model=ApiKeyOut, responses=problems(ApiKeyNotFound))
@user
async def suspend_api_key(api_key_id: PathId, work: Writes) -> ApiKey:
    return await service.suspend_api_key(work, ApiKeyId(api_key_id))


@router.post("/api-keys/{api_key_id}/resume", response_model=ApiKeyOut, responses=problems(ApiKeyNotFound))
@user
async def resume_api_key(api_key_id: PathId, work: Writes) -> ApiKey:
    return await service.resume_api_key(work, ApiKeyId(api_key_id))
