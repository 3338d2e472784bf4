"""How values name files: `workspace://<id>` and `workspace:///<path>`, and perhaps `#type` for the eye. Pure."""

import re
from typing import Final
from urllib.parse import unquote

from pilothouse.features.files.errors import PathInvalid, ReferenceInvalid
from pilothouse.features.files.paths import Place, checked_place
from pilothouse.kit.ids import is_id

SCHEME: Final = "workspace://"
_ESCAPE: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")
_SHOWN: Final = 200


def read_reference(text: str) -> str | Place:
    """The id or the path that a reference names. Raises `ReferenceInvalid`, which names it."""
    name = text.removeprefix(SCHEME).partition("#")[0]
    if not text.startswith(SCHEME) or not name:
        raise unusable(text)
    if is_id(name):
        return name
    if not name.startswith("/") or _ESCAPE.search(name):
        raise unusable(text)
    try:
        return checked_place(unquote(name, errors="strict"))
    except (PathInvalid, UnicodeDecodeError):
        raise unusable(text) from None


def unusable(text: str) -> ReferenceInvalid:
    """Unknown, deleted, another's and misspelled are alike."""
    shown = text[:_SHOWN].encode(errors="replace").decode()
    return ReferenceInvalid(f"'{shown}' refers to no file that can be used.", reference=shown)
