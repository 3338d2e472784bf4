"""The agents below an agent: which there are, what lies above each, how deep they lie."""

from dataclasses import dataclass, field
from typing import Final

from pilothouse.graph.catalogue import Catalogue
from pilothouse.graph.document import Document
from pilothouse.graph.sub_agents import MAX_DEPTH, Children, Pinned, sub_agents_of

ROOT: Final = None  # the agent that was asked about


@dataclass(slots=True)
class Family:
    """Over all ways down: the agent ids above each version, and the longest way to it (one too deep is deep enough)."""

    ids: dict[Pinned | None, str | None]
    above: dict[Pinned | None, frozenset[str]] = field(default_factory=dict[Pinned | None, frozenset[str]])
    depth: dict[Pinned | None, int] = field(default_factory=dict[Pinned | None, int])

    def above_children(self, parent: Pinned | None) -> frozenset[str]:
        """The ids that a child of this agent must not have."""
        own = self.ids[parent]
        return self.above[parent] | {own} if own else self.above[parent]


def survey(doc: Document, catalogue: Catalogue, children: Children) -> Family:
    """Walk down until nothing new is learnt. Ends on any input: what it learns only grows, and has a bound."""
    family = Family({ROOT: doc.id}, {ROOT: frozenset()}, {ROOT: 0})
    waiting: list[tuple[Pinned | None, Document]] = [(ROOT, doc)]
    while waiting:
        parent, graph = waiting.pop()
        above, depth = family.above_children(parent), min(family.depth[parent] + 1, MAX_DEPTH + 1)
        for _, pinned in sub_agents_of(graph, catalogue):
            child = None if pinned is None else children.get(pinned)
            if pinned is None or child is None:
                continue
            if pinned not in family.depth or not above <= family.above[pinned] or depth > family.depth[pinned]:
                family.ids[pinned] = pinned[0]
                family.above[pinned] = family.above.get(pinned, frozenset()) | above
                family.depth[pinned] = max(family.depth.get(pinned, 0), depth)
                waiting.append((pinned, child))
    return family
