"""Serves the built web app: hashed assets for ever, its one page for every other path."""

import gzip
import mimetypes
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from fastapi import Request, Response

from pilothouse.base.http import Router, setup
from pilothouse.kit.errors import NotFound

HERE = Path(__file__).resolve().parent
PLACES = (HERE.parent / "web", HERE.parents[2] / "web" / "dist")  # in a wheel; in a checkout
FOR_EVER = "public, max-age=31536000, immutable"
MISSING = b"<!doctype html><title>Pilothouse</title><p>The web app is not built here. Run <code>make web</code>."


@dataclass(frozen=True)
class Asset:
    """A file of the build."""

    content: bytes
    media_type: str

    @cached_property
    def zipped(self) -> bytes | None:
        """The same, smaller, made when it is first asked for; nothing when it would not be smaller."""
        smaller = gzip.compress(self.content, 6, mtime=0)
        return smaller if len(smaller) < len(self.content) else None


def read_build() -> dict[str, Asset]:
    """All files of the build by path; they are few and small, so they are kept in memory."""
    root = next((place for place in PLACES if (place / "index.html").is_file()), None)
    if root is None:
        return {"index.html": Asset(MISSING, "text/html")}
    return {
        path.relative_to(root).as_posix(): Asset(path.read_bytes(), _type_of(path.name))
        for path in root.rglob("*")
        if path.is_file()
    }


def _type_of(name: str) -> str:
    return mimetypes.guess_type(name)[0] or "application/octet-stream"


def web_routes() -> Router:
    """To be added last: it takes every GET that nothing else took."""
    router = Router()
    build = read_build()

    @router.get("/{path:path}", include_in_schema=False)
    @setup
    async def get_web_app(path: str, request: Request) -> Response:
        if path.startswith(("api/", "health/")):
            raise NotFound
        if asset := build.get(path):
            return _answer(asset, request, {"Cache-Control": FOR_EVER} if path.startswith("assets/") else {})
        if "." in path.rpartition("/")[2]:
            raise NotFound
        return _answer(build["index.html"], request, {})

    return router


def _answer(asset: Asset, request: Request, headers: dict[str, str]) -> Response:
    headers["Vary"] = "Accept-Encoding"
    if "gzip" in request.headers.get("accept-encoding", "") and (zipped := asset.zipped) is not None:
        return Response(zipped, headers=headers | {"Content-Encoding": "gzip"}, media_type=asset.media_type)
    return Response(asset.content, headers=headers, media_type=asset.media_type)
