"""Paths of a workspace: what may be one, and whose it is. Pure.

A path is data. It is a column, never a place on a disk: what a file holds is stored under an id of ours.
"""

import unicodedata
from typing import Final, Literal, NamedTuple, TypeAlias

from pilothouse.features.files.errors import PathInvalid
from pilothouse.kit.ids import is_id

MAX_PATH: Final = 1024
MAX_SEGMENT: Final = 255
MAX_FOLDERS: Final = 10

Scope: TypeAlias = Literal["user", "session", "run"]
_SCOPES: Final[dict[str, Scope]] = {"sessions": "session", "runs": "run"}


class Place(NamedTuple):
    """A path that may be one."""

    path: str
    folder: str  # `/` or `/a/b`
    name: str
    scope: Scope
    scope_id: str | None


def checked_place(text: str, within: str | None = None) -> Place:
    """The place of a file; a path that does not begin with `/` is one in the folder `within`, if there is one.

    Raises `PathInvalid`.
    """
    whole = text if text.startswith("/") or within is None else f"{within}/{text}"
    parts = checked_parts(whole)
    if not parts:
        raise PathInvalid
    scope = _SCOPES.get(parts[0], "user")
    if scope != "user" and (len(parts) < 3 or not is_id(parts[1])):
        raise PathInvalid(f"`/{parts[0]}/` holds a folder for each, named by its id.")
    scope_id = None if scope == "user" else parts[1]
    return Place("/" + "/".join(parts), "/" + "/".join(parts[:-1]), parts[-1], scope, scope_id)


def checked_parts(text: str) -> list[str]:
    """The parts of an absolute path, spelled in one way only; none for `/`. Raises `PathInvalid`."""
    whole = unicodedata.normalize("NFC", text)
    if not whole.startswith("/") or _size(whole) > MAX_PATH:
        raise PathInvalid
    parts = whole[1:].split("/") if whole != "/" else []
    if len(parts) > MAX_FOLDERS + 1:
        raise PathInvalid(f"Folders may lie {MAX_FOLDERS} deep.")
    if not all(_is_segment(part) for part in parts):
        raise PathInvalid
    return parts


def run_folder(run_id: str) -> str:
    return f"/runs/{run_id}"


def session_folder(session_id: str) -> str:
    return f"/sessions/{session_id}"


def spare_place(place: Place, file_id: str) -> Place:
    """Beside a path that somebody else took meanwhile."""
    stem, dot, ending = place.name.rpartition(".")
    mark = file_id[-8:]
    name = f"{stem[:80]}-{mark}{dot}{ending}" if stem else f"{place.name[:80]}-{mark}"
    name = name if _size(name) <= MAX_SEGMENT else mark
    return place._replace(path=f"{place.folder.rstrip('/')}/{name}", name=name)


def _is_segment(part: str) -> bool:
    return (
        part not in {"", ".", ".."}
        and 0 <= _size(part) <= MAX_SEGMENT
        and not any(character == "\\" or unicodedata.category(character) == "Cc" for character in part)
    )


def _size(text: str) -> int:
    """In bytes. Raises `PathInvalid` for halves of characters, which no path can hold."""
    try:
        return len(text.encode())
    except UnicodeEncodeError as error:
        raise PathInvalid from error
