"""Serves the built web app: hashed assets for ever, its one page for every other path."""

import mimetypes
from dataclasses import dataclass
from pathlib import Path

from fastapi import Response

from pilothouse.base.http import Router, setup
from pilothouse.kit.errors import NotFound

HERE = Path(__file__).resolve().parent
PLACES = (HERE.parent / "web", HERE.parents[2] / "web" / "dist")  # in a wheel; in a checkout
MISSING = b"<!doctype html><title>Pilothouse</title><p>The web app is not built here. Run <code>make web</code>."


@dataclass(frozen=True, slots=True)
class Asset:
    """A file of the build."""

    content: bytes
    media_type: str


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
    async def get_web_app(path: str) -> Response:
        if path.startswith(("api/", "health/")):
            raise NotFound
        if asset := build.get(path):
            lasting = path.startswith("assets/")
            headers = {"Cache-Control": "public, max-age=31536000, immutable"} if lasting else {}
            return Response(asset.content, headers=headers, media_type=asset.media_type)
        if "." in path.rpartition("/")[2]:
            raise NotFound
        page = build["index.html"]
        return Response(page.content, media_type=page.media_type)

    return router
