"""YAML as plain data: no anchors, no tags, one document. Pure.

Read by events, for the library's own loaders follow anchors, which let a small text grow without bound.
"""

import re
from collections.abc import Iterable
from typing import Final, cast

import yaml
from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from pilothouse.kit.json import MAX_DEPTH, Json

_WORDS: Final[dict[str, Json]] = {
    **dict.fromkeys(["", "~", "null", "Null", "NULL"]),
    **dict.fromkeys(["true", "True", "TRUE"], True),
    **dict.fromkeys(["false", "False", "FALSE"], False),
}
_INTEGER: Final = re.compile(r"[-+]?[0-9]{1,18}")
_FLOAT: Final = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]{1,3})?")


class YamlRefused(ValueError):
    """This YAML is not plain data."""


def read_yaml(text: str) -> Json:
    """Raises `YamlRefused`."""
    tree: list[Json] = []  # holds the one document
    open_at: list[list[Json] | dict[str, Json]] = [tree]
    keys: list[str | None] = [None]
    try:
        for event in cast(Iterable[Event], yaml.parse(text, Loader=yaml.SafeLoader)):
            _take(event, open_at, keys)
    except (yaml.YAMLError, RecursionError) as fault:
        raise YamlRefused("it cannot be read as YAML") from fault
    return tree[0] if tree else None


def _take(event: Event, open_at: list[list[Json] | dict[str, Json]], keys: list[str | None]) -> None:
    if isinstance(event, NodeEvent):
        _require_plain(event)
    match event:
        case ScalarEvent():
            _put(_scalar(event), open_at[-1], keys)
        case SequenceStartEvent() | MappingStartEvent():
            inner: list[Json] | dict[str, Json] = [] if isinstance(event, SequenceStartEvent) else {}
            _put(inner, open_at[-1], keys)
            open_at.append(inner)
            keys.append(None)
            if len(open_at) > MAX_DEPTH:
                raise YamlRefused("it nests too deeply")
        case SequenceEndEvent() | MappingEndEvent():
            open_at.pop()
            keys.pop()
        case DocumentStartEvent() if open_at[0]:
            raise YamlRefused("it holds several documents")
        case _:
            pass


def _require_plain(event: NodeEvent) -> None:
    tag = getattr(event, "tag", None)
    if isinstance(event, AliasEvent) or event.anchor is not None:
        raise YamlRefused("it uses anchors")
    if tag is not None and tag != "!":
        raise YamlRefused("it uses tags")


def _put(value: Json, place: list[Json] | dict[str, Json], keys: list[str | None]) -> None:
    if isinstance(place, list):
        place.append(value)
    elif keys[-1] is None:
        if isinstance(value, list | dict):
            raise YamlRefused("a key is a list or an object")
        keys[-1] = value if isinstance(value, str) else str(value)
    else:
        place[keys[-1]] = value
        keys[-1] = None


def _scalar(event: ScalarEvent) -> Json:
    text = str(event.value)
    if event.style is not None or not event.implicit[0]:
        return text
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _FLOAT.fullmatch(text) else text
