"""What must be true of a run before it is written down; every way in asks here, a sub-agent's step too."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple, TypeAlias, cast

from pilothouse.base.jobs.moves import micros
from pilothouse.base.keyring import Keyring
from pilothouse.engine.entries import REHEARSAL, Entry, Tree, accepted
from pilothouse.engine.flow import EDITS
from pilothouse.engine.large import LIMIT, Kept, pack_entries
from pilothouse.engine.records import BY_NODE, RECORDS, Record
from pilothouse.features.agents import Planned, Plans, refused
from pilothouse.features.credentials import Vault
from pilothouse.features.runs.begun import ORIGIN
from pilothouse.features.runs.children import Parent
from pilothouse.features.runs.masks import NONE_SPLIT, SEALED, seal_masks, split_masks
from pilothouse.features.runs.writes import NewRun
from pilothouse.graph.bare import BareCatalogue, bare_document, bare_masks
from pilothouse.graph.credential_needs import check_credentials, chosen_masks, credential_spots, left_out
from pilothouse.graph.sub_agents import NO_MASKS, Masks
from pilothouse.graph.validate import validate
from pilothouse.kit.ids import AgentId
from pilothouse.kit.json import Json, JsonObject, dump_bytes, dumps


@dataclass(frozen=True, slots=True)
class RunAsk:
    """What to run."""

    agent_id: AgentId
    inputs: Mapping[str, Json]
    version: int | None = None
    masks: Mapping[str, JsonObject] | None = None
    trigger: str = "api"
    credentials: Mapping[str, JsonObject] | None = None  # what was chosen for the agent's needs, by their keys
    asked_by: JsonObject | None = None  # session_id, turn_id and permissions of the turn that asks for it
    payload: JsonObject | None = None  # what a trigger was sent
    origin: JsonObject | None = None  # the run that it goes back to: kind, run_id, step_id
    rehearsal: JsonObject | None = None  # mode, as_of and seed of a dry run
    records: Sequence[Record] = ()  # what steps of another run came to, for a dry run
    records_are: str = BY_NODE  # what they are used as; the other way is `REPLAYS`
    edits: JsonObject | None = None  # inputs of single steps, by number, in a replay of a run that had some


class Modes(NamedTuple):
    """Whom a run asks before it goes on; pinned when it starts."""

    required: bool = True  # review blocks ask a person
    sensitive: bool = False  # so does every block that is marked as sensitive

    def stricter(self, other: "Modes") -> "Modes":
        """A child asks when it or its parent would."""
        return Modes(self.required or other.required, self.sensitive or other.sensitive)


USUAL: Final = Modes()


def modes_of(facts: JsonObject) -> Modes:
    """From what a run was accepted with."""
    told = facts.get("reviews")
    return Modes(*cast(list[bool], told)) if isinstance(told, list) else USUAL


class Cleared(NamedTuple):
    """What a run may begin with."""

    masks: Mapping[str, JsonObject]
    skips: Sequence[str] = ()  # nodes that do without the credentials which they lack, and so do nothing


_PLAIN: Final = Cleared(NO_MASKS)
TakeOver: TypeAlias = Callable[[Entry, Masks], list[Entry]]


async def check_run(plans: Plans, vault: Vault, user_id: str, planned: Planned, ask: RunAsk) -> Cleared:
    """Raises `AgentInvalid` with every fault, of sub-agents too. Masks are rare and change what is required."""
    if ask.rehearsal is not None:
        return await _check_rehearsal(plans, planned, ask)
    lacks_payload = planned.needs_payload and ask.payload is None
    if not ask.masks and not ask.credentials and not planned.spots and not lacks_payload:
        if not planned.report.valid:
            raise refused(planned.report)
        planned.check_inputs(dict(ask.inputs))
        return _PLAIN
    masks = {path: dict(mask) for path, mask in (ask.masks or {}).items()}
    children = await plans.children_of(planned.agent_id, planned.document, masks)
    look = partial(credential_spots, planned.document, plans.catalogue, children)
    if ask.credentials:
        masks = _over(chosen_masks(look(masks), ask.credentials), masks)
    spots = list(look(masks))
    known = await vault.known(user_id, [spot.named_id for spot in spots if spot.named_id is not None])
    report = validate(
        *(planned.document, plans.catalogue, "run", dict(ask.inputs), masks, ask.payload),
        children=children,
    )
    check_credentials(spots, known, report)
    if not report.valid:
        raise refused(report)
    return Cleared(masks, left_out(spots, known))


async def _check_rehearsal(plans: Plans, planned: Planned, ask: RunAsk) -> Cleared:
    """A dry run opens no credentials, so it needs none: agent and blocks are judged without theirs."""
    masks = bare_masks(ask.masks or {})
    children = await plans.children_of(planned.agent_id, planned.document, masks)
    report = validate(
        bare_document(planned.document),
        BareCatalogue(plans.catalogue),
        "run",
        inputs=dict(ask.inputs),
        masks=masks,
        payload=ask.payload,
        children={pinned: bare_document(child) for pinned, child in children.items()},
    )
    if not report.valid:
        raise refused(report)
    return Cleared(masks)


def _over(under: dict[str, JsonObject], above: dict[str, JsonObject]) -> dict[str, JsonObject]:
    """Masks of nodes, pin by pin."""
    return {path: {**under.get(path, {}), **above.get(path, {})} for path in [*under, *above]}


def new_run(
    run_id: str,
    user_id: str,
    ask: RunAsk,
    planned: Planned,
    keyring: Keyring,
    modes: Modes = USUAL,
    parent: Parent | None = None,
    cleared: Cleared = _PLAIN,
    take_over: TakeOver | None = None,
) -> NewRun:
    """The run as it will be written. `take_over` makes its next entries, and may add to its first."""
    now = micros()
    inputs = dict(ask.inputs)
    masks = split_masks(cleared.masks, planned.plan) if cleared.masks else NONE_SPLIT
    entry = accepted(now, inputs, masks.shown, ask.payload, cleared.skips)
    if masks.hidden:
        entry[2][SEALED] = seal_masks(keyring, run_id, masks.hidden)
    if modes is not USUAL and modes != USUAL:
        entry[2]["reviews"] = list(modes)
    _add_unusual(entry[2], ask, parent)
    more = [] if take_over is None else take_over(entry, masks.hidden)
    kept: Kept = {}
    text = _written(entry, kept)
    return NewRun(
        id=run_id,
        user_id=user_id,
        agent_id=ask.agent_id,
        version=planned.version,
        trigger=ask.trigger,
        inputs=dumps(inputs),
        dry_run=ask.rehearsal is not None,
        created_at=now,
        first_entry=text.decode(),
        hidden=masks.hidden,
        origin=None if ask.origin is None else dumps(ask.origin),
        head=1 + len(more),
        taken_over=dumps(pack_entries(more, kept)) if more else "",
        values=tuple(kept.items()),
    )


def _written(entry: Entry, kept: Kept) -> bytes:
    text = dump_bytes(entry)
    return text if len(text) <= LIMIT else dump_bytes(*pack_entries([entry], kept))


def _add_unusual(facts: dict[str, Tree], ask: RunAsk, parent: Parent | None) -> None:
    """What few runs are accepted with."""
    if parent is not None:
        facts["parent"] = list(parent)
    for name, told in (("asked_by", ask.asked_by), (ORIGIN, ask.origin), (REHEARSAL, ask.rehearsal)):
        if told is not None:
            facts[name] = told
    if ask.records:
        facts |= {RECORDS: [record.as_json() for record in ask.records], ask.records_are: True}
    if ask.edits:
        facts[EDITS] = ask.edits
