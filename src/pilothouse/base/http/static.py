"""The web app's files: hashed ones for ever, the page itself never from a cache."""

import re
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from pilothouse.base.http.policy import Policy, setup

_HASHED = re.compile(r"assets/.+-[A-Za-z0-9_-]{8,}\.\w+$")
_OURS = ("api", "health", "metrics")


class WebApp(StaticFiles):
    """Mount last, at `/`: `app.mount("/", WebApp(folder))`. Any path that is no file is a page of the app."""

    policy: Policy = setup

    def __init__(self, folder: Path) -> None:
        super().__init__(directory=folder, html=False, check_dir=True)

    async def get_response(self, path: str, scope: Scope) -> Response:
        first = path.split("/", 1)[0]
        if first in _OURS or (first == "assets" and not _HASHED.match(path)):
            raise HTTPException(404)
        if _HASHED.match(path):
            response = await super().get_response(path, scope)
            response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
            return response
        if "." in path.rsplit("/", 1)[-1] and path != ".":
            return await super().get_response(path, scope)
        return await super().get_response("index.html", scope)
