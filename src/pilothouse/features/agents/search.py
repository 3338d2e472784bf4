"""Finding blocks and agents by a few words, best first. Pure text ranking: no provider is needed."""

from collections.abc import Callable, Iterable, Sequence
from math import sqrt
from typing import NamedTuple, TypeVar

from pilothouse.features.agents.agent import Agent
from pilothouse.graph.catalogue import BlockSpec, Kind
from pilothouse.kit.words import stems

# Parts of the machinery of an agent; found when one is being built, in the way otherwise.
_MACHINERY = frozenset({Kind.INPUT, Kind.OUTPUT, Kind.NOTE, Kind.TRIGGER, Kind.REVIEW, Kind.AGENT, Kind.MCP_TOOL})
# So are those that think for themselves: whoever searches is one of them, and has better ways to delegate.
_PILOTS = frozenset({"c069dc6b-c3ed-4c12-b6e5-d47361e64ce6", "3b191d9f-356f-482d-8238-ba04b6d18381"})
NAME, CATEGORY, TEXT = 4.0, 2.0, 1.0

Thing = TypeVar("Thing")


def find_blocks(specs: Iterable[BlockSpec], query: str, limit: int, *, building: bool) -> Sequence[BlockSpec]:
    """The blocks that fit; disabled ones never, an agent's inputs and outputs only while `building`."""
    shown = [spec for spec in specs if not spec.disabled and (building or not _is_machinery(spec))]
    return ranked(shown, query, lambda spec: (spec.name, " ".join(spec.categories), spec.description), limit)


def _is_machinery(spec: BlockSpec) -> bool:
    return spec.kind in _MACHINERY or spec.id in _PILOTS


def find_agents(agents: Iterable[Agent], query: str, limit: int) -> Sequence[Agent]:
    """The agents that fit; all of them, in their order, when the query says nothing."""
    shown = list(agents)
    if not stems(query):
        return shown[:limit]
    return ranked(shown, query, lambda agent: (agent.name, "", agent.description), limit)


def ranked(
    things: Sequence[Thing], query: str, texts: Callable[[Thing], tuple[str, str, str]], limit: int
) -> Sequence[Thing]:
    """Those that share a word with the query: by what it weighs, then by how short the name is."""
    read = [_Text(*map(stems, texts(thing))) for thing in things]
    rarity = {stem: _rarity(stem, read) for stem in stems(query)}
    scored = [
        (_score(rarity, text), texts(thing)[0].casefold(), thing) for thing, text in zip(things, read, strict=True)
    ]
    found = sorted((item for item in scored if item[0] > 0), key=lambda item: (-item[0], len(item[1].split()), item[1]))
    return [thing for _, _, thing in found[:limit]]


class _Text(NamedTuple):
    """The stems of what is said of a thing."""

    name: frozenset[str]
    categories: frozenset[str]
    description: frozenset[str]


def _rarity(stem: str, texts: Sequence[_Text]) -> float:
    """A word that few things have says more about them than one that many have."""
    having = sum(stem in text.name or stem in text.categories or stem in text.description for text in texts)
    return sqrt(len(texts) / max(having, 1))


def _score(rarity: dict[str, float], text: _Text) -> float:
    return sum(
        weight
        * max(NAME * (stem in text.name), CATEGORY * (stem in text.categories), TEXT * (stem in text.description))
        for stem, weight in rarity.items()
    )
