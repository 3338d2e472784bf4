"""What a file is, by what is in it. Its name and its sender may only agree. Pure."""

import re
from typing import Final, NamedTuple

UNKNOWN: Final = "application/octet-stream"
HEAD: Final = 4096  # bytes that are looked at

_BY_ENDING: Final = {
    **{"png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp"},
    **{"avif": "image/avif", "bmp": "image/bmp", "tif": "image/tiff", "tiff": "image/tiff", "ico": "image/x-icon"},
    **{"svg": "image/svg+xml", "mp4": "video/mp4", "m4v": "video/mp4", "mov": "video/quicktime", "webm": "video/webm"},
    **{"ogv": "video/ogg", "ogg": "audio/ogg", "oga": "audio/ogg", "mp3": "audio/mpeg", "wav": "audio/wav"},
    **{"flac": "audio/flac", "m4a": "audio/mp4", "pdf": "application/pdf", "zip": "application/zip"},
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    **{"odt": "application/vnd.oasis.opendocument.text", "ods": "application/vnd.oasis.opendocument.spreadsheet"},
    **{"epub": "application/epub+zip", "doc": "application/msword", "xls": "application/vnd.ms-excel"},
    **{"ppt": "application/vnd.ms-powerpoint", "gz": "application/gzip"},
    **{"txt": "text/plain", "log": "text/plain", "md": "text/markdown", "markdown": "text/markdown"},
    **{"csv": "text/csv", "tsv": "text/tab-separated-values", "json": "application/json", "html": "text/html"},
    **{"htm": "text/html", "xhtml": "application/xhtml+xml", "xml": "application/xml", "css": "text/css"},
    **{"js": "text/javascript", "mjs": "text/javascript", "yaml": "application/yaml", "yml": "application/yaml"},
    **{"toml": "application/toml", "py": "text/x-python", "ics": "text/calendar", "rtf": "application/rtf"},
}
_ALIASES: Final = {
    **{"image/jpg": "image/jpeg", "image/pjpeg": "image/jpeg", "audio/mp3": "audio/mpeg", "audio/x-wav": "audio/wav"},
    **{"audio/wave": "audio/wav", "application/x-zip-compressed": "application/zip", "text/json": "application/json"},
    **{"application/ogg": "audio/ogg", "image/vnd.microsoft.icon": "image/x-icon", "text/xml": "application/xml"},
    **{"application/javascript": "text/javascript", "text/x-markdown": "text/markdown", "audio/x-m4a": "audio/mp4"},
    **{"text/yaml": "application/yaml", "application/x-yaml": "application/yaml", "text/x-yaml": "application/yaml"},
}
_MAGIC: Final = (
    (re.compile(rb"\x89PNG\r\n\x1a\n"), "image/png"),
    (re.compile(rb"\xff\xd8\xff"), "image/jpeg"),
    (re.compile(rb"GIF8[79]a"), "image/gif"),
    (re.compile(rb"RIFF....WEBP", re.DOTALL), "image/webp"),
    (re.compile(rb"RIFF....WAVE", re.DOTALL), "audio/wav"),
    (re.compile(rb"....ftypavi[fs]", re.DOTALL), "image/avif"),
    (re.compile(rb"....ftypqt  ", re.DOTALL), "video/quicktime"),
    (re.compile(rb"....ftypM4A ", re.DOTALL), "audio/mp4"),
    (re.compile(rb"....ftyp", re.DOTALL), "video/mp4"),
    (re.compile(rb"\x1aE\xdf\xa3"), "video/webm"),
    (re.compile(rb"OggS"), "audio/ogg"),
    (re.compile(rb"ID3|\xff[\xe2\xe3\xf2\xf3\xfa\xfb]"), "audio/mpeg"),
    (re.compile(rb"fLaC"), "audio/flac"),
    (re.compile(rb"%PDF-"), "application/pdf"),
    (re.compile(rb"PK(\x03\x04|\x05\x06|\x07\x08)"), "application/zip"),
    (re.compile(rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), "application/msword"),
    (re.compile(rb"\x1f\x8b"), "application/gzip"),
    (re.compile(rb"BM.{4}\0{4}", re.DOTALL), "image/bmp"),
    (re.compile(rb"II\*\0|MM\0\*"), "image/tiff"),
    (re.compile(rb"\0\0\x01\0"), "image/x-icon"),
)
# One magic, many types: a claim to any of these agrees with it.
_KIN: Final = {
    "application/zip": ("application/vnd.openxmlformats", "application/vnd.oasis", "application/epub"),
    "application/msword": ("application/vnd.ms-",),
    "audio/ogg": ("video/ogg",),
    "video/mp4": ("audio/mp4", "video/quicktime"),
    "video/webm": ("audio/webm", "video/x-matroska"),
}
_PROVEN_BY_MAGIC: Final = ("image/", "audio/", "video/", "application/pdf", "application/zip", "application/gzip")
_OFFICE: Final = (
    "application/vnd.openxmlformats",
    "application/vnd.oasis",
    "application/vnd.ms-",
    "application/msword",
)
_SVG: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:\?xml|!--|!DOCTYPE svg|svg)", re.IGNORECASE)
_TYPE: Final = re.compile(r"[a-z0-9][a-z0-9.+-]{0,60}/[a-z0-9][a-z0-9.+-]{0,120}")


class MediaType(NamedTuple):
    """What a file is taken for. `mismatch`: what it holds, is called or was said to be do not fit together."""

    name: str
    mismatch: bool = False


def media_type(head: bytes, name: str, declared: str | None = None) -> MediaType:
    """By the first bytes, then by the name, then by what the sender said."""
    found, claims = _magic(head), _claims(name, declared)
    if found is not None:
        if not all(_agrees(claim, found) for claim in claims):
            return MediaType(UNKNOWN, mismatch=True)
        return MediaType(claims[0] if claims else found)
    if any(_needs_magic(claim) and not _is_svg(claim, head) for claim in claims):
        return MediaType(UNKNOWN, mismatch=True)
    if not _is_text(head):
        return MediaType(UNKNOWN)
    return MediaType(claims[0] if claims else "text/plain")


def type_by_name(name: str) -> str | None:
    """What a file of this name claims to be."""
    return _BY_ENDING.get(name.rpartition(".")[2].lower()) if "." in name else None


def _claims(name: str, declared: str | None) -> list[str]:
    """The name's claim first. Types that every client sends when it does not know claim nothing."""
    said = (declared or "").partition(";")[0].strip().lower()
    said = _ALIASES.get(said, said)
    named = type_by_name(name)
    if not _TYPE.fullmatch(said) or said in {UNKNOWN, "multipart/form-data", "application/x-www-form-urlencoded"}:
        said = ""
    if said == "text/plain" and named is not None and not _needs_magic(named):
        said = ""
    return [claim for claim in (named, said) if claim]


def _magic(head: bytes) -> str | None:
    return next((kind for magic, kind in _MAGIC if magic.match(head)), None)


def _agrees(claim: str, found: str) -> bool:
    return claim == found or claim.startswith(_KIN.get(found, ("\0",)))


def _needs_magic(claim: str) -> bool:
    return claim.startswith((*_PROVEN_BY_MAGIC, *_OFFICE))


def _is_svg(claim: str, head: bytes) -> bool:
    return claim == "image/svg+xml" and _SVG.match(head) is not None


def _is_text(head: bytes) -> bool:
    """A character cut off by the end of the head is no fault."""
    if b"\0" in head:
        return False
    for cut in range(4 if len(head) >= HEAD else 1):
        try:
            head[: len(head) - cut].decode()
        except UnicodeDecodeError:
            continue
        return True
    return False
