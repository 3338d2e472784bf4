"""Inputs as they are typed: `name=value`, read as what the agent expects there."""

from collections.abc import Sequence
from typing import cast

from pilothouse.app.cli.terminal import WrongCall
from pilothouse.graph.fields import properties
from pilothouse.kit.json import Json, JsonObject, loads


def gather_inputs(texts: Sequence[str], json_texts: Sequence[str], schema: JsonObject) -> JsonObject:
    """Raises `WrongCall` for what is not `name=value`; whether the values fit is for the agent to say."""
    fields = properties(schema)
    found: JsonObject = {}
    for name, text in map(_split, texts):
        found[name] = text if _takes_text(fields.get(name, {})) else _json_or_text(text)
    for name, text in map(_split, json_texts):
        try:
            found[name] = loads(text)
        except ValueError:
            raise WrongCall(f"The value of {name} is not JSON.") from None
    return found


def _split(pair: str) -> tuple[str, str]:
    name, equals, value = pair.partition("=")
    if not equals or not name:
        raise WrongCall(f"{pair}: an input is given as name=value.")
    return name, value


def _takes_text(field: JsonObject) -> bool:
    """Whether a string is a value here: then what was typed is that string, be it `42` or `true`."""
    members = field.get("anyOf")
    if isinstance(members, list):
        return any(_takes_text(cast(JsonObject, member)) for member in members)
    return field.get("type", "string") == "string"


def _json_or_text(text: str) -> Json:
    try:
        return loads(text)
    except ValueError:
        return text
