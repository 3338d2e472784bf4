"""What every route of chat needs."""

from typing import Any, TypeAlias

from fastapi import Request, Response

from pilothouse.features.chat.reading import Conversations
from pilothouse.features.chat.service import Chat
from pilothouse.kit.json import JsonObject, dump_bytes


def chat_of(request: Request) -> Chat:
    return request.app.state.chat


def conversations_of(request: Request) -> Conversations:
    return request.app.state.conversations


def json_of(body: JsonObject, status: int = 200) -> Response:
    return Response(dump_bytes(body), status, media_type="application/json")


NOTHING = 204
Content: TypeAlias = dict[str, Any]  # as FastAPI wants a response described
Responses: TypeAlias = dict[int | str, Content]


def nothing() -> Response:
    return Response(status_code=NOTHING)
