"""Does a value fit a pin, and can it be made to? The table of conversions that every pin obeys."""

import re
from collections.abc import Callable
from math import isfinite
from typing import cast

from pilothouse.graph.fitting import Code, Problem, accepts_null, fits, is_whole, problems, type_name
from pilothouse.graph.json_schema import as_list, item_schema, members_of, property_schema, resolve, types_of
from pilothouse.kit.json import Json, JsonObject, dumps, loads

__all__ = ["Code", "NotConvertible", "Problem", "accepts_null", "coerce", "fits", "problems"]


class NotConvertible(ValueError):
    """The value neither fits the schema nor converts to it."""


def coerce(value: Json, schema: JsonObject, root: JsonObject) -> Json:
    """The value itself when it fits, else the nearest value of the wanted type; never a silent default.

    Null converts to nothing: what a null means is decided before (it may stand for "not given").
    """
    if fits(value, schema, root):
        return value
    schema = resolve(schema, root)
    if members := members_of(schema):
        return _coerce_union(value, members, root)
    for wanted in types_of(schema) or _types_of_choices(schema):
        try:
            made = _inside(_CONVERT[wanted](value), schema, root)
        except (KeyError, NotConvertible):
            continue
        if fits(made, schema, root):
            return made
    raise NotConvertible("; ".join(problem.message for problem in problems(value, schema, root)))


def _coerce_union(value: Json, members: list[JsonObject], root: JsonObject) -> Json:
    for member in members:
        try:
            return coerce(value, member, root)
        except NotConvertible:
            continue
    raise NotConvertible("; ".join(problem.message for problem in problems(value, {"anyOf": [*members]}, root)))


def _inside(value: Json, schema: JsonObject, root: JsonObject) -> Json:
    """Convert the elements of a container by their own schemas."""
    if isinstance(value, list):
        return [_part(item, item_schema(schema, index), root) for index, item in enumerate(value)]
    if isinstance(value, dict):
        return {key: _part(item, property_schema(schema, key), root) for key, item in value.items()}
    return value


def _part(value: Json, schema: JsonObject | None, root: JsonObject) -> Json:
    return coerce(value, schema, root) if schema else value


def _to_text(value: Json) -> Json:
    return value if isinstance(value, str) else dumps(_something(value))


def _to_number(value: Json) -> Json:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, list | dict):
        return len(value)
    if isinstance(value, str) and _NUMBER.fullmatch(text := value.strip()):
        number = int(text) if text.lstrip("+-").isdigit() else float(text)
        if isfinite(number):
            return number if isinstance(number, float) else _writable(number)
    if isinstance(value, int | float):
        return value
    raise NotConvertible("is not a number")


def _to_integer(value: Json) -> Json:
    number = _to_number(value)
    if not is_whole(number):
        raise NotConvertible("is not a whole number")
    return _writable(int(cast(float, number)))


def _writable(number: int) -> int:
    if abs(number) > 2**63:
        raise NotConvertible("is too large")  # it could not be written as JSON again
    return number


def _to_bool(value: Json) -> Json:
    if isinstance(value, int | float):
        return value != 0
    if isinstance(value, str):
        word = value.strip().lower()
        if word in _WORDS:
            return _WORDS[word]
    raise NotConvertible("is neither true nor false")


def _to_list(value: Json) -> Json:
    if isinstance(value, list):
        return value
    if isinstance(value, dict):
        return [[key, item] for key, item in value.items()]
    parsed = _parsed(value)
    return parsed if isinstance(parsed, list) else [_something(value)]


def _to_object(value: Json) -> Json:
    if isinstance(value, dict):
        return value
    if isinstance(value, list):
        return {str(index): item for index, item in enumerate(value)}
    parsed = _parsed(value)
    return parsed if isinstance(parsed, dict) else {"value": _something(value)}


_CONVERT: dict[str, Callable[[Json], Json]] = {
    "string": _to_text,
    "number": _to_number,
    "integer": _to_integer,
    "boolean": _to_bool,
    "array": _to_list,
    "object": _to_object,
}
_WORDS = {
    "true": True,
    "1": True,
    "yes": True,
    "on": True,
    "false": False,
    "0": False,
    "no": False,
    "off": False,
    "": False,
}
_NUMBER = re.compile(r"[+-]?([0-9]{1,400}(\.[0-9]{0,400})?|\.[0-9]{1,400})([eE][+-]?[0-9]{1,4})?")


def _something(value: Json) -> Json:
    if value is None:
        raise NotConvertible("is null")
    return value


def _parsed(value: Json) -> Json:
    if not isinstance(value, str) or value.strip()[:1] not in ("[", "{"):
        return None
    try:
        return loads(value)
    except ValueError:
        return None


def _types_of_choices(schema: JsonObject) -> list[str]:
    choices = [schema["const"]] if "const" in schema else as_list(schema.get("enum"))
    return list(dict.fromkeys(type_name(choice) for choice in choices))
