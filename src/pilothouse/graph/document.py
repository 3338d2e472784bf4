"""An agent's graph as a typed value, its canonical text and its content hash."""

from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Final, Literal, TypeAlias

from pilothouse.kit.json import Json, JsonObject, dump_bytes, pretty

FORMAT: Final = "pilothouse.agent/1"
MAX_NODES: Final = 1_000
MAX_LINKS: Final = 5_000
MAX_SUB_AGENTS: Final = 50
MAX_BYTES: Final = 10 * 1024 * 1024

OnError: TypeAlias = Literal["continue", "fail"]
RetryOn: TypeAlias = Literal["retryable", "any"]
LinkKey: TypeAlias = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class Retry:
    """How often a failing step is tried again, and how long it rests in between."""

    max_attempts: int = 1
    backoff_s: float = 1
    factor: float = 2
    max_backoff_s: float = 300
    jitter: float = 0.2
    on: RetryOn = "retryable"


@dataclass(frozen=True, slots=True)
class Policy:
    """What a node asks of the engine."""

    retry: Retry = Retry()
    timeout_s: float | None = None
    on_error: OnError = "continue"
    ordered: bool = True


@dataclass(frozen=True, slots=True)
class Node:
    """A block placed in an agent; `inputs` are its literal values by pin and are never changed in place."""

    id: str
    block: str
    name: str = ""
    inputs: JsonObject = field(default_factory=dict[str, Json])
    position: tuple[float, float] = (0, 0)
    policy: Policy = Policy()
    optional_credentials: bool = False
    placeholder: bool = False  # an import brought it without what it needs to run: it is kept, and refuses to run


@dataclass(frozen=True, slots=True)
class Link:
    """A wire from an output pin to an input pin (`from`, `out`, `to`, `in` in the document)."""

    source: str
    out: str
    target: str
    sink: str
    static: bool = False

    @property
    def key(self) -> LinkKey:
        """What makes a link that link; `static` is only a property of it."""
        return (self.source, self.out, self.target, self.sink)


@dataclass(frozen=True, slots=True)
class Document:
    """One version of an agent."""

    name: str = ""
    description: str = ""
    instructions: str = ""
    recommended_schedule_cron: str | None = None
    nodes: tuple[Node, ...] = ()
    links: tuple[Link, ...] = ()
    sub_agents: tuple["Document", ...] = ()
    id: str | None = None
    version: int | None = None


def canonical(doc: Document) -> str:
    """The one text of a document: fixed key order, nodes by id, links by identity, defaults left out."""
    return pretty(to_json(doc))


def content_hash(doc: Document) -> str:
    """SHA-256 over what the agent does and says.

    Not over its id, its version number, where its nodes are drawn, or what an installation lacks of it.
    """
    body = to_json(unmarked(doc), positions=False)
    body.pop("id", None)
    body.pop("version", None)
    return sha256(dump_bytes(body)).hexdigest()


def unmarked(doc: Document) -> Document:
    """The same without marks of placeholders, as it is handed on: what is missing here may be there elsewhere."""
    nodes = tuple(replace(node, placeholder=False) if node.placeholder else node for node in doc.nodes)
    return replace(doc, nodes=nodes, sub_agents=tuple(unmarked(child) for child in doc.sub_agents))


def to_json(doc: Document, *, positions: bool = True) -> JsonObject:
    """The canonical form as JSON values."""
    body: JsonObject = {"format": FORMAT}
    for key in ("id", "version", "name", "description", "instructions", "recommended_schedule_cron"):
        value = getattr(doc, key)
        if value is not None and value != "":
            body[key] = value
    body["nodes"] = [node_json(node, positions=positions) for node in sorted(doc.nodes, key=lambda node: node.id)]
    body["links"] = [link_json(link) for link in sorted(doc.links, key=lambda link: link.key)]
    if doc.sub_agents:
        body["sub_agents"] = [to_json(child, positions=positions) for child in doc.sub_agents]
    return body


def node_json(node: Node, *, positions: bool = True) -> JsonObject:
    """One node in canonical form. Pins are sorted; the order inside a value is the author's and means something."""
    body: JsonObject = {"id": node.id, "block": node.block}
    if node.name:
        body["name"] = node.name
    if positions and node.position != (0, 0):
        body["position"] = list(node.position)
    if node.inputs:
        body["inputs"] = {pin: node.inputs[pin] for pin in sorted(node.inputs)}
    policy = policy_json(node.policy)
    if policy:
        body["policy"] = policy
    if node.optional_credentials:
        body["optional_credentials"] = True
    if node.placeholder:
        body["placeholder"] = True
    return body


def policy_json(policy: Policy) -> JsonObject:
    """A policy in canonical form: empty when it asks for nothing special."""
    plain, body = Policy(), JsonObject()
    retry: JsonObject = {
        key: getattr(policy.retry, key)
        for key in Retry.__dataclass_fields__
        if getattr(policy.retry, key) != getattr(plain.retry, key)
    }
    if retry:
        body["retry"] = retry
    for key in ("timeout_s", "on_error", "ordered"):
        if getattr(policy, key) != getattr(plain, key):
            body[key] = getattr(policy, key)
    return body


def link_json(link: Link) -> JsonObject:
    """One link in canonical form."""
    body: JsonObject = {"from": link.source, "out": link.out, "to": link.target, "in": link.sink}
    if link.static:
        body["static"] = True
    return body
