"""Where an agent needs credentials: its own nodes and those of its sub-agents, and which needs one choice serves."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, NamedTuple

from pilothouse.graph.catalogue import Catalogue, Credentials
from pilothouse.graph.credential_fit import misfit, providers_of
from pilothouse.graph.document import Document
from pilothouse.graph.fields import is_credentials, properties, required
from pilothouse.graph.json_schema import as_list, as_object
from pilothouse.graph.pins import pin_base
from pilothouse.graph.report import Report
from pilothouse.graph.sub_agents import MAX_DEPTH, NO_MASKS, Children, Masks, Pinned, masks_inside, sub_agents_of
from pilothouse.kit.json import Json, JsonObject

MAX_SPOTS: Final = 2_000


class Spot(NamedTuple):
    """A credentials pin of a node. `path` is the node's id, below those of the sub-agents that it lies in."""

    path: str
    pin: str
    schema: JsonObject
    given: JsonObject  # what the node holds, with the masks over it
    is_needed: bool  # its block cannot do without
    may_skip: bool  # its node is not to run without

    @property
    def named(self) -> Json:
        """The reference that it holds."""
        return self.given.get(self.pin)

    @property
    def providers(self) -> tuple[str, ...]:
        return providers_of(self.schema, self.given)

    @property
    def key(self) -> str:
        """Spots of one key can be served by one credential."""
        types = sorted(map(str, as_list(self.schema.get("credentials_types"))))
        return f"{'+'.join(sorted(self.providers))}:{'+'.join(types)}"

    @property
    def named_id(self) -> str | None:
        found = as_object(self.named).get("id")
        return found if isinstance(found, str) else None


@dataclass(frozen=True, slots=True)
class Need:
    """What one choice of a credential serves."""

    key: str
    providers: tuple[str, ...]
    types: tuple[str, ...]
    scopes: tuple[str, ...]
    spots: tuple[Spot, ...]

    @property
    def is_required(self) -> bool:
        return any(spot.is_needed and not spot.may_skip and spot.named is None for spot in self.spots)


def credential_spots(
    doc: Document, catalogue: Catalogue, children: Children, masks: Masks = NO_MASKS
) -> Iterator[Spot]:
    """Every pin that wants a credential and is not fed by a link, up to a number that nobody chooses by hand.

    What lies beyond it is judged when the sub-agent that it lies in starts.
    """
    walk = _Walk(catalogue, children)
    return islice(walk.spots(doc, masks, 0), MAX_SPOTS)


@dataclass(slots=True)
class _Walk:
    """Goes down only where something is to be found: agents can be below one another in very many ways."""

    catalogue: Catalogue
    children: Children
    wants: dict[Pinned, bool] = field(default_factory=dict[Pinned, bool])

    def spots(self, doc: Document, masks: Masks, depth: int) -> Iterator[Spot]:
        yield from self._own(doc, masks)
        if depth == MAX_DEPTH:
            return
        for node, pinned in sub_agents_of(doc, self.catalogue, masks):
            if pinned is not None and self._is_wanting(pinned):
                for spot in self.spots(self.children[pinned], masks_inside(node, masks), depth + 1):
                    yield spot._replace(path=f"{node.id}/{spot.path}")

    def _own(self, doc: Document, masks: Masks) -> Iterator[Spot]:
        fed = {(link.target, pin_base(link.sink)) for link in doc.links}
        for node in doc.nodes:
            spec = self.catalogue.get(node.block)
            pins = [] if spec is None else [pin for pin in properties(spec.inputs) if is_credentials(pin)]
            if spec is None or not pins:
                continue
            given, fields = {**node.inputs, **masks.get(node.id, {})}, properties(spec.inputs)
            for pin in pins:
                if (node.id, pin) not in fed:
                    needed = pin in required(spec.inputs)
                    yield Spot(node.id, pin, fields[pin], given, needed, node.optional_credentials)

    def _is_wanting(self, pinned: Pinned) -> bool:
        """Whether this agent, or one below it, has a credentials pin."""
        if pinned not in self.wants:
            doc = self.children.get(pinned)
            self.wants[pinned] = False  # also the answer to whoever asks again on the way round a ring
            if doc is not None:
                below = (found for _, found in sub_agents_of(doc, self.catalogue) if found is not None)
                self.wants[pinned] = any(self._own(doc, NO_MASKS)) or any(map(self._is_wanting, below))
        return self.wants[pinned]


def merged_needs(spots: Iterable[Spot]) -> list[Need]:
    """What is to be chosen, each need once, scopes united."""
    groups: dict[str, list[Spot]] = {}
    for spot in spots:
        groups.setdefault(spot.key, []).append(spot)
    return [
        Need(
            key,
            spots[0].providers,
            tuple(sorted(map(str, as_list(spots[0].schema.get("credentials_types"))))),
            tuple(sorted({str(scope) for spot in spots for scope in as_list(spot.schema.get("credentials_scopes"))})),
            tuple(spots),
        )
        for key, spots in groups.items()
    ]


def chosen_masks(spots: Iterable[Spot], choices: Mapping[str, JsonObject]) -> dict[str, JsonObject]:
    """The choices as masks, for the spots that name none themselves."""
    masks: dict[str, JsonObject] = {}
    for spot in spots:
        if spot.named is None and (chosen := choices.get(spot.key)) is not None:
            masks.setdefault(spot.path, {})[spot.pin] = chosen
    return masks


def left_out(spots: Iterable[Spot], usable: Collection[str]) -> list[str]:
    """The agent's own nodes that are to be skipped: for want of credentials, as they say themselves."""
    found = (
        spot.path
        for spot in spots
        if spot.may_skip and spot.is_needed and "/" not in spot.path and spot.named_id not in usable
    )
    return list(dict.fromkeys(found))


def check_credentials(spots: Iterable[Spot], known: Credentials, report: Report) -> None:
    """Judge what every spot names, by a literal or by a mask; a node that may be skipped is not at fault."""
    for spot in spots:
        if spot.named is None or spot.may_skip:
            continue
        found = known.get(spot.named_id) if spot.named_id is not None else None
        if fault := misfit(spot.pin, spot.schema, spot.given, found):
            report.add(spot.path, spot.pin, "credentials_unusable", fault)
