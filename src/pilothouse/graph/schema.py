"""What an agent takes and gives, derived from its Input and Output nodes."""

from typing import Final, cast

from pilothouse.graph.catalogue import BlockSpec, Catalogue, Kind
from pilothouse.graph.document import Document, Node
from pilothouse.graph.fields import properties
from pilothouse.kit.json import JsonObject, dumps

_WORDS: Final = frozenset({"title", "description", "default", "examples", "placeholder", "advanced", "hidden"})


def input_schema(doc: Document, catalogue: Catalogue) -> JsonObject:
    """JSON schema of a run's inputs: one property per name, required unless it has a default or says otherwise."""
    fields: JsonObject = {}
    required: list[str] = []
    defs: JsonObject = {}
    for node, spec, name in _named(doc, catalogue, Kind.INPUT):
        field = input_field(node, spec)
        fields.setdefault(name, field)
        optional = "default" in field or node.inputs.get("required") is False
        if not optional and name not in required:
            required.append(name)
        defs.update(cast(JsonObject, spec.inputs.get("$defs", {})))
    schema: JsonObject = {
        "type": "object",
        "properties": fields,
        "required": [*required],
        "additionalProperties": False,
    }
    if defs:
        schema["$defs"] = defs
    return schema


def output_schema(doc: Document, catalogue: Catalogue) -> JsonObject:
    """JSON schema of a run's result: under each name the list of values in the order they were committed."""
    fields: JsonObject = {}
    for node, spec, name in _named(doc, catalogue, Kind.OUTPUT):
        items = _type_of(spec)
        field: JsonObject = {"type": "array", "items": items}
        fields.setdefault(name, field | _words_of(node))
    return {"type": "object", "properties": fields, "additionalProperties": False}


def input_field(node: Node, spec: BlockSpec) -> JsonObject:
    """The schema of what one Input node takes."""
    field = _type_of(spec) | _words_of(node)
    options = node.inputs.get("options") or node.inputs.get("placeholder_values")
    if "options" in properties(spec.inputs) and isinstance(options, list):
        field["enum"] = [option if isinstance(option, str) else dumps(option) for option in options]
    default = node.inputs.get("value")
    if default is None:
        default = properties(spec.inputs).get("value", {}).get("default")
    if default is not None:
        field["default"] = default
    return field


def same_type(left: JsonObject, right: JsonObject) -> bool:
    """Whether two fields take the same values, whatever they are called."""
    return _bare(left) == _bare(right)


def _type_of(spec: BlockSpec) -> JsonObject:
    return _bare(properties(spec.inputs).get("value", {}))


def _bare(field: JsonObject) -> JsonObject:
    return {key: value for key, value in field.items() if key not in _WORDS}


def _words_of(node: Node) -> JsonObject:
    return {key: node.inputs[key] for key in ("title", "description") if node.inputs.get(key)}


def _named(doc: Document, catalogue: Catalogue, kind: Kind) -> list[tuple[Node, BlockSpec, str]]:
    found: list[tuple[Node, BlockSpec, str]] = []
    for node in doc.nodes:
        spec, name = catalogue.get(node.block), node.inputs.get("name")
        if spec is not None and spec.kind is kind and isinstance(name, str) and name:
            found.append((node, spec, name))
    return found
