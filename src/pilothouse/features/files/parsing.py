"""What a file holds, as the value that a field asks for. Pure."""

import csv
import tomllib
from datetime import date, datetime, time
from io import StringIO
from math import isfinite
from typing import Final, Literal, TypeAlias, cast

from pilothouse.features.files.yaml_values import read_yaml
from pilothouse.kit.json import MAX_DEPTH, Json, loads

Wanted: TypeAlias = Literal["text", "object", "list", "rows"]  # `rows` is a list of lists

_KINDS: Final = {
    **{"json": "json", "application/json": "json", "yaml": "yaml", "yml": "yaml", "application/yaml": "yaml"},
    **{"toml": "toml", "application/toml": "toml", "csv": "csv", "text/csv": "csv"},
}


class NotParsable(ValueError):
    """The file does not hold what the field asks for."""


def parsed(text: str, name: str, mime_type: str, wanted: Wanted) -> Json:
    """Raises `NotParsable`, which says why."""
    kind = _KINDS.get(name.rpartition(".")[2].lower()) or _KINDS.get(mime_type) or "json"
    try:
        value = _read(kind, text, wanted)
    except (ValueError, csv.Error, RecursionError) as fault:
        raise NotParsable(f"it cannot be read as {kind.upper()}") from fault
    if not isinstance(value, dict if wanted == "object" else list):
        raise NotParsable(f"it holds no {'object' if wanted == 'object' else 'list'}")
    _check_json(value)
    return value


def _check_json(value: Json, depth: int = 1) -> None:
    """YAML and TOML can say what JSON cannot."""
    if isinstance(value, dict | list):
        if depth > MAX_DEPTH:
            raise NotParsable(f"it is nested deeper than {MAX_DEPTH} levels")
        for item in value.values() if isinstance(value, dict) else value:
            _check_json(item, depth + 1)
    elif isinstance(value, float) and not isfinite(value):
        raise NotParsable("it holds a number that is not finite")
    elif isinstance(value, int) and not -(2**63) <= value < 2**64:
        raise NotParsable("it holds a whole number of more than 64 bits")


def _read(kind: str, text: str, wanted: Wanted) -> Json:
    if kind == "csv":
        return _csv(text, wanted)
    if kind == "yaml":
        return read_yaml(text)
    if kind == "toml":
        return _toml(text, wanted)
    return loads(text)


def _csv(text: str, wanted: Wanted) -> Json:
    lines = [line for line in csv.reader(StringIO(text, newline="")) if line]
    if wanted == "rows" or not lines:
        return cast(Json, lines)
    header, *rest = lines
    return [dict[str, Json](zip(header, line, strict=False)) for line in rest]


def _toml(text: str, wanted: Wanted) -> Json:
    """A list is asked for: the first list of tables is one. Scalars beside it do not matter."""
    found = cast(dict[str, Json], _plain(tomllib.loads(text)))
    if wanted == "object":
        return found
    tables = next((value for value in found.values() if _is_tables(value)), None)
    if tables is None or wanted == "list":
        return tables
    rows = cast(list[dict[str, Json]], tables)
    header = list(dict.fromkeys(name for row in rows for name in row))
    return [[*header], *([row.get(name) for name in header] for row in rows)]


def _is_tables(value: Json) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)


def _plain(value: object) -> object:
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in cast(dict[str, object], value).items()}
    if isinstance(value, list):
        return [_plain(item) for item in cast(list[object], value)]
    return value.isoformat() if isinstance(value, datetime | date | time) else value
