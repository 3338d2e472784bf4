"""Compiled versions for the hot path: found without a session, compiled once, kept."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, Generic, TypeVar

from pilothouse.base.reader import Reader
from pilothouse.base.work import Handlers, Work
from pilothouse.engine.plan import Plan, PlanImpossible, PlanNode, compile_plan
from pilothouse.features.agents.children import find_children
from pilothouse.features.agents.documents import refused
from pilothouse.features.agents.errors import AgentInvalid, AgentNotFound, VersionNotFound
from pilothouse.features.agents.events import AgentActivated, AgentDeleted, AgentFact, AgentSaved, AgentSettingsChanged
from pilothouse.features.agents.inputs import InputCheck
from pilothouse.graph.catalogue import Catalogue, Kind
from pilothouse.graph.credential_needs import Spot, credential_spots
from pilothouse.graph.document import Document
from pilothouse.graph.parse import parse
from pilothouse.graph.placeholders import with_stand_ins
from pilothouse.graph.report import Report
from pilothouse.graph.schema import input_schema
from pilothouse.graph.sub_agents import NO_MASKS, Children, Masks
from pilothouse.graph.validate import validate
from pilothouse.kit.json import JsonObject, loads

HEAD_SECONDS: Final = 5.0  # how long a change made by another process may go unseen
MAX_HEADS: Final = 4_096
MAX_PLANS: Final = 512
_LARGE: Final = 64_000  # a document of more characters is compiled beside the event loop

_HEAD = (
    "select user_id, active_version, newest_version, review_required, review_sensitive from agents"
    " where id=?1 and deleted_at is null"
)
_CHILD = (
    "select v.document from agents p join agents c on c.user_id=p.user_id join agent_versions v on v.agent_id=c.id"
    " where p.id=?1 and v.agent_id=?2 and v.version=?3"
)
_OWNED = "select review_required, review_sensitive from agents where id=?1 and user_id=?2"
_DOCUMENT = "select document from agent_versions where agent_id=?1 and version=?2"

K = TypeVar("K")
V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Planned:
    """A version that is ready to run, or to be refused by its report."""

    agent_id: str
    version: int
    plan: Plan
    document: Document
    children: Children  # the versions that it pins, at every depth
    input_schema: JsonObject
    report: Report  # at level `run`, without inputs, masks and credentials
    check_inputs: Callable[[JsonObject], None]  # raises `AgentInvalid`
    sub_agents: tuple[PlanNode, ...] = ()  # the nodes that run other agents
    spots: tuple[Spot, ...] = ()  # where it needs credentials, at every depth
    needs_payload: bool = False  # it has a trigger


@dataclass(frozen=True, slots=True)
class Head:
    """Whose an agent is and which version is in use, as it was at some moment before `until`."""

    user_id: str
    active_version: int
    newest_version: int
    review_required: bool
    review_sensitive: bool
    until: float


class Recent(Generic[K, V]):
    """What was used last, up to a number of things."""

    __slots__ = ("_items", "_most")

    def __init__(self, most: int) -> None:
        self._items: OrderedDict[K, V] = OrderedDict()
        self._most = most

    def get(self, key: K) -> V | None:
        found = self._items.get(key)
        if found is not None:
            self._items.move_to_end(key)
        return found

    def put(self, key: K, value: V) -> None:
        self._items[key] = value
        self._items.move_to_end(key)
        if len(self._items) > self._most:
            self._items.popitem(last=False)

    def drop(self, key: K) -> None:
        self._items.pop(key, None)


class Plans:
    """Finds what a run needs of its agent. One per process."""

    def __init__(self, reader: Reader, catalogue: Catalogue, clock: Callable[[], float] = time.monotonic) -> None:
        self._reader = reader
        self.catalogue = catalogue
        self._clock = clock
        self._heads: Recent[str, Head] = Recent(MAX_HEADS)
        self._planned: Recent[tuple[str, int], Planned] = Recent(MAX_PLANS)
        self._changes = 0

    async def find(self, user_id: str, agent_id: str, version: int | None = None) -> Planned:
        """This user's agent, at its active version unless one is named.

        Raises `AgentNotFound` for an unknown, foreign or deleted agent, `VersionNotFound`, and `AgentInvalid`
        when the version cannot even be compiled.
        """
        head = await self.check_owner(user_id, agent_id)
        if version is None:
            return await self.pinned(agent_id, head.active_version)
        if version > head.newest_version:  # another process may have saved it this very second
            head = await self._read_head(agent_id)
        if not 1 <= version <= head.newest_version:
            raise VersionNotFound()
        return await self.pinned(agent_id, version)

    async def check_owner(self, user_id: str, agent_id: str) -> Head:
        """Raises `AgentNotFound` for an unknown, foreign or deleted agent."""
        head = self._known(agent_id) or await self._read_head(agent_id)
        if head.user_id != user_id:
            raise AgentNotFound()
        return head

    async def review_modes(self, user_id: str, agent_id: str) -> tuple[bool, bool]:
        """Whether review blocks ask, and whether sensitive ones do. Raises `AgentNotFound`."""
        head = await self.check_owner(user_id, agent_id)
        return bool(head.review_required), bool(head.review_sensitive)

    async def pinned(self, agent_id: str, version: int) -> Planned:
        """That version, whoever owns it and even if deleted: for work that was admitted already."""
        found = self._planned.get((agent_id, version))
        if found is not None:
            return found
        text = await self._text_of(agent_id, version)
        document = await _beside(text, partial(_parsed, text))
        children = await self.children_of(agent_id, document)
        make = partial(_planned, agent_id, version, document, self.catalogue, children)
        made = await _beside(text, make)
        self._planned.put((agent_id, version), made)
        return made

    async def outline(self, agent_id: str, version: int) -> Plan:
        """That version for who only reads what its runs did, also when a block of it is no longer installed."""
        try:
            return (await self.pinned(agent_id, version)).plan
        except AgentInvalid:
            text = await self._text_of(agent_id, version)
            return await _beside(text, partial(_outlined, text, self.catalogue))

    async def _text_of(self, agent_id: str, version: int) -> str:
        rows = await self._reader.rows(_DOCUMENT, agent_id, version)
        if not rows:
            raise VersionNotFound()
        return rows[0][0]

    async def find_child(self, user_id: str, agent_id: str, version: int) -> tuple[Planned, bool, bool]:
        """A version that a step runs, and what its agent says of reviews. One that is deleted goes on working.

        Raises `AgentNotFound` for an unknown or foreign agent, and `VersionNotFound`.
        """
        rows = await self._reader.rows(_OWNED, agent_id, user_id)
        if not rows:
            raise AgentNotFound()
        if not 1 <= version < 2**31:  # a number that no column holds
            raise VersionNotFound()
        return await self.pinned(agent_id, version), bool(rows[0][0]), bool(rows[0][1])

    async def children_of(self, agent_id: str, document: Document, masks: Masks = NO_MASKS) -> Children:
        """What its sub-agent nodes, or the masks over them, pin, as far as it belongs to the same user."""

        async def find(child_id: str, version: int) -> str | None:
            rows = await self._reader.rows(_CHILD, agent_id, child_id, version)
            return rows[0][0] if rows else None

        return await find_children(document, self.catalogue, find, masks)

    def forget(self, agent_id: str) -> None:
        """Look again next time: this agent was changed."""
        self._changes += 1
        self._heads.drop(agent_id)

    def handlers(self) -> Handlers:
        """What to wire so that a change made in this process is seen at once."""
        return {fact: (self._heed,) for fact in (AgentSaved, AgentActivated, AgentSettingsChanged, AgentDeleted)}

    async def _heed(self, work: Work, fact: AgentFact) -> None:
        work.after_commit.append(partial(self.forget, fact.agent_id))

    def _known(self, agent_id: str) -> Head | None:
        head = self._heads.get(agent_id)
        return head if head is not None and self._clock() < head.until else None

    async def _read_head(self, agent_id: str) -> Head:
        changes, until = self._changes, self._clock() + HEAD_SECONDS
        rows = await self._reader.rows(_HEAD, agent_id)
        if not rows:
            self._heads.drop(agent_id)
            raise AgentNotFound()
        head = Head(*rows[0], until=until)
        if changes == self._changes:  # else what was read may be older than a change since
            self._heads.put(agent_id, head)
        return head


async def _beside(text: str, work: Callable[[], V]) -> V:
    """Here when the document is small, else beside the event loop."""
    return work() if len(text) < _LARGE else await asyncio.to_thread(work)


def _parsed(text: str) -> Document:
    return parse(loads(text))


def _outlined(text: str, catalogue: Catalogue) -> Plan:
    document = _parsed(text)
    return compile_plan(document, with_stand_ins(document, catalogue))


def _planned(agent_id: str, version: int, document: Document, catalogue: Catalogue, children: Children) -> Planned:
    report = validate(document, catalogue, "run", children=children)
    try:
        plan = compile_plan(document, catalogue)
    except PlanImpossible as impossible:
        raise refused(report) from impossible
    schema = input_schema(document, catalogue)
    nested = tuple(node for node in plan.nodes if node.kind is Kind.AGENT)
    spots = tuple(credential_spots(document, catalogue, children))
    check, hooked = InputCheck(schema), any(node.kind is Kind.TRIGGER for node in plan.nodes)
    return Planned(agent_id, version, plan, document, children, schema, report, check, nested, spots, hooked)
