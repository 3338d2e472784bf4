"""Forms that hold files, as they are sent. Pure."""

import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Final, NamedTuple

from pilothouse.kit.json import Json, dumps

_ODD: Final = re.compile(r'["\x00-\x1f\x7f]')
_TYPE: Final = re.compile(r"[\w.+-]+/[\w.+-]+")


class Part(NamedTuple):
    """A file of a form."""

    field: str
    name: str
    mime_type: str
    content: bytes


def form_data(fields: Mapping[str, Json], parts: Sequence[Part], seed: str) -> tuple[dict[str, str], bytes]:
    """The header that names the divider, and the body. Equal asks give equal bytes, so that a repeat can be told."""
    divider = f"pilothouse-{sha256(seed.encode()).hexdigest()[:40]}"
    pieces: list[bytes] = []
    for name, value in fields.items():
        if value is not None:
            text = value if isinstance(value, str) else dumps(value)
            pieces.append(_piece(f'name="{_quoted(name)}"', "", text.encode(errors="replace")))
    for part in parts:
        kind = part.mime_type if _TYPE.fullmatch(part.mime_type) else "application/octet-stream"
        names = f'name="{_quoted(part.field)}"; filename="{_quoted(part.name)}"'
        pieces.append(_piece(names, f"Content-Type: {kind}\r\n", part.content))
    body = b"".join(f"--{divider}\r\n".encode() + piece for piece in pieces) + f"--{divider}--\r\n".encode()
    return {"Content-Type": f"multipart/form-data; boundary={divider}"}, body


def _piece(names: str, more: str, content: bytes) -> bytes:
    head = f"Content-Disposition: form-data; {names}\r\n{more}\r\n"
    return head.encode(errors="replace") + content + b"\r\n"


def _quoted(name: str) -> str:
    """As browsers do: what could end the header is written as a number."""
    return _ODD.sub(lambda found: f"%{ord(found[0]):02X}", name)
