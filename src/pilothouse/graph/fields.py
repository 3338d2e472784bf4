"""Questions about a block's pins that its JSON schemas answer."""

from typing import cast

from pilothouse.graph.catalogue import BlockSpec, Kind
from pilothouse.kit.json import JsonObject

ERROR_PIN = "error"
CHILD = "x-child"  # marks the schemas of a sub-agent node whose child is known


def properties(schema: JsonObject) -> dict[str, JsonObject]:
    """The schema of each field."""
    return cast(dict[str, JsonObject], schema.get("properties", {}))


def required(schema: JsonObject) -> list[str]:
    """The fields that must be given."""
    return cast(list[str], schema.get("required", []))


def takes_any_pin(spec: BlockSpec, schema: JsonObject) -> bool:
    """Whether pins exist beyond the declared ones: those of an unknown child of a sub-agent, or of an open schema."""
    if spec.kind is Kind.AGENT:
        return CHILD not in schema
    return schema.get("additionalProperties", False) is not False


def secret_pins(schema: JsonObject) -> frozenset[str]:
    """The fields whose values nobody may read later: secrets, and references to credentials."""
    return frozenset(
        name for name, field in properties(schema).items() if field.get("secret") is True or is_credentials(name)
    )


def is_credentials(field: str) -> bool:
    """Whether this field holds a reference to a credential and no value of its own."""
    return field == "credentials" or field.endswith("_credentials")
