"""How we read the JSON schemas that pydantic writes: references, unions, parts, text formats."""

import re
from collections.abc import Callable
from datetime import date, datetime, time
from functools import lru_cache
from urllib.parse import urlsplit

from pilothouse.kit.json import Json, JsonObject


def resolve(schema: JsonObject, root: JsonObject) -> JsonObject:
    """Follow `$ref` into `root["$defs"]`; keys beside the reference stay in force."""
    seen: set[str] = set()
    while isinstance(name := schema.get("$ref"), str) and name not in seen:
        seen.add(name)
        target = as_object(as_object(root.get("$defs")).get(name.removeprefix("#/$defs/")))
        schema = {**target, **{key: part for key, part in schema.items() if key != "$ref"}}
    return schema


def members_of(schema: JsonObject) -> list[JsonObject]:
    """The members of a union, in order; empty when the schema is none."""
    members = schema.get("anyOf") or schema.get("oneOf")
    return [as_object(member) for member in members] if isinstance(members, list) else []


def types_of(schema: JsonObject) -> list[str]:
    """The JSON types a schema names; empty means any."""
    kind = schema.get("type")
    if isinstance(kind, str):
        return [kind]
    return [str(item) for item in kind] if isinstance(kind, list) else []


def item_schema(schema: JsonObject, index: int) -> JsonObject:
    prefix = as_list(schema.get("prefixItems"))
    return as_object(prefix[index] if index < len(prefix) else schema.get("items"))


def property_schema(schema: JsonObject, key: str) -> JsonObject | None:
    """The schema of one field; `{}` when anything goes, None when the field may not be there."""
    known = as_object(schema.get("properties"))
    if key in known:
        return as_object(known[key])
    rest = schema.get("additionalProperties")
    return None if rest is False else as_object(rest)


def as_object(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}


def as_list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


@lru_cache(maxsize=512)
def compiled(pattern: str) -> re.Pattern[str] | None:
    try:
        return re.compile(pattern)
    except re.error:
        return None  # written for another dialect: the block's own model checks it


def _parses(parse: Callable[[str], object], shape: str) -> Callable[[str], bool]:
    rule = re.compile(shape)

    def test(text: str) -> bool:
        if rule.fullmatch(text) is None:
            return False
        try:
            parse(text)
        except ValueError:
            return False
        return True

    return test


def _is_uri(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return bool(parts.scheme and (parts.netloc or parts.path)) and not re.search(r"\s", text)


_ZONE = r"(Z|z|[+-]\d\d:?\d\d)?"
_CLOCK = r"\d\d:\d\d(:\d\d(\.\d{1,6})?)?" + _ZONE
FORMATS: dict[str, Callable[[str], bool]] = {
    "date": _parses(date.fromisoformat, r"\d{4}-\d\d-\d\d"),
    "time": _parses(time.fromisoformat, _CLOCK),
    "date-time": _parses(datetime.fromisoformat, r"\d{4}-\d\d-\d\d([Tt ]" + _CLOCK + ")?"),
    "uri": _is_uri,
}
