"""Names inside a zip: such as every system can unpack, and no two alike. Pure."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from typing import Final

MAX_NAME: Final = 200  # bytes
SKIPPED: Final = "SKIPPED.txt"
LINKS: Final = "LINKS.txt"

_ODD: Final = re.compile(r'[<>:"|?*]')
_DEVICE: Final = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)", re.IGNORECASE)  # what Windows takes for a device
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})  # also signs that turn the direction of reading


def entry_name(told: str) -> str:
    """The last part of a path, without what could lead elsewhere or break a file system."""
    last = re.split(r"[/\\]", told)[-1]
    seen = "".join(character for character in last if unicodedata.category(character) not in _UNSEEN)
    stem, ending = _halves(_ODD.sub("_", seen).lstrip(".").rstrip(". "))
    if _DEVICE.fullmatch(stem):
        stem = f"{stem}_"
    return _cut(stem, ending) or "file"


def unique_names(names: Iterable[str]) -> list[str]:
    """The second of a name becomes `a (2).txt`; capitals make no difference. Our own two names stay free."""
    taken, seen = {SKIPPED.casefold(), LINKS.casefold()}, Counter[str]()
    made: list[str] = []
    for name in names:
        nth = seen[name.casefold()] + 1
        while (found := name if nth == 1 else _numbered(name, nth)).casefold() in taken:
            nth += 1
        seen[name.casefold()] = nth
        taken.add(found.casefold())
        made.append(found)
    return made


def _numbered(name: str, nth: int) -> str:
    stem, ending = _halves(name)
    return _cut(stem, f" ({nth}){ending}")


def _halves(name: str) -> tuple[str, str]:
    stem, dot, ending = name.rpartition(".")
    return (stem, dot + ending) if stem else (name, "")


def _cut(stem: str, ending: str) -> str:
    """What is kept of a long name: all of its ending, if that is none that is long itself."""
    room = MAX_NAME - len(ending.encode())
    if room <= 0:
        return (stem + ending).encode()[:MAX_NAME].decode(errors="ignore").rstrip(". ")
    return stem.encode()[:room].decode(errors="ignore") + ending
