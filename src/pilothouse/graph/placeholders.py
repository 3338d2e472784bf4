"""Nodes that an import brought and that cannot run here: kept as they are, and refused by every run."""

from collections import deque
from collections.abc import Iterator
from dataclasses import replace

from pilothouse.graph.catalogue import Catalogue
from pilothouse.graph.document import Document, Node
from pilothouse.graph.sub_agents import Children, Pinned, sub_agents_of


def marked(doc: Document, catalogue: Catalogue, known: Children) -> Document:
    """The document with exactly those nodes marked that lack their block or their agent, at every depth inside it."""
    lost = {node.id for node, pinned in sub_agents_of(doc, catalogue) if pinned is None or pinned not in known}
    nodes = tuple(replace(node, placeholder=is_lacking(node, catalogue) or node.id in lost) for node in doc.nodes)
    return replace(doc, nodes=nodes, sub_agents=tuple(marked(child, catalogue, known) for child in doc.sub_agents))


def still_marked(doc: Document, stored: Document) -> Document:
    """A document that was sent back without the marks that its stored version has."""
    waiting = {(node.id, node.block) for node in stored.nodes if node.placeholder}
    if not waiting:
        return doc
    nodes = (replace(node, placeholder=True) if (node.id, node.block) in waiting else node for node in doc.nodes)
    return replace(doc, nodes=tuple(nodes))


def agents_below(doc: Document, catalogue: Catalogue, known: Children) -> Iterator[tuple[Pinned | None, str, Document]]:
    """The agent and, once each and nearest first, those below it: what they are, the way to their nodes, what they say.

    The way is how a validation names their nodes, `parent/` for a node of the agent that the node `parent` runs.
    """
    yield None, "", doc
    waiting, seen = deque([("", doc)]), set[Pinned]()
    while waiting:
        way, graph = waiting.popleft()
        for node, pinned in sub_agents_of(graph, catalogue):
            if pinned is None or pinned in seen or pinned not in known:
                continue
            seen.add(pinned)
            yield pinned, f"{way}{node.id}/", known[pinned]
            waiting.append((f"{way}{node.id}/", known[pinned]))


def is_lacking(node: Node, catalogue: Catalogue) -> bool:
    """Whether no block that may run stands behind this node."""
    spec = catalogue.get(node.block)
    return spec is None or spec.disabled
