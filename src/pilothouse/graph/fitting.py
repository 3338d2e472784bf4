"""Does a value fit a pin? JSON values against the JSON schemas that pydantic writes.

Schemas are our own (block models and agent interfaces), so a schema that makes no sense is read generously.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from pilothouse.graph.json_schema import (
    FORMATS,
    as_list,
    as_object,
    compiled,
    item_schema,
    members_of,
    property_schema,
    resolve,
    types_of,
)
from pilothouse.kit.json import Json, JsonObject, dumps

Code: TypeAlias = Literal["wrong_type", "out_of_bounds", "not_allowed"]


@dataclass(frozen=True, slots=True)
class Problem:
    """One reason why a value does not fit; `message` starts with the place inside the value, if not its top."""

    code: Code
    message: str


def fits(value: Json, schema: JsonObject, root: JsonObject) -> bool:
    """Whether the value can be used as it is. `root` is the schema whose `$defs` references point into."""
    return not problems(value, schema, root)


def accepts_null(schema: JsonObject, root: JsonObject) -> bool:
    """Whether null is a value of this type (and not merely the absence of one)."""
    return fits(None, schema, root)


def problems(value: Json, schema: JsonObject, root: JsonObject, at: str = "") -> list[Problem]:
    """Everything that keeps this value from fitting; empty when it fits. `at` is the value's place, for messages."""
    schema = resolve(schema, root)
    members = members_of(schema)
    found = _union_problems(value, members, root, at) if members else _type_problems(value, schema, at)
    if found:
        return found
    found = _choice_problems(value, schema, at)
    for part in as_list(schema.get("allOf")):
        found += problems(value, as_object(part), root, at)
    if isinstance(value, str):
        return found + _text_problems(value, schema, at)
    if isinstance(value, list):
        return found + _list_problems(value, schema, root, at)
    if isinstance(value, dict):
        return found + _object_problems(value, schema, root, at)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return found + _number_problems(value, schema, at)
    return found


_IS: dict[str, Callable[[Json], bool]] = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: is_whole(value),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "string": lambda value: isinstance(value, str),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}


def type_name(value: Json) -> str:
    """The JSON type of a value, for messages."""
    return next(name for name, test in _IS.items() if test(value))


def is_whole(value: Json) -> bool:
    """Whether this is an integer as JSON sees it: 3.0 is one, true is not."""
    if isinstance(value, float):
        return value.is_integer()
    return isinstance(value, int) and not isinstance(value, bool)


def _say(code: Code, at: str, text: str) -> Problem:
    return Problem(code, f"{at}: {text}" if at else text)


def _under(at: str, part: str | int) -> str:
    return f"{at}.{part}" if at else str(part)


def _type_problems(value: Json, schema: JsonObject, at: str) -> list[Problem]:
    wanted = types_of(schema)
    if not wanted or any(_IS[name](value) for name in wanted if name in _IS):
        return []
    return [_say("wrong_type", at, f"expected {' or '.join(wanted)}, got {type_name(value)}")]


def _union_problems(value: Json, members: list[JsonObject], root: JsonObject, at: str) -> list[Problem]:
    """Nothing when a member fits; else the reasons of the only member of that type, or one line for all."""
    near: list[list[Problem]] = []
    for member in members:
        found = problems(value, member, root, at)
        if not found:
            return []
        if not _type_problems(value, resolve(member, root), at):
            near.append(found)
    if len(near) == 1:
        return near[0]
    names = dict.fromkeys(name for member in members for name in types_of(resolve(member, root)) or ["value"])
    return [_say("wrong_type", at, f"expected {' or '.join(names)}, got {type_name(value)}")]


def _choice_problems(value: Json, schema: JsonObject, at: str) -> list[Problem]:
    if "const" in schema and not _same(value, schema["const"]):
        return [_say("not_allowed", at, f"must be {dumps(schema['const'])}")]
    choices = as_list(schema.get("enum"))
    if choices and not any(_same(value, choice) for choice in choices):
        return [_say("not_allowed", at, f"must be one of {', '.join(dumps(choice) for choice in choices)}")]
    return []


def _same(left: Json, right: Json) -> bool:
    return left == right and isinstance(left, bool) == isinstance(right, bool)


_LIMITS: list[tuple[str, str, Callable[[float, float], bool]]] = [
    ("minimum", "at least", lambda have, limit: have >= limit),
    ("maximum", "at most", lambda have, limit: have <= limit),
    ("exclusiveMinimum", "more than", lambda have, limit: have > limit),
    ("exclusiveMaximum", "less than", lambda have, limit: have < limit),
]


def _number_problems(value: float, schema: JsonObject, at: str) -> list[Problem]:
    found: list[Problem] = []
    for key, words, holds in _LIMITS:
        limit = schema.get(key)
        if isinstance(limit, int | float) and not holds(value, limit):
            found.append(_say("out_of_bounds", at, f"must be {words} {dumps(limit)}"))
    return found


def _size_problems(size: int, low: Json, high: Json, at: str, unit: str) -> list[Problem]:
    if isinstance(low, int) and size < low:
        return [_say("out_of_bounds", at, f"must have at least {low} {unit}, has {size}")]
    if isinstance(high, int) and size > high:
        return [_say("out_of_bounds", at, f"must have at most {high} {unit}, has {size}")]
    return []


def _text_problems(value: str, schema: JsonObject, at: str) -> list[Problem]:
    found = _size_problems(len(value), schema.get("minLength"), schema.get("maxLength"), at, "characters")
    pattern, form = schema.get("pattern"), schema.get("format")
    if isinstance(pattern, str) and (rule := compiled(pattern)) and rule.search(value) is None:
        found.append(_say("not_allowed", at, f"must match {pattern}"))
    if isinstance(form, str) and form in FORMATS and not FORMATS[form](value):
        found.append(_say("wrong_type", at, f"is not a {form}"))
    return found


def _list_problems(value: list[Json], schema: JsonObject, root: JsonObject, at: str) -> list[Problem]:
    found = _size_problems(len(value), schema.get("minItems"), schema.get("maxItems"), at, "items")
    if "items" in schema or "prefixItems" in schema:
        for index, item in enumerate(value):
            if part := item_schema(schema, index):
                found += problems(item, part, root, _under(at, index))
    return found


def _object_problems(value: JsonObject, schema: JsonObject, root: JsonObject, at: str) -> list[Problem]:
    missing = [str(name) for name in as_list(schema.get("required")) if name not in value]
    found = [_say("wrong_type", _under(at, name), "is missing") for name in missing]
    for key, item in value.items():
        part = property_schema(schema, key)
        if part is None:
            found.append(_say("not_allowed", _under(at, key), "is not a known field"))
        elif part:
            found += problems(item, part, root, _under(at, key))
    return found
