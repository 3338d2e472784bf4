"""Large values leave the log: each is kept once by its hash, and a preview with that hash stands in its place. Pure.

A packed entry is `[PACKED, [[path, hash], ...], entry]`; nobody can forge a reference, since a value never says itself
that it is one. A snapshot is packed the same way.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Final, TypeAlias, cast

from pilothouse.engine import entries
from pilothouse.engine.entries import Entry, Tree
from pilothouse.kit.json import Json, JsonObject, dump_bytes

LIMIT: Final = 32 * 1024  # bytes of JSON
PREVIEW: Final = 500
PACKED: Final = "*"
Kept: TypeAlias = dict[str, str]  # JSON text by hash
_Path: TypeAlias = tuple[str | int, ...]

_SMALL = LIMIT // 6  # no character takes more than six bytes of JSON
_FEW = 64  # a container of so few is looked into: its large parts are kept, and it stands as it is
_LEVELS = 2


def pack_entries(log: Sequence[Entry], kept: Kept) -> list[Entry]:
    """The entries as they are to be stored; what left them is added to `kept`.

    Halving finds the large ones: most batches have none, and writing JSON is far cheaper than looking at each entry.
    """
    if len(dump_bytes(log)) <= LIMIT:
        return [*log]
    if len(log) == 1:
        return [cast(Entry, _pack(log[0], _of_entry(log[0]), kept))]
    half = len(log) // 2
    return pack_entries(log[:half], kept) + pack_entries(log[half:], kept)


def pack_snapshot(snapshot: JsonObject, kept: Kept) -> Json:
    """The snapshot as it is to be stored."""
    return cast(Json, _pack(snapshot, _of_snapshot(cast(dict[str, Tree], snapshot)), kept))


def references(stored: Json) -> list[str]:
    """The hashes of what a stored entry or snapshot lacks."""
    return [key for _, key in cast(list[Tree], stored)[1]] if is_packed(stored) else []


def unpack(stored: Json, values: Mapping[str, Json]) -> Json:
    """What was packed; it is put together in place."""
    if not is_packed(stored):
        return stored
    _, found, whole = cast(list[Tree], stored)
    for path, key in found:
        place = whole
        for part in path[:-1]:
            place = place[part]
        place[path[-1]] = values[key]
    return whole


def shown(stored: Json) -> Json:
    """What is shown of a stored entry: previews stand where large values were."""
    return cast(list[Json], stored)[2] if is_packed(stored) else stored


def is_packed(stored: Json) -> bool:
    return isinstance(stored, list) and bool(stored) and stored[0] == PACKED


def _pack(whole: Tree, places: Iterable[_Path], kept: Kept) -> Tree:
    """A copy, as far as it changes; the run goes on with the same containers."""
    found: list[tuple[_Path, str]] = []
    for path in places:
        before = _at(whole, path)
        after = _light(before, path, found, kept, _LEVELS)
        if after is not before:
            whole = _with(whole, path, after)
    return [PACKED, found, whole] if found else whole


def _light(value: Json, path: _Path, found: list[tuple[_Path, str]], kept: Kept, levels: int) -> Json:
    """The value, or what is to stand in its place."""
    if not isinstance(value, str | list | dict) or (isinstance(value, str) and len(value) < _SMALL):
        return value
    text = dump_bytes(value)
    if len(text) <= LIMIT:
        return value
    if levels and not isinstance(value, str) and len(value) <= _FEW:
        inner: list[tuple[_Path, str]] = []
        apart: Kept = {}
        items = value.items() if isinstance(value, dict) else enumerate(value)
        parts = {key: _light(item, (*path, key), inner, apart, levels - 1) for key, item in items}
        made: Json = cast(Json, parts) if isinstance(value, dict) else [*parts.values()]
        if len(dump_bytes(made)) <= LIMIT:
            found.extend(inner)
            kept.update(apart)
            return made
    key = sha256(text).hexdigest()
    kept[key] = text.decode()
    found.append((path, key))
    return {"$value": key, "bytes": len(text), "preview": kept[key][:PREVIEW]}


def _at(whole: Tree, path: _Path) -> Json:
    for part in path:
        whole = whole[part]
    return whole


def _with(whole: Tree, path: _Path, value: Json) -> Tree:
    if not path:
        return value
    made: Tree = whole.copy()
    made[path[0]] = _with(whole[path[0]], path[1:], value)
    return made


_AT: Final[dict[str, int]] = {entries.OUTPUT: 6, entries.RESULT: 5, entries.RESUME: 4, entries.WAIT: 6}
_ERROR: Final = frozenset({entries.FINISH, entries.RETRY})


def _of_entry(entry: Entry) -> Iterator[_Path]:
    """Where values stand in an entry."""
    kind = entry[0]
    if kind in _AT:
        yield from ((place,) for place in range(_AT[kind], len(entry)))
    elif kind == entries.START and entry[5] is not None:
        yield from ((5, pin) for pin in entry[5])
    elif kind in _ERROR and entry[5] is not None:
        yield (5, "detail")
    elif kind == entries.QUEUED:
        yield from _of_facts(entry[2], (2,))


def _of_facts(facts: dict[str, Tree], at: _Path) -> Iterator[_Path]:
    yield from ((*at, "inputs", name) for name in facts["inputs"])
    yield from ((*at, "masks", node, pin) for node, mask in facts.get("masks", {}).items() for pin in mask)
    yield from ((*at, name) for name in ("sealed", "records", "edits") if name in facts)
    if "payload" in facts:
        yield (*at, "payload")


def _of_snapshot(shot: dict[str, Tree]) -> Iterator[_Path]:
    yield from _of_facts(shot["facts"], ("facts",))
    yield from (("outputs", name, nth) for name, values in shot["outputs"].items() for nth in range(len(values)))
    for row, step in enumerate(shot["steps"]):
        yield from (("steps", row, 8, pin) for pin in step[8])
        yield from (("steps", row, 10, nth, 1) for nth in range(len(step[10])))
        yield from (("steps", row, 11, nth) for nth in range(len(step[11])))
        yield ("steps", row, 13)
    yield from (("nodes", row, 3, pin) for row, node in enumerate(shot["nodes"]) for pin in node[3])
