"""Checks of one node: its name, its literal values, what it lacks."""

from dataclasses import replace

from pilothouse.graph.catalogue import BlockSpec, Kind
from pilothouse.graph.document import Node
from pilothouse.graph.fields import is_credentials, properties, required, takes_any_pin
from pilothouse.graph.report import Report
from pilothouse.graph.sub_agents import literals_of
from pilothouse.graph.values import NotConvertible, accepts_null, coerce, problems
from pilothouse.kit.json import Json, JsonObject


def check_node(node: Node, spec: BlockSpec, filled: set[str], report: Report) -> None:
    """`filled` are the fields that links or masks fill; their literals are not looked at."""
    _check_name(node, spec, filled, report)
    if spec.kind is Kind.NOTE:
        return
    if spec.kind is Kind.AGENT:
        node = replace(node, inputs=literals_of(node, spec))
    fields = properties(spec.inputs)
    open_ended = takes_any_pin(spec, spec.inputs)
    for pin, value in node.inputs.items():
        if pin in filled:
            continue
        if pin in fields:
            _check_literal(node.id, pin, value, fields[pin], spec.inputs, report)
        elif not open_ended:
            report.add(node.id, pin, "unknown_input", f"{spec.name} has no input '{pin}'; it is ignored.")
    _check_required(node, spec, filled, report)
    _check_dependencies(node, fields, filled, report)


def check_value(node_id: str, pin: str, value: Json, schema: JsonObject, root: JsonObject, report: Report) -> None:
    """Report why a value does not fit; one that the engine can convert is only worth a warning."""
    found = problems(value, schema, root)
    if not found:
        return
    if all(problem.code == "wrong_type" for problem in found):
        try:
            coerce(value, schema, root)
        except NotConvertible:
            pass  # then it is as wrong as it looks
        else:
            report.add(node_id, pin, "likely_lossy", f"This will be converted: {found[0].message}")
            return
    for problem in found:
        report.add(node_id, pin, problem.code, problem.message)


def _check_literal(node_id: str, pin: str, value: Json, schema: JsonObject, root: JsonObject, report: Report) -> None:
    if is_credentials(pin) or (value is None and not accepts_null(schema, root)):
        return  # a null that the type lacks means "not given"
    check_value(node_id, pin, value, schema, root, report)


def _check_name(node: Node, spec: BlockSpec, filled: set[str], report: Report) -> None:
    if spec.kind not in (Kind.INPUT, Kind.OUTPUT):
        return
    name = node.inputs.get("name")
    if not isinstance(name, str) or not name:
        if spec.kind is Kind.INPUT or "name" not in filled:
            report.add(node.id, "name", "name_missing", "Give this a name.")
    elif spec.kind is Kind.INPUT and is_credentials(name):
        report.add(node.id, "name", "reserved_name", f"An input cannot be called '{name}'.")


def _is_given(pin: str, node: Node, filled: set[str]) -> bool:
    return pin in filled or node.inputs.get(pin) is not None


def _check_required(node: Node, spec: BlockSpec, filled: set[str], report: Report) -> None:
    if spec.kind is Kind.AGENT and takes_any_pin(spec, spec.inputs):
        return  # what an unknown child needs cannot be said; that it is unknown, is
    for pin in required(spec.inputs):
        if is_credentials(pin):
            _check_credentials(node, pin, filled, report)
            continue
        named = pin == "name" and spec.kind in (Kind.INPUT, Kind.OUTPUT)  # has its own code
        fed_later = pin == "payload" and spec.kind is Kind.TRIGGER
        if named or fed_later or _is_given(pin, node, filled):
            continue
        schema = properties(spec.inputs).get(pin, {})
        if pin in node.inputs and accepts_null(schema, spec.inputs):
            continue
        report.add(node.id, pin, "required", f"'{pin}' needs a value or a link.")


def _check_credentials(node: Node, pin: str, filled: set[str], report: Report) -> None:
    if not node.optional_credentials and not _is_given(pin, node, filled):
        report.add(node.id, pin, "credentials_missing", f"Choose credentials for '{pin}'.")


def _check_dependencies(node: Node, fields: dict[str, JsonObject], filled: set[str], report: Report) -> None:
    for pin, schema in fields.items():
        needs = schema.get("depends_on")
        if not isinstance(needs, list) or not _is_given(pin, node, filled):
            continue
        for other in needs:
            name = str(other)
            if not _is_given(name, node, filled) and fields.get(name, {}).get("default") is None:
                report.add(node.id, pin, "depends_on", f"'{pin}' means something only when '{name}' is given.")
