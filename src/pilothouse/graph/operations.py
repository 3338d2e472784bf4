"""Building a graph by operations: applied in order to a copy, all or none, every one of them judged. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from pilothouse.graph.catalogue import BlockSpec, Catalogue
from pilothouse.graph.document import Document, Link, Node
from pilothouse.graph.fields import properties, takes_any_pin
from pilothouse.graph.pins import pin_base
from pilothouse.kit.errors import Invalid
from pilothouse.kit.json import Json, JsonObject

MAX_OPERATIONS: Final = 200
COLUMN: Final = 320  # pixels from one new node to the next
_TEXTS: Final = {
    "set_name": "name",
    "set_description": "description",
    "set_instructions": "instructions",
    "set_recommended_schedule": "recommended_schedule_cron",
}
KNOWN: Final = ("add_node", "connect", "set_input", *_TEXTS)

Operation: TypeAlias = Mapping[str, Json]


class OperationFailed(Invalid):
    """One of the operations cannot be done; nothing was changed."""

    wire_code = "operation_failed"
    hint = "`details.ops` says for each what is wrong and what is allowed."


@dataclass(frozen=True, slots=True)
class Applied:
    """The new document, and the node that each `@i` stands for."""

    document: Document
    nodes: Mapping[str, str]


class _Wrong(Exception):
    def __init__(self, code: str, message: str, allowed: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.allowed = list(allowed)


def apply_operations(document: Document, operations: Sequence[Operation], catalogue: Catalogue) -> Applied:
    """Raises `OperationFailed`, which judges all of them: what depends on a failed one is `blocked`."""
    bench = _Bench(document, catalogue)
    answers: list[Json] = []
    for index, operation in enumerate(operations[:MAX_OPERATIONS]):
        answers.append(bench.take(index, operation))
    if len(operations) > MAX_OPERATIONS:
        answers.append({"index": MAX_OPERATIONS, "ok": False, "code": "too_many", "message": "At most 200 at a time."})
    if bench.failed or len(operations) > MAX_OPERATIONS:
        raise OperationFailed(ops=answers)
    return Applied(bench.document, bench.made)


@dataclass(slots=True)
class _Bench:
    document: Document
    catalogue: Catalogue
    made: dict[str, str] = field(default_factory=dict[str, str])
    failed: set[str] = field(default_factory=set[str])  # `@i` of those that could not be done

    def take(self, index: int, operation: Operation) -> Json:
        kind = str(operation.get("op", ""))
        try:
            node_id = self._do(kind, index, operation)
        except _Wrong as wrong:
            self.failed.add(f"@{index}")
            allowed: list[Json] = [*wrong.allowed]
            return {"index": index, "ok": False, "code": wrong.code, "message": str(wrong), "allowed": allowed}
        return {"index": index, "ok": True, "node_id": node_id}

    def _do(self, kind: str, index: int, operation: Operation) -> str | None:
        if kind == "add_node":
            return self._add(index, operation)
        if kind == "connect":
            return self._connect(operation)
        if kind == "set_input":
            return self._set_input(operation)
        if kind in _TEXTS:
            self.document = replace(self.document, **{_TEXTS[kind]: str(operation.get("value") or "")})
            return None
        raise _Wrong("unknown_operation", f"There is no operation '{kind}'.", KNOWN)

    def _add(self, index: int, operation: Operation) -> str:
        spec = self._block(str(operation.get("block", "")))
        taken = {node.id for node in self.document.nodes}
        node_id = str(operation.get("id") or _free_id(spec.name, taken))
        if node_id in taken:
            raise _Wrong("node_exists", f"There is a node '{node_id}' already.")
        inputs = operation.get("inputs") or {}
        if not isinstance(inputs, dict):
            raise _Wrong("bad_inputs", "`inputs` must be an object.")
        for name in inputs:
            _check_pin(spec, spec.inputs, name, "input")
        place = (len(taken) * COLUMN, 0)
        node = Node(node_id, spec.id, str(operation.get("name") or ""), inputs, place)
        self.document = replace(self.document, nodes=(*self.document.nodes, node))
        self.made[f"@{index}"] = node_id
        return node_id

    def _connect(self, operation: Operation) -> str:
        source, target = self._node(operation, "from"), self._node(operation, "to")
        link = Link(source.id, str(operation.get("out", "")), target.id, str(operation.get("in", "")))
        giver, taker = self._block(source.block), self._block(target.block)
        _check_pin(giver, giver.outputs, link.out, "output")
        _check_pin(taker, taker.inputs, link.sink, "input")
        if any(link.key == other.key for other in self.document.links):
            raise _Wrong("link_exists", "This link is there already.")
        self.document = replace(self.document, links=(*self.document.links, link))
        return target.id

    def _set_input(self, operation: Operation) -> str:
        node = self._node(operation, "node")
        spec = self._block(node.block)
        first, *rest = str(operation.get("field", "")).split(".")
        _check_pin(spec, spec.inputs, first, "input")
        changed = {**node.inputs, first: _written(node.inputs.get(first), rest, operation.get("value"))}
        nodes = tuple(replace(one, inputs=changed) if one.id == node.id else one for one in self.document.nodes)
        self.document = replace(self.document, nodes=nodes)
        return node.id

    def _node(self, operation: Operation, key: str) -> Node:
        name = str(operation.get(key, ""))
        if name in self.failed:
            raise _Wrong("blocked", f"{name} could not be made.")
        wanted = self.made.get(name, name)
        for node in self.document.nodes:
            if node.id == wanted:
                return node
        raise _Wrong("unknown_node", f"There is no node '{name}'.", [node.id for node in self.document.nodes])

    def _block(self, name: str) -> BlockSpec:
        """By id, or by its exact name in any case."""
        if found := self.catalogue.get(name):
            return found
        for spec in self.catalogue.values():
            if spec.name.casefold() == name.casefold():
                return spec
        raise _Wrong("unknown_block", f"There is no block '{name}'.", sorted(s.name for s in self.catalogue.values()))


def _check_pin(spec: BlockSpec, schema: JsonObject, pin: str, side: str) -> None:
    known = properties(schema)
    if pin_base(pin) not in known and not takes_any_pin(spec, schema):
        raise _Wrong("unknown_pin", f"{spec.name} has no {side} '{pin}'.", list(known))


def _written(base: Json, path: list[str], value: Json) -> Json:
    if not path:
        return value
    inside: JsonObject = dict(base) if isinstance(base, dict) else {}
    return {**inside, path[0]: _written(inside.get(path[0]), path[1:], value)}


def _free_id(name: str, taken: set[str]) -> str:
    stem = "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in name.lower())[:50]
    if stem not in taken:
        return stem
    return next(f"{stem}_{n}" for n in range(2, len(taken) + 3) if f"{stem}_{n}" not in taken)
