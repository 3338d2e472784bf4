"""The agents inside an agent, as rows and as parts of a file."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace

from pilothouse.base.work import Read
from pilothouse.features.agents import queries
from pilothouse.graph.catalogue import Catalogue
from pilothouse.graph.document import MAX_SUB_AGENTS, Document, Node, content_hash
from pilothouse.graph.parse import parse
from pilothouse.graph.sub_agents import (
    NO_MASKS,
    Children,
    Masks,
    Pinned,
    embedded,
    masks_inside,
    repinned,
    sub_agents_of,
)
from pilothouse.graph.validate import MAX_JUDGED
from pilothouse.kit.ids import is_id
from pilothouse.kit.json import dumps, loads


async def find_children(
    doc: Document,
    catalogue: Catalogue,
    find: Callable[[str, int], Awaitable[str | None]],
    masks: Masks = NO_MASKS,
) -> dict[Pinned, Document]:
    """Every version below this one that `find` has a text for, nearest first; what travels inside is left out.

    Masks may name others at any depth. One more than an agent may have is enough to refuse it.
    """
    inside, found = embedded(doc), dict[Pinned, Document]()
    waiting = [(doc, masks), *((child, NO_MASKS) for child in inside.values())]
    seen: set[tuple[Pinned, str]] = set()
    while waiting and len(found) <= MAX_SUB_AGENTS and len(seen) <= MAX_JUDGED:
        graph, over = waiting.pop(0)
        for node, pinned in _by_id(sub_agents_of(graph, catalogue, over)):
            below = masks_inside(node, over)
            if pinned is None or not _is_possible(pinned) or (use := (pinned, dumps(below))) in seen:
                continue
            seen.add(use)
            child = inside.get(pinned) or found.get(pinned)
            if child is None and (text := await find(*pinned)) is not None:
                child = found[pinned] = parse(loads(text))
            if child is not None:
                waiting.append((child, below))
    return found


async def children_of(read: Read, doc: Document, catalogue: Catalogue) -> dict[Pinned, Document]:
    """Those of the actor's own agents. A deleted one counts: what was pinned never changes."""

    async def find(agent_id: str, version: int) -> str | None:
        return await queries.find_pinned(read, agent_id, version)

    return await find_children(doc, catalogue, find)


async def find_stored(read: Read, doc: Document, catalogue: Catalogue) -> Pinned | None:
    """The actor's agent and version that say exactly this, sub-agents inside the document included."""
    inside, places = travelling(doc, catalogue), dict[Pinned, Pinned]()
    while len(places) < len(inside):
        ready = [
            pinned
            for pinned, child in inside.items()
            if pinned not in places and all(one in places or one not in inside for one in wanted_by(child, catalogue))
        ]
        for pinned in ready:
            same = await _find_same(read, inside[pinned], catalogue, places)
            if same is None:
                return None
            places[pinned] = same
        if not ready:
            return None  # they pin each other: whoever stores this will say so
    return await _find_same(read, doc, catalogue, places)


async def _find_same(read: Read, doc: Document, catalogue: Catalogue, places: dict[Pinned, Pinned]) -> Pinned | None:
    return await queries.find_same(read, content_hash(replace(repinned(doc, catalogue, places), sub_agents=())))


def travelling(doc: Document, catalogue: Catalogue) -> dict[Pinned, Document]:
    """Those inside the document that it, or one of them, pins."""
    inside, found = embedded(doc), dict[Pinned, Document]()
    waiting = [doc]
    while waiting:
        for pinned in wanted_by(waiting.pop(0), catalogue):
            if pinned in inside and pinned not in found:
                found[pinned] = inside[pinned]
                waiting.append(inside[pinned])
    return found


def wanted_by(doc: Document, catalogue: Catalogue) -> list[Pinned]:
    """What the nodes of this document pin, in the order of their ids."""
    nodes = _by_id(sub_agents_of(doc, catalogue))
    return list(dict.fromkeys(pinned for _, pinned in nodes if pinned is not None))


def _by_id(nodes: Iterable[tuple[Node, Pinned | None]]) -> list[tuple[Node, Pinned | None]]:
    return sorted(nodes, key=lambda item: item[0].id)


def renumbered(doc: Document, children: Children, ids: dict[str, str], catalogue: Catalogue) -> list[Document]:
    """The document and its children with other ids, the versions of each counted from 1.

    So a file says the same however often it was exported and imported.
    """
    versions: dict[str, list[int]] = {}
    for agent_id, version in sorted(children):
        versions.setdefault(agent_id, []).append(version)
    places = {
        (agent_id, version): (ids.get(agent_id, agent_id), number)
        for agent_id, many in versions.items()
        for number, version in enumerate(many, start=1)
    }
    made = [replace(repinned(doc, catalogue, places), sub_agents=())]
    for pinned, child in children.items():
        agent_id, version = places[pinned]
        made.append(replace(repinned(child, catalogue, places), id=agent_id, version=version, sub_agents=()))
    return made


def _is_possible(pinned: Pinned) -> bool:
    """A number that no column holds would be the database's error."""
    return is_id(pinned[0]) and 1 <= pinned[1] < 2**31
