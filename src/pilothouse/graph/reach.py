"""Which nodes can ever run: a fixed point over the links, and the cycles that keep some from it."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from pilothouse.graph.document import Link


def can_run(links: Iterable[Link], starters: set[str]) -> set[str]:
    """Nodes that may get a value on every linked pin, given those that start by themselves."""
    lacking: dict[str, set[str]] = defaultdict(set)
    feeds: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for link in links:
        lacking[link.target].add(link.sink)
        feeds[link.source].append((link.target, link.sink))
    live = set(starters)
    todo = list(starters)
    while todo:
        for target, pin in feeds[todo.pop()]:
            lacking[target].discard(pin)
            if not lacking[target] and target not in live:
                live.add(target)
                todo.append(target)
    return live


def self_fed_pins(links: Sequence[Link], dead: set[str]) -> set[tuple[str, str]]:
    """Pins of dead nodes that only their own cycle feeds."""
    cycle = _cycles(dead, [(link.source, link.target) for link in links])
    inside: dict[tuple[str, str], bool] = {}
    for link in links:
        if link.target in dead:
            own = link.source in dead and cycle[link.source] == cycle[link.target]
            key = (link.target, link.sink)
            inside[key] = inside.get(key, True) and own
    return {key for key, only in inside.items() if only}


def _cycles(nodes: set[str], edges: Iterable[tuple[str, str]]) -> dict[str, int]:
    """A number per node, equal for nodes that reach each other (Kosaraju's two passes, without recursion)."""
    ahead: dict[str, list[str]] = defaultdict(list)
    back: dict[str, list[str]] = defaultdict(list)
    for source, target in edges:
        if source in nodes and target in nodes:
            ahead[source].append(target)
            back[target].append(source)
    number: dict[str, int] = {}
    for start in reversed(_finish_order(nodes, ahead)):
        todo = [start]
        while todo:
            node = todo.pop()
            if node not in number:
                number[node] = number[start] if start in number else len(number)
                todo.extend(back[node])
    return number


def _finish_order(nodes: set[str], ahead: dict[str, list[str]]) -> list[str]:
    order: list[str] = []
    seen: set[str] = set()
    for start in sorted(nodes):
        stack = [(start, False)]
        while stack:
            node, done = stack.pop()
            if done:
                order.append(node)
            elif node not in seen:
                seen.add(node)
                stack.append((node, True))
                stack.extend((target, False) for target in ahead[node])
    return order
