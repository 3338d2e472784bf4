"""Previews of files: the beginning of a text. Other kinds have none. Pure."""

from typing import Final

from pilothouse.features.files.cabinet import KeptFile
from pilothouse.features.files.errors import NoPreview

SHOWN: Final = 64 * 1024
_TEXTS: Final = (
    "text/",
    "application/json",
    "application/xml",
    "application/yaml",
    "application/toml",
    "image/svg+xml",
)


def check_previewable(file: KeptFile) -> None:
    """Raises `NoPreview` for what is no text, or is not what it says it is."""
    if file.type_mismatch or not file.mime_type.startswith(_TEXTS):
        raise NoPreview


def text_preview(head: bytes) -> str:
    """What the first bytes say; a character that their end cuts off is left out."""
    return head[:SHOWN].decode("utf-8-sig", errors="ignore")
