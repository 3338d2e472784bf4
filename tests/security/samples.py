"""The smallest request that an operation's schema calls well formed."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from pilothouse.base.http.policy import takes_keys

Schema = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of the API document."""

    method: str
    path: str
    policy: str
    query: dict[str, Any] = field(default_factory=dict[str, Any])
    body: Any = None

    @property
    def label(self) -> str:
        return f"{self.method} {self.path}"


def operations(document: Schema) -> Iterator[Operation]:
    """Every documented operation, with a request that passes its schema."""
    for path, methods in document["paths"].items():
        for method, told in methods.items():
            content = told.get("requestBody", {}).get("content", {}).get("application/json")
            yield Operation(
                method.upper(),
                path,
                told["x-policy"],
                query={
                    ask["name"]: sample(ask["schema"], document)
                    for ask in told.get("parameters", ())
                    if ask["in"] == "query" and ask.get("required")
                },
                body=sample(content["schema"], document) if content else None,
            )


def without_twins(paths: Iterable[str]) -> set[str]:
    """What the app and programs share is one function: it is tried by the door for programs only."""
    found = set(paths)
    shared = {path.replace("/api/v1/", "/api/") for path in found if takes_keys(path)}
    return found - shared


def sample(schema: Schema, document: Schema) -> Any:
    """A value that fits: required fields only, the least of everything."""
    if "$ref" in schema:
        return sample(resolved(schema["$ref"], document), document)
    for fixed in ("const", "default"):
        if fixed in schema:
            return schema[fixed]
    if "enum" in schema:
        return schema["enum"][0]
    for union in ("anyOf", "oneOf", "allOf"):
        if union in schema:
            return sample(schema[union][0], document)
    return _by_type(schema, document)


def _by_type(schema: Schema, document: Schema) -> Any:
    match schema.get("type", "object"):
        case "string":
            return text_of(schema)
        case "integer" | "number":
            return int(schema.get("minimum", schema.get("exclusiveMinimum", 0) + 1))  # the document writes 1.0
        case "boolean":
            return False
        case "array":
            return [sample(schema["items"], document) for _ in range(schema.get("minItems", 0))]
        case "null":
            return None
        case _:
            fields = schema.get("properties", {})
            return {name: sample(fields[name], document) for name in schema.get("required", ())}


def text_of(schema: Schema) -> str:
    known = {"uuid": "01900000-0000-7000-8000-000000000000", "date-time": "2100-01-01T00:00:00Z"}
    if "examples" in schema:
        return schema["examples"][0]
    if schema.get("format") in known:
        return known[schema["format"]]
    return "a@b.c".ljust(max(1, schema.get("minLength", 1)), "x")  # also a mail address, which no schema tells


def resolved(ref: str, document: Schema) -> Schema:
    found: Any = document
    for part in ref.removeprefix("#/").split("/"):
        found = found[part.replace("~1", "/").replace("~0", "~")]
    return found
