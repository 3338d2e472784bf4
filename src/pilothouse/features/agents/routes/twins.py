"""What the routes of this slice share."""

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import Depends, Request

from pilothouse.base.http import Router
from pilothouse.graph.catalogue import Catalogue


class TwinRouter(Router):
    """`TwinRouter("/agents")` puts each route under `/api/agents` and, for API keys, `/api/v1/agents`."""

    def __init__(self, path: str, *, tags: list[str]) -> None:
        super().__init__(tags=tags)
        self._path = path

    def add_api_route(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        for door in ("/api", "/api/v1"):
            super().add_api_route(f"{door}{self._path}{path}", endpoint, **options)


async def _catalogue(request: Request) -> Catalogue:
    return request.app.state.catalogue


Installed = Annotated[Catalogue, Depends(_catalogue)]
