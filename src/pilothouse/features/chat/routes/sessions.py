"""Sessions: listing, making, reading, naming, deleting."""

from typing import Annotated, Literal

from fastapi import Query, Request, Response

from pilothouse.base.http import CurrentActor, PathId, Router, Writes, problems, scope
from pilothouse.features.agents import AgentNotFound
from pilothouse.features.chat import queries
from pilothouse.features.chat.errors import SessionNotFound
from pilothouse.features.chat.export import as_json, as_markdown
from pilothouse.features.chat.present import session_json
from pilothouse.features.chat.queries import ListAsk
from pilothouse.features.chat.routes import turns
from pilothouse.features.chat.routes.parts import Content, Responses, chat_of, conversations_of, json_of, nothing
from pilothouse.features.chat.schemas import (
    PinnedIn,
    SeenIn,
    SessionDetail,
    SessionIn,
    SessionList,
    SessionMade,
    TitleIn,
)
from pilothouse.features.chat.writes.sessions import NewSession

MARKDOWN = "text/markdown"
_ENDINGS = {"markdown": "md", "json": "json"}
Flag = Annotated[bool, Query()]


async def list_chat_sessions(
    request: Request,
    actor: CurrentActor,
    limit: Annotated[int, Query(ge=1, le=100)] = 50,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
    q: Annotated[str | None, Query(max_length=200)] = None,
    pinned_first: Flag = False,
    include_sub: Flag = False,
) -> Response:
    """The caller's sessions, newest first. `q` looks for a text in titles and in what was said."""
    ask = ListAsk(limit, offset, q, pinned_first, include_sub)
    found, total = await queries.list_sessions(chat_of(request).reader, actor, ask)
    return json_of({"sessions": [session_json(view) for view in found], "total": total})


async def create_chat_session(request: Request, work: Writes, body: SessionIn | None = None) -> Response:
    """Make a session. One that is bound to an agent (`builder_graph_id`) exists once; asking again answers it."""
    ask = body or SessionIn()
    origin = "api" if work.actor.key_id is not None else "web"
    new = NewSession(dry_run=ask.dry_run, builder_graph_id=ask.builder_graph_id, origin=origin)
    made = session_json(await chat_of(request).create_session_in(work, new))
    return json_of({name: made[name] for name in ("id", "created_at", "user_id", "metadata")}, 201)


async def get_chat_session(
    chat_id: PathId,
    request: Request,
    actor: CurrentActor,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    before: Annotated[int | None, Query(ge=1, le=2**53)] = None,
) -> Response:
    """A session and its last messages; `before` an event id, the ones before it."""
    return json_of(await conversations_of(request).get_session(actor, chat_id, limit, before))


async def export_chat_session(
    chat_id: PathId,
    request: Request,
    actor: CurrentActor,
    format: Annotated[Literal["markdown", "json"], Query()] = "markdown",
) -> Response:
    """The whole conversation as a file: what the page shows, and nothing else."""
    view, messages = await conversations_of(request).export(actor, chat_id)
    made = json_of(as_json(view, messages))
    if format == "markdown":
        made = Response(as_markdown(view, messages), media_type=MARKDOWN)
    made.headers["content-disposition"] = f'attachment; filename="chat-{view.id}.{_ENDINGS[format]}"'
    return made


async def set_chat_session_title(chat_id: PathId, body: TitleIn, request: Request, actor: CurrentActor) -> Response:
    """Name a session."""
    await chat_of(request).set_title(actor, chat_id, body.title)
    return nothing()


async def set_chat_session_pinned(chat_id: PathId, body: PinnedIn, request: Request, actor: CurrentActor) -> Response:
    """Pin a session, or unpin it."""
    await chat_of(request).set_pinned(actor, chat_id, body.pinned)
    return nothing()


async def mark_chat_session_seen(chat_id: PathId, body: SeenIn, request: Request, actor: CurrentActor) -> Response:
    """The user has seen everything up to an event: the session is no longer unread."""
    await chat_of(request).mark_seen(actor, chat_id, body.event_id)
    return nothing()


async def delete_chat_session(chat_id: PathId, request: Request, actor: CurrentActor) -> Response:
    """Cancel what runs in a session, and forget it. Agents, runs and files stay."""
    await chat_of(request).delete_session(actor, chat_id)
    return nothing()


_FILE: Content = {MARKDOWN: {"schema": {"type": "string"}}, "application/json": {"schema": {"type": "object"}}}
_EXPORT: Responses = {
    200: {"description": "The conversation.", "content": _FILE},
    **problems(SessionNotFound),
}


def routers() -> list[Router]:
    """The same functions for people (`/api`) and for programs (`/api/v1`)."""
    return [_router("/api/chat/sessions"), _router("/api/v1/chat/sessions")]


def _router(prefix: str) -> Router:
    router = Router(prefix, tags=["chat"])
    use, absent = scope("chat:use"), problems(SessionNotFound)
    router.get("", response_model=SessionList)(use(list_chat_sessions))
    router.post("", response_model=SessionMade, status_code=201, responses=problems(AgentNotFound))(
        use(create_chat_session)
    )
    router.get("/{chat_id}", response_model=SessionDetail, responses=absent)(use(get_chat_session))
    router.get("/{chat_id}/export", response_model=None, responses=_EXPORT)(use(export_chat_session))
    router.patch("/{chat_id}/title", status_code=204, responses=absent)(use(set_chat_session_title))
    router.patch("/{chat_id}/pinned", status_code=204, responses=absent)(use(set_chat_session_pinned))
    router.patch("/{chat_id}/seen", status_code=204, responses=absent)(use(mark_chat_session_seen))
    router.delete("/{chat_id}", status_code=204, responses=absent)(use(delete_chat_session))
    turns.add_routes(router)
    return router
