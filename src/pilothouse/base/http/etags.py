"""Versions on the wire: which one the caller saw, and what happens when it is not the present one."""

import re
from dataclasses import dataclass

from fastapi import Request, Response

from pilothouse.base.http.errors import PreconditionRequired, VersionConflict, VersionStale
from pilothouse.kit.errors import Invalid
from pilothouse.kit.json import Json

_TAG = re.compile(r'(?:W/)?"v([0-9]{1,18})"')


@dataclass(frozen=True, slots=True)
class Seen:
    """The version that a caller changed. `version` None stands for `If-Match: *`, any version."""

    version: int | None
    by_header: bool

    def require(self, current: int, *, diff: Json = None) -> None:
        """Raises 412 for a stale header, 409 for a stale body."""
        if self.version is None or self.version == current:
            return
        stale = VersionStale if self.by_header else VersionConflict
        raise stale(current_version=current, diff=diff, hint="Read it again and repeat the change.")


def etag(version: int) -> str:
    return f'"v{version}"'


def seen_version(request: Request, base_version: int | None = None) -> Seen:
    """From `If-Match`, else from the body's `base_version`; raises `PreconditionRequired` with neither."""
    header = request.headers.get("if-match")
    if header is not None:
        return Seen(_version_in(header), by_header=True)
    if base_version is None:
        raise PreconditionRequired()
    return Seen(base_version, by_header=False)


def _version_in(header: str) -> int | None:
    if header.strip() == "*":
        return None
    found = _TAG.fullmatch(header.strip())
    if found is None:
        raise Invalid('If-Match must be "v<version>".')
    return int(found.group(1))


def unchanged(request: Request, version: int) -> Response | None:
    """The 304 for a reader whose `If-None-Match` names this version."""
    header = request.headers.get("if-none-match", "")
    tags = {found.group(1) for found in _TAG.finditer(header)}
    if str(version) in tags or header.strip() == "*":
        return Response(status_code=304, headers={"ETag": etag(version)})
    return None
