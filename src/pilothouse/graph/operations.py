"""Changing a graph by operations: applied in order to a copy, all or none, every one of them judged. Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from pilothouse.graph.catalogue import Catalogue
from pilothouse.graph.document import Document
from pilothouse.graph.edit_inputs import set_input, unset_input
from pilothouse.graph.edit_links import connect, disconnect
from pilothouse.graph.edit_nodes import add_node, move_node, remove_node, rename_node, replace_block, update_node
from pilothouse.graph.nearest import nearest
from pilothouse.graph.sub_agents import Children
from pilothouse.graph.workbench import Done, Operation, Workbench, Wrong
from pilothouse.kit.errors import Invalid
from pilothouse.kit.json import MAX_DEPTH, JsonObject, depth

MAX_OPERATIONS: Final = 200


class OperationFailed(Invalid):
    """One of the operations cannot be done; nothing was changed."""

    wire_code = "operation_failed"
    hint = "`ops` says for each what is wrong and what is allowed."


@dataclass(frozen=True, slots=True)
class Applied:
    """The new document, the node that each `@i` stands for, and what each operation did."""

    document: Document
    nodes: Mapping[str, str]
    answers: Sequence[JsonObject]


def apply_operations(
    document: Document, operations: Sequence[Operation], catalogue: Catalogue, children: Children | None = None
) -> Applied:
    """Raises `OperationFailed`, which judges all of them: what depends on a failed one is `blocked`."""
    bench = Workbench(document, catalogue, children or {})
    answers = [_take(bench, index, operation) for index, operation in enumerate(operations[:MAX_OPERATIONS])]
    if len(operations) > MAX_OPERATIONS:
        raise OperationFailed(f"At most {MAX_OPERATIONS} operations at a time.", ops=[*answers, _TOO_MANY])
    if not all(answer["ok"] for answer in answers):
        raise OperationFailed(ops=[*answers])
    return Applied(bench.result(), bench.made, answers)


class _Kind(NamedTuple):
    do: Callable[[Workbench, Operation], Done]
    needs: tuple[str, ...]
    takes: tuple[str, ...] = ()


def _text_setter(key: str, empty: str | None = "") -> Callable[[Workbench, Operation], Done]:
    def set_text(bench: Workbench, operation: Operation) -> Done:
        value = operation["value"]
        if value is not None and not isinstance(value, str):
            raise Wrong("bad_value", "`value` must be text.")
        bench.document = replace(bench.document, **{key: value or empty})
        return Done()

    return set_text


_TOO_MANY: Final[JsonObject] = {
    "index": MAX_OPERATIONS,
    "ok": False,
    "code": "too_many",
    "message": f"At most {MAX_OPERATIONS} at a time.",
    "node_id": None,
    "allowed": [],
    "dropped": {},
}
_ENDS: Final = ("from", "out", "to", "in")
_KINDS: Final[Mapping[str, _Kind]] = {
    "add_node": _Kind(add_node, ("block",), ("id", "name", "inputs", "position", "keep_unknown")),
    "remove_node": _Kind(remove_node, ("node",)),
    "update_node": _Kind(update_node, ("node", "patch")),
    "replace_block": _Kind(replace_block, ("node", "block")),
    "rename_node": _Kind(rename_node, ("node", "name")),
    "move_node": _Kind(move_node, ("node", "position")),
    "set_input": _Kind(set_input, ("node", "field", "value"), ("keep_unknown",)),
    "unset_input": _Kind(unset_input, ("node", "field")),
    "connect": _Kind(connect, _ENDS, ("static",)),
    "disconnect": _Kind(disconnect, _ENDS),
    "set_name": _Kind(_text_setter("name"), ("value",)),
    "set_description": _Kind(_text_setter("description"), ("value",)),
    "set_instructions": _Kind(_text_setter("instructions"), ("value",)),
    "set_recommended_schedule": _Kind(_text_setter("recommended_schedule_cron", None), ("value",)),
}

KNOWN: Final = tuple(_KINDS)


def _take(bench: Workbench, index: int, operation: Operation) -> JsonObject:
    answer: JsonObject = {"index": index, "ok": True, "code": None, "message": None, "node_id": None, "allowed": []}
    try:
        done = _kind_of(operation).do(bench, operation)
    except Wrong as wrong:
        told = _remembered(bench, index, operation, wrong)
        subject = _subjects(bench, operation)[:1]
        refusal: JsonObject = {"ok": False, "code": told.code, "message": str(told), "allowed": [*told.allowed]}
        return {**answer, **refusal, "node_id": subject[0] if subject else None, "dropped": {}}
    if operation["op"] == "add_node" and done.node_id is not None:
        bench.made[f"@{index}"] = done.node_id
    return {**answer, "node_id": done.node_id, "dropped": done.dropped}


def _kind_of(operation: Operation) -> _Kind:
    name = operation.get("op")
    kind = _KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise Wrong("unknown_operation", f"There is no operation '{name}'.", nearest(str(name), _KINDS))
    fields = (*kind.needs, *kind.takes)
    for key in operation:
        if key != "op" and key not in fields:
            raise Wrong("unknown_field", f"'{name}' takes no '{key}'.", fields)
    for key in kind.needs:
        if key not in operation:
            raise Wrong("missing_field", f"'{name}' needs '{key}'.", fields)
    if depth(dict(operation)) > MAX_DEPTH:
        raise Wrong("bad_value", f"Values nest deeper than {MAX_DEPTH} levels.")
    return kind


def _remembered(bench: Workbench, index: int, operation: Operation, wrong: Wrong) -> Wrong:
    """Note what is missing because this failed. Whoever fails for want of it is blocked, not at fault."""
    name, node_id = operation.get("op"), operation.get("id")
    subjects = _subjects(bench, operation)
    if wrong.code == "unknown_pin" and bench.unchanged & set(subjects):
        wrong = Wrong("blocked", "The block of this node could not be replaced.")
    if name == "add_node":
        bench.unmade.add(f"@{index}")
        if isinstance(node_id, str) and node_id not in bench.nodes:
            bench.unmade.add(node_id)
    elif name == "replace_block":
        bench.unchanged.update(subjects)
    elif name == "connect" and len(subjects) == 2:
        bench.unwired.add((subjects[1], str(operation.get("out")), subjects[0], str(operation.get("in"))))
    return wrong


def _subjects(bench: Workbench, operation: Operation) -> list[str]:
    """The ids of the nodes that are there among those that an operation names; where a link leads to comes first."""
    named = [operation.get(key) for key in ("node", "to", "from")]
    ids = [bench.made.get(name, name) for name in named if isinstance(name, str)]
    return [node_id for node_id in ids if node_id in bench.nodes]
