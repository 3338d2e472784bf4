"""An agent brought from another system, with what had to be changed or left behind on the way."""

from dataclasses import dataclass, field

from pilothouse.graph.document import Document, Link
from pilothouse.graph.sub_agents import Pinned
from pilothouse.kit.json import Json


@dataclass(frozen=True, slots=True)
class Changed:
    """A value that means the same here under another name, or that had to give way."""

    node_id: str
    field: str
    before: Json
    after: Json
    reason: str
    agent: Pinned | None = None  # which of the agents in the file; None is the outermost


@dataclass(frozen=True, slots=True)
class Dropped:
    """What was left behind. Its value is not told: it may be a secret."""

    node_id: str
    field: str
    reason: str
    link: Link | None = None
    agent: Pinned | None = None


@dataclass(slots=True)
class Brought:
    """A document of ours made from a file, and what is to be said of it."""

    doc: Document
    changed: list[Changed] = field(default_factory=list[Changed])
    dropped: list[Dropped] = field(default_factory=list[Dropped])
    named: list[tuple[Pinned | None, str, str]] = field(default_factory=list[tuple[Pinned | None, str, str]])
    # `named` says whose credentials nodes held: agent, node, provider


@dataclass(frozen=True, slots=True)
class Notes:
    """Where a reader writes down what it does to one of the agents in a file."""

    brought: Brought
    agent: Pinned | None

    def change(self, node_id: str, field: str, before: Json, after: Json, reason: str) -> None:
        self.brought.changed.append(Changed(node_id, field, before, after, reason, self.agent))

    def drop(self, node_id: str, field: str, reason: str, link: Link | None = None) -> None:
        self.brought.dropped.append(Dropped(node_id, field, reason, link, self.agent))

    def name(self, node_id: str, provider: str) -> None:
        self.brought.named.append((self.agent, node_id, provider))
