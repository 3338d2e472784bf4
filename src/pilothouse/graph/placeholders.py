"""Nodes that an import brought and that cannot run here: kept as they are, and refused by every run."""

from collections import deque
from collections.abc import Iterator
from dataclasses import replace

from pilothouse.graph.catalogue import BlockSpec, Catalogue, Effects, Kind
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


def with_stand_ins(doc: Document, catalogue: Catalogue) -> Catalogue:
    """The blocks of a document, for one who only reads: a stand-in says of a block that is gone that it was there."""
    return {node.block: catalogue.get(node.block) or _stand_in(node.block) for node in doc.nodes}


def _stand_in(block_id: str) -> BlockSpec:
    """It says the most that the block can have done: who ends a run then looks for all that it may have begun."""
    return BlockSpec(
        id=block_id,
        name=block_id,
        description="",
        categories=(),
        kind=Kind.AI,
        effects=Effects.WRITES,
        static_output=False,
        streams=False,
        sensitive=False,
        cpu_heavy=False,
        timeout_s=None,
        inputs={"type": "object", "properties": {}},
        outputs={"type": "object", "properties": {}},
        happy_pins=(),
        examples=(),
        disabled=True,
        reason="not installed",
    )


def is_lacking(node: Node, catalogue: Catalogue) -> bool:
    """Whether no block that may run stands behind this node."""
    spec = catalogue.get(node.block)
    return spec is None or spec.disabled
