"""What a download says of itself, whatever the file is called. Pure."""

import unicodedata
from typing import Final
from urllib.parse import quote

# Types that a browser may show on our origin: they cannot run anything. All others are saved.
_AS_THEY_ARE: Final = frozenset(
    {
        *("image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"),
        *("video/mp4", "video/webm", "video/ogg", "audio/ogg", "audio/mpeg", "audio/wav", "application/pdf"),
    }
)
_AS_TEXT: Final = frozenset({"text/plain", "text/csv", "text/markdown", "application/json"})
_PLAIN: Final = "text/plain; charset=utf-8"
_BIDI: Final = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def shown_type(mime_type: str) -> str | None:
    """The type under which a browser may show this; None when it is to be saved."""
    if mime_type in _AS_TEXT:
        return _PLAIN
    return mime_type if mime_type in _AS_THEY_ARE else None


def disposition(name: str, *, inline: bool) -> str:
    """A header that no name can break out of."""
    how = "inline" if inline else "attachment"
    clean = "".join(character for character in name if not _is_hidden(character))
    if clean.isascii():
        escaped = clean.replace("\\", "\\\\").replace('"', '\\"')
        return f'{how}; filename="{escaped}"'
    return f"{how}; filename*=UTF-8''{quote(clean.encode(errors='replace'), safe='')}"


def _is_hidden(character: str) -> bool:
    return character in _BIDI or unicodedata.category(character) in {"Cc", "Zl", "Zp"}
