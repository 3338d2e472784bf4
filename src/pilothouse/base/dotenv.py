"""Reads `.env` files: `NAME=value` lines, as shells and compose files write them."""

import re

_LINE = re.compile(r"\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*")
_DOUBLE = re.compile(r'"((?:[^"\\]|\\.)*)"\s*(?:#.*)?')
_SINGLE = re.compile(r"'([^']*)'\s*(?:#.*)?")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


def parse_dotenv(text: str) -> dict[str, str]:
    """The variables; lines that are not assignments are passed over. Nothing is expanded."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        if not line.lstrip().startswith("#") and (match := _LINE.fullmatch(line)):
            found[match[1]] = _value(match[2])
    return found


def _value(raw: str) -> str:
    if quoted := _SINGLE.fullmatch(raw):
        return quoted[1]
    if quoted := _DOUBLE.fullmatch(raw):
        return re.sub(r"\\(.)", lambda escape: _ESCAPES.get(escape[1], escape[1]), quoted[1])
    return re.split(r"(?:^|\s)#", raw, maxsplit=1)[0].rstrip()
