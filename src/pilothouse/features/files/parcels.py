"""Several files as one download: what goes in, what is left out and why, and how it is named. Pure."""

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from pilothouse.features.files.cabinet import KeptFile, Limits
from pilothouse.features.files.zip_names import entry_name, unique_names

LeftOut: TypeAlias = Literal["file_too_large", "all_too_large", "gone", "unreadable"]

_WHY: Final[dict[LeftOut, str]] = {
    "file_too_large": "is larger than a file in a zip may be",
    "all_too_large": "would make the zip larger than it may be",
    "gone": "is not there any more",
    "unreadable": "could not be read",
}


class Item(NamedTuple):
    """Something to send: a file of the workspace, or bytes that are at hand."""

    name: str
    size: int
    content: KeptFile | bytes
    mime_type: str


class Skipped(NamedTuple):
    """Something that is not sent."""

    name: str
    size: int | None
    reason: LeftOut


class Parcel(NamedTuple):
    """What is sent, in the order of the listing."""

    items: Sequence[Item]
    skipped: Sequence[Skipped] = ()
    links: Sequence[str] = ()  # addresses that are told and never fetched

    @property
    def size(self) -> int:
        return sum(item.size for item in self.items)

    @property
    def only(self) -> Item | None:
        """One file needs no zip."""
        return self.items[0] if len(self.items) == 1 and not self.skipped and not self.links else None


def item_of(file: KeptFile) -> Item:
    return Item(entry_name(file.name), file.size_bytes, file, file.mime_type)


def packed(
    items: Sequence[Item], limits: Limits, *, skipped: Sequence[Skipped] = (), links: Sequence[str] = ()
) -> Parcel:
    """Those that fit, each under a name of its own. A single file is sent as itself, however large it is."""
    alone = Parcel(items, skipped, links)
    if alone.only is not None:
        return alone
    named = [item._replace(name=name) for item, name in zip(items, unique_names(i.name for i in items), strict=True)]
    taken, left, total = list[Item](), list(skipped), 0
    for item in named:
        if item.size > limits.zip_file_bytes:
            left.append(Skipped(item.name, item.size, "file_too_large"))
        elif total + item.size > limits.zip_total_bytes:
            left.append(Skipped(item.name, item.size, "all_too_large"))
        else:
            taken.append(item)
            total += item.size
    return Parcel(taken, left, links)


def told(skipped: Sequence[Skipped]) -> str:
    """For `SKIPPED.txt`."""
    lines = [f"{name}{'' if size is None else f' ({size} bytes)'} {_WHY[reason]}." for name, size, reason in skipped]
    return "\n".join(["These are not in this zip:", "", *lines, ""])
