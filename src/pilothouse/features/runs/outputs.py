"""What a run gave, as things to save: its files, and its other values as files of their own."""

import re
from collections.abc import Iterator
from mimetypes import guess_extension
from typing import Final, NamedTuple, TypeAlias

from pilothouse.blocks.files import MAX_READ, is_address, is_data, read_data
from pilothouse.blocks.pins import BlockFailed
from pilothouse.features import files
from pilothouse.features.files import Cabinet, Item, Parcel, ReferenceInvalid, Skipped
from pilothouse.kit.json import Json, JsonObject, pretty

_REFERENCE: Final = "workspace://"
# Every repeat is bounded, so that no text takes long to look through.
_MARKDOWN: Final = re.compile(
    r"^#{1,6} \S|^[ \t]{0,20}[-*] \S[^\n]{0,2000}\n[ \t]{0,20}[-*] \S|\*\*\S[^*\n]{0,200}\*\*|^```"
    r"|\[[^\]\n]{1,200}\]\(\S{1,2000}\)",
    re.MULTILINE,
)
_LONGEST_LINK: Final = 2_000
_LOOKED_AT: Final = 20_000  # characters in which signs of a format are looked for


class Link(NamedTuple):
    """An address: told, never fetched."""

    name: str
    address: str


class Reference(NamedTuple):
    """A file of the workspace, by how values name it."""

    name: str
    reference: str


Part: TypeAlias = Item | Link | Reference


def parts_of(outputs: JsonObject) -> Iterator[Part]:
    """In the order of the outputs; each has a list of values."""
    for name, values in outputs.items():
        for value in values if isinstance(values, list) else [values]:
            yield from _parts(name, value)


async def gathered(cabinet: Cabinet, user_id: str, outputs: JsonObject) -> Parcel:
    """All that a run gave, as far as it may be sent at once; a file that is gone is told of."""
    items, skipped, links = list[Item](), list[Skipped](), list[str]()
    for part in parts_of(outputs):
        if isinstance(part, Link):
            links.append(f"{part.name}: {part.address}")
        elif isinstance(part, Item):
            items.append(part)
        else:
            try:
                items.append(files.item_of(await cabinet.resolve(user_id, part.reference)))
            except ReferenceInvalid:
                skipped.append(Skipped(files.entry_name(part.name), None, "gone"))
    return files.packed(items, cabinet.limits, skipped=skipped, links=links)


def _parts(name: str, value: Json) -> Iterator[Part]:
    if isinstance(value, str):
        yield _of_text(name, value)
    else:
        yield _item(name, ".json", pretty(value).encode(), "application/json")
        yield from (Reference(name, found) for found in _references(value))


def _of_text(name: str, text: str) -> Part:
    if text.startswith(_REFERENCE) and not re.search(r"\s", text):
        return Reference(name, text)
    if is_address(text) and len(text) <= _LONGEST_LINK and not re.search(r"\s", text):
        return Link(name, text)
    if is_data(text):
        try:
            held = read_data(text, MAX_READ)
        except BlockFailed:  # it only looks like one: then it is the text that it is
            pass
        else:
            return _item(name, guess_extension(held.mime_type) or "", held.content, held.mime_type)
    marked = _MARKDOWN.search(text[:_LOOKED_AT]) is not None
    kind = ("markdown", ".md") if marked else ("plain", ".txt")
    return _item(name, kind[1], text.encode(errors="replace"), f"text/{kind[0]}; charset=utf-8")


def _item(name: str, ending: str, content: bytes, mime_type: str) -> Item:
    return Item(files.entry_name(f"{name or 'output'}{ending}"), len(content), content, mime_type)


def _references(value: Json) -> Iterator[str]:
    """Files that are named somewhere inside, each once. Walks without recursion: values may nest deeply."""
    waiting, seen = [value], set[str]()
    while waiting:
        found = waiting.pop()
        if isinstance(found, str):
            if found.startswith(_REFERENCE) and found not in seen:
                seen.add(found)
                yield found
        elif isinstance(found, list | dict):
            inner = list(found.values()) if isinstance(found, dict) else found
            waiting.extend(reversed(inner))
