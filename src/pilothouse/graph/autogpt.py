"""Agents as AutoGPT exports them, read as documents of ours. A file is data: nothing in it is run or followed."""

import re
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping
from itertools import count
from typing import Final

from pilothouse.graph.autogpt_nodes import HOOKS, NO_PLACE, NODE_TAKEN, REASONS, NodeReader, Versions, is_version
from pilothouse.graph.brought import Brought, Notes
from pilothouse.graph.catalogue import Catalogue
from pilothouse.graph.document import FORMAT, Document
from pilothouse.graph.json_schema import as_list, as_object
from pilothouse.graph.parse import NODE_ID, BadDocument, parse
from pilothouse.graph.report import AGENT
from pilothouse.graph.sub_agents import Pinned
from pilothouse.kit.json import MAX_DEPTH, Json, JsonObject, depth, dumps

_TAKEN: Final = frozenset({"id", "version", "name", "description", "instructions", "recommended_schedule_cron"})
_PARTS: Final = frozenset({"nodes", "links", "sub_graphs"})
_METADATA_TAKEN: Final = frozenset({"position", "customized_name", "credentials_optional"})
_LINK_TAKEN: Final = frozenset({"source_id", "source_name", "sink_id", "sink_name", "is_static"})
_NODE_LINKS: Final = ("input_links", "output_links")


def is_autogpt(file: Json) -> bool:
    """Whether this looks like an agent of AutoGPT: nodes with a `block_id`, links with a `source_id`."""
    body = as_object(file)
    links = as_list(body.get("links"))
    has_blocks = any("block_id" in as_object(node) for node in as_list(body.get("nodes")))
    return has_blocks and (not links or any("source_id" in as_object(link) for link in links))


def read_autogpt(file: JsonObject, catalogue: Catalogue) -> Brought:
    """The document that the file describes; raises `BadDocument` with every fault of its shape."""
    if depth(file) > MAX_DEPTH:
        raise BadDocument([("$", f"Values nest deeper than {MAX_DEPTH} levels.")])
    brought = Brought(Document())
    children = _sub_graphs(file, Notes(brought, None))
    versions: defaultdict[str, list[int]] = defaultdict(list)
    for agent_id, version in children:
        versions[agent_id].append(version)
    body = _agent(file, catalogue, versions, Notes(brought, None))
    inside: list[Json] = [
        {**_agent(raw, catalogue, versions, Notes(brought, pinned)), "id": pinned[0], "version": pinned[1]}
        for pinned, raw in children.items()
    ]
    brought.doc = parse({"format": FORMAT, **body, "sub_agents": inside})
    return brought


def _sub_graphs(file: JsonObject, notes: Notes) -> dict[Pinned, JsonObject]:
    """Every agent inside, at any depth, by the id and version that nodes name it by."""
    found: dict[Pinned, JsonObject] = {}
    waiting = deque(as_object(item) for item in as_list(file.get("sub_graphs")))
    while waiting:
        raw = waiting.popleft()
        waiting += [as_object(item) for item in as_list(raw.get("sub_graphs"))]
        agent_id, version = raw.get("id"), raw.get("version", 1)
        if not isinstance(agent_id, str) or not agent_id or not is_version(version):
            notes.drop(AGENT, "sub_graphs[]", "An agent inside needs the id and version that nodes name.")
        elif (agent_id, version) in found:
            notes.drop(AGENT, "sub_graphs[]", f"The agent {agent_id} is there twice.")
        else:
            found[(agent_id, version)] = raw
    return found


def _agent(raw: JsonObject, catalogue: Catalogue, versions: Versions, notes: Notes) -> JsonObject:
    for key in sorted(raw.keys() - _TAKEN - _PARTS):
        if raw[key]:
            notes.drop(AGENT, key, REASONS.get(key, NO_PLACE))
    ids = _other_ids(raw, notes)
    nodes = NodeReader(catalogue, versions, notes, ids)
    return {
        "name": raw.get("name") or "",
        "description": raw.get("description") or "",
        "instructions": raw.get("instructions") or "",
        "recommended_schedule_cron": raw.get("recommended_schedule_cron") or None,
        "nodes": [nodes.read(node) for node in as_list(raw.get("nodes"))],
        "links": _links(raw, ids, notes),
    }


def _other_ids(raw: JsonObject, notes: Notes) -> dict[str, str]:
    """The ids that nodes cannot have here, and those that they get instead."""
    given = [as_object(node).get("id") for node in as_list(raw.get("nodes"))]
    texts = [node_id for node_id in given if isinstance(node_id, str) and node_id]
    taken, made = set(texts), dict[str, str]()
    numbers: defaultdict[str, Iterator[int]] = defaultdict(lambda: count(1))
    for node_id in dict.fromkeys(texts):
        if NODE_ID.fullmatch(node_id):
            continue
        stem = re.sub(r"[^A-Za-z0-9_-]", "_", node_id)[:56]
        name = next(name for n in numbers[stem] if (name := stem if n == 1 else f"{stem}_{n}") not in taken)
        taken.add(name)
        made[node_id] = name
        notes.change(name, "id", node_id, name, "A node id is 1 to 64 letters, digits, '_' or '-'.")
    return made


def _links(raw: JsonObject, ids: Mapping[str, str], notes: Notes) -> Json:
    """The agent's own list; only where there is none, those that its nodes tell."""
    nodes = [as_object(node) for node in as_list(raw.get("nodes"))]
    taken, given = NODE_TAKEN | frozenset(HOOKS), raw.get("links")
    if given is None:
        told = [link for node in nodes for key in _NODE_LINKS for link in as_list(node.get(key))]
        given = list({dumps(link): link for link in told}.values())  # each is told at both of its ends
        taken |= frozenset(_NODE_LINKS)
    _drop_keys(notes, "nodes[]", nodes, taken)
    _drop_keys(notes, "nodes[].metadata", [as_object(node.get("metadata")) for node in nodes], _METADATA_TAKEN)
    _drop_keys(notes, "links[]", [as_object(link) for link in as_list(given)], _LINK_TAKEN)
    return [_link(link, ids) for link in given] if isinstance(given, list) else given


def _drop_keys(notes: Notes, where: str, items: list[JsonObject], taken: frozenset[str]) -> None:
    """Name what many parts have alike once, with how many have it."""
    told = Counter(key for item in items for key in item if key not in taken and item[key])
    for key, number in sorted(told.items()):
        notes.drop(AGENT, f"{where}.{key}", f"{REASONS.get(key, NO_PLACE)} (Found {number} times.)")


def _link(item: Json, ids: Mapping[str, str]) -> Json:
    if not isinstance(item, dict):
        return item  # `parse` says what is wrong with it
    source, target = item.get("source_id"), item.get("sink_id")
    return {
        "from": ids.get(source, source) if isinstance(source, str) else source,
        "out": item.get("source_name"),
        "to": ids.get(target, target) if isinstance(target, str) else target,
        "in": item.get("sink_name"),
        "static": item.get("is_static") or False,
    }
