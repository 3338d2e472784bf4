"""Reads an agent document and names everything that is wrong with its shape in one pass."""

import math
import re
from collections.abc import Callable, Collection
from typing import TypeVar, cast

from pilothouse.graph.document import FORMAT, Document, Link, Node, OnError, Policy, Retry, RetryOn
from pilothouse.kit.errors import Invalid
from pilothouse.kit.json import MAX_DEPTH, Json, JsonObject, depth

_T = TypeVar("_T")
NODE_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_NESTING = 10

_DOCUMENT_KEYS = {
    *("format", "id", "version", "name", "description", "instructions"),
    *("recommended_schedule_cron", "nodes", "links", "sub_agents"),
}
_NODE_KEYS = {"id", "block", "name", "inputs", "position", "policy", "optional_credentials", "placeholder"}
_POLICY_KEYS = {"retry", "timeout_s", "on_error", "ordered"}
_LINK_KEYS = {"from", "out", "to", "in", "static"}


class BadDocument(Invalid):
    """This is not a well-formed agent document."""

    wire_code = "bad_document"

    def __init__(self, faults: list[tuple[str, str]]) -> None:
        super().__init__(
            "; ".join(f"{where}: {message}" for where, message in faults[:3]),
            faults=[{"where": where, "message": message} for where, message in faults],
        )
        self.faults = faults


def parse(value: Json) -> Document:
    """The document that this JSON describes; raises `BadDocument` with every fault, each with its place."""
    reader = _Reader()
    if depth(value) > MAX_DEPTH:
        raise BadDocument([("$", f"Values nest deeper than {MAX_DEPTH} levels.")])
    doc = reader.document(value, "$", 0)
    if reader.faults:
        raise BadDocument(reader.faults)
    return doc


def parse_node(value: Json) -> Node:
    """One node; raises `BadDocument`."""
    reader = _Reader()
    node = reader.node(value, "node")
    if reader.faults:
        raise BadDocument(reader.faults)
    return node


class _Reader:
    """Collects faults while it reads; after a fault it goes on with a default, and the result is thrown away."""

    def __init__(self) -> None:
        self.faults: list[tuple[str, str]] = []

    def fault(self, where: str, message: str) -> None:
        self.faults.append((where, message))

    def object(self, value: Json, where: str, known: Collection[str]) -> JsonObject:
        if not isinstance(value, dict):
            self.fault(where, "This must be an object.")
            return {}
        for key in value:
            if key not in known:
                self.fault(f"{where}.{key}", f"'{key}' is not a known key here.")
        return value

    def items(self, value: Json, where: str, read: Callable[[Json, str], _T]) -> tuple[_T, ...]:
        if not isinstance(value, list):
            self.fault(where, "This must be a list.")
            return ()
        return tuple(read(item, f"{where}[{index}]") for index, item in enumerate(value))

    def text(self, body: JsonObject, key: str, where: str, *, required: bool = False) -> str:
        value = body.get(key, None if required else "")
        if isinstance(value, str) and (value or not required):
            return value
        self.fault(f"{where}.{key}", "This must be text." if key in body else f"'{key}' is missing.")
        return ""

    def flag(self, body: JsonObject, key: str, where: str, default: bool) -> bool:
        value = body.get(key, default)
        if isinstance(value, bool):
            return value
        self.fault(f"{where}.{key}", "This must be true or false.")
        return default

    def number(self, body: JsonObject, key: str, where: str, default: float, low: float, high: float) -> float:
        value = body.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            self.fault(f"{where}.{key}", f"This must be a number from {low:g} to {high:g}.")
            return default
        return value

    def choice(self, body: JsonObject, key: str, where: str, options: tuple[str, ...]) -> str:
        value = body.get(key, options[0])
        if isinstance(value, str) and value in options:
            return value
        self.fault(f"{where}.{key}", f"This must be one of {', '.join(options)}.")
        return options[0]

    def document(self, value: Json, where: str, level: int) -> Document:
        body = self.object(value, where, _DOCUMENT_KEYS)
        if body.get("format", FORMAT) != FORMAT:
            self.fault(f"{where}.format", f"This must be '{FORMAT}'.")
        if level > _NESTING:
            self.fault(where, f"Sub-agents nest deeper than {_NESTING} levels.")
            return Document()
        return Document(
            name=self.text(body, "name", where),
            description=self.text(body, "description", where),
            instructions=self.text(body, "instructions", where),
            recommended_schedule_cron=self.optional_text(body, "recommended_schedule_cron", where),
            nodes=self.items(body.get("nodes", []), f"{where}.nodes", self.node),
            links=self.items(body.get("links", []), f"{where}.links", self.link),
            sub_agents=self.items(
                body.get("sub_agents", []),
                f"{where}.sub_agents",
                lambda child, place: self.document(child, place, level + 1),
            ),
            id=self.optional_text(body, "id", where),
            version=self.version(body, where),
        )

    def optional_text(self, body: JsonObject, key: str, where: str) -> str | None:
        return None if body.get(key) is None else self.text(body, key, where) or None

    def version(self, body: JsonObject, where: str) -> int | None:
        value = body.get("version")
        if value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= 1):
            return value
        self.fault(f"{where}.version", "This must be a whole number from 1.")
        return None

    def node(self, value: Json, where: str) -> Node:
        body = self.object(value, where, _NODE_KEYS)
        node_id = self.text(body, "id", where, required=True)
        if node_id and not NODE_ID.fullmatch(node_id):
            self.fault(f"{where}.id", "A node id is 1 to 64 letters, digits, '_' or '-'.")
        block = self.text(body, "block", where, required=True)
        if block and not _UUID.fullmatch(block):
            self.fault(f"{where}.block", "A block id is a lowercase UUID.")
        inputs = body.get("inputs", {})
        if not isinstance(inputs, dict):
            self.fault(f"{where}.inputs", "This must be an object.")
            inputs = {}
        return Node(
            id=node_id,
            block=block,
            name=self.text(body, "name", where),
            inputs=inputs,
            position=self.position(body, where),
            policy=self.policy(body.get("policy", {}), f"{where}.policy"),
            optional_credentials=self.flag(body, "optional_credentials", where, default=False),
            placeholder=self.flag(body, "placeholder", where, default=False),
        )

    def position(self, body: JsonObject, where: str) -> tuple[float, float]:
        value = body.get("position", [0, 0])
        if isinstance(value, list) and len(value) == 2 and all(_is_finite(item) for item in value):
            return cast(tuple[float, float], tuple(value))
        self.fault(f"{where}.position", "This must be two numbers.")
        return (0, 0)

    def policy(self, value: Json, where: str) -> Policy:
        body = self.object(value, where, _POLICY_KEYS)
        timeout = body.get("timeout_s")
        return Policy(
            retry=self.retry(body.get("retry", {}), f"{where}.retry"),
            timeout_s=None if timeout is None else self.number(body, "timeout_s", where, 1, 1, 86_400),
            on_error=cast(OnError, self.choice(body, "on_error", where, ("continue", "fail"))),
            ordered=self.flag(body, "ordered", where, default=True),
        )

    def retry(self, value: Json, where: str) -> Retry:
        body = self.object(value, where, Retry.__dataclass_fields__)
        plain = Retry()
        attempts = self.number(body, "max_attempts", where, plain.max_attempts, 1, 10)
        if attempts != int(attempts):
            self.fault(f"{where}.max_attempts", "This must be a whole number.")
        return Retry(
            max_attempts=int(attempts),
            backoff_s=self.number(body, "backoff_s", where, plain.backoff_s, 0, 86_400),
            factor=self.number(body, "factor", where, plain.factor, 1, 100),
            max_backoff_s=self.number(body, "max_backoff_s", where, plain.max_backoff_s, 0, 86_400),
            jitter=self.number(body, "jitter", where, plain.jitter, 0, 1),
            on=cast(RetryOn, self.choice(body, "on", where, ("retryable", "any"))),
        )

    def link(self, value: Json, where: str) -> Link:
        body = self.object(value, where, _LINK_KEYS)
        return Link(
            source=self.text(body, "from", where, required=True),
            out=self.text(body, "out", where, required=True),
            target=self.text(body, "to", where, required=True),
            sink=self.text(body, "in", where, required=True),
            static=self.flag(body, "static", where, default=False),
        )


def _is_finite(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
