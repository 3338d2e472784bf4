"""Do these inputs fit this agent? Prepared once per version, so that a run in a hurry pays next to nothing."""

from collections.abc import Mapping
from typing import Final

from pilothouse.features.agents.documents import refused
from pilothouse.graph.check_nodes import check_value
from pilothouse.graph.fields import properties, required
from pilothouse.graph.json_schema import members_of
from pilothouse.graph.report import AGENT, Report
from pilothouse.graph.values import fits
from pilothouse.kit.json import Json, JsonObject

# A field of which nothing but its type is asked is judged by the Python type alone.
_PYTHON_TYPES: Final[Mapping[str, frozenset[type]]] = {
    "string": frozenset({str}),
    "boolean": frozenset({bool}),
    "integer": frozenset({int}),
    "number": frozenset({int, float}),
    "array": frozenset({list}),
    "object": frozenset({dict}),
    "null": frozenset({type(None)}),
}
_ANYTHING: Final[frozenset[type]] = frozenset({str, bool, int, float, list, dict})
_SILENT: Final = frozenset({"type", "anyOf", "title", "description", "default", "examples"})


class InputCheck:
    """The inputs that one version takes."""

    __slots__ = ("_fields", "_plain", "_required", "_schema")

    def __init__(self, schema: JsonObject) -> None:
        self._schema = schema
        self._fields = properties(schema)
        self._required = frozenset(required(schema))
        self._plain = {name: _plain_types(field) for name, field in self._fields.items()}

    def __call__(self, inputs: JsonObject) -> None:
        """Raises `AgentInvalid` with every fault. A null is a value that was not given."""
        if self._required <= inputs.keys() and all(self._fits(name, value) for name, value in inputs.items()):
            return
        report = Report("run")
        self._explain(inputs, report)
        if not report.valid:
            raise refused(report)

    def _fits(self, name: str, value: Json) -> bool:
        plain = self._plain.get(name)
        if plain is None or value is None:
            return False
        return type(value) in plain if plain else fits(value, self._fields[name], self._schema)

    def _explain(self, inputs: JsonObject, report: Report) -> None:
        for name in sorted(inputs.keys() - self._fields.keys()):
            report.add(AGENT, name, "input_unknown", f"This agent has no input '{name}'.")
        for name, field in self._fields.items():
            value = inputs.get(name)
            if value is not None:
                check_value(AGENT, name, value, field, self._schema, report)
            elif name in self._required:
                report.add(AGENT, name, "input_missing", f"The input '{name}' is required.")


def _plain_types(field: JsonObject) -> frozenset[type]:
    """The Python types that settle it; empty when the schema must be asked."""
    if not field.keys() <= _SILENT:
        return frozenset()
    if members := [_plain_types(member) for member in members_of(field)]:
        return frozenset[type]().union(*members) if all(members) else frozenset()
    kind = field.get("type")
    if kind is None:
        return _ANYTHING
    return _PYTHON_TYPES.get(kind, frozenset()) if isinstance(kind, str) else frozenset()
