"""A step that waits for a turn of AutoPilot: asked once, watched, heard, and stopped when its run ends first.

Conversations are kept elsewhere, above this slice: what is needed of them arrives as a `Pilot`.
"""

from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, cast

from pilothouse.base.committer import Refused, Write
from pilothouse.base.jobs.moves import micros
from pilothouse.base.jobs.tables import watches
from pilothouse.base.jobs.watches import unwatch, watch
from pilothouse.base.reader import Reader
from pilothouse.base.statements import delete_by
from pilothouse.blocks.context import PilotAnswer, PilotOrder
from pilothouse.blocks.pins import BlockFailed
from pilothouse.engine.context import StepContext, Waiting
from pilothouse.engine.ports import LeaseLost
from pilothouse.engine.run import Run
from pilothouse.engine.state import Pause
from pilothouse.features.runs.journal import land
from pilothouse.features.runs.writes import in_name_of
from pilothouse.graph.catalogue import Kind
from pilothouse.kit.errors import PilothouseError
from pilothouse.kit.ids import child_id, derived_id
from pilothouse.kit.json import JsonObject, dumps, loads

if TYPE_CHECKING:
    from pilothouse.features.runs.desk import Desk

TURN: Final = "turn"  # what a step waits for here
MAX_SECONDS: Final = 21_600
ASKED_BY: Final = "asked_by"  # in what a run was accepted with: the turn that started it, and what that may do
_KEY: Final = "autopilot"  # of watches
_FORGET = delete_by(watches, ["watcher_id"])


class Errand(NamedTuple):
    """What a step asks AutoPilot for. Session and message are the step's: asked again, they are the same."""

    run_id: str
    user_id: str
    session_id: str
    message_id: str
    order: PilotOrder
    asked_by: JsonObject | None  # session_id, turn_id and permissions of the turn that started the run, if one did


class Standing(NamedTuple):
    """How far an errand is. `turn_id` is the turn to wait for: its own, or the one that its session is busy with."""

    turn_id: str | None  # None: nobody will answer it any more
    asked_at: int
    ended: bool


class Spent(NamedTuple):
    """What an errand cost with one provider."""

    provider: str
    microdollars: int
    prompt_tokens: int
    completion_tokens: int


class PilotEnd(NamedTuple):
    """How the turn ended. `error` says why there is no answer."""

    answer: PilotAnswer
    status: str
    error: str | None
    spent: list[Spent]


class Pilot(Protocol):
    """AutoPilot, as a run sees it."""

    async def ask(self, errand: Errand) -> bool:
        """Start its turn, or put it before the turn that the session is busy with; twice is as once.

        False when the run was cancelled or is over. Raises `UserError` when it cannot be asked.
        """
        ...

    async def standing(self, user_id: str, session_id: str, message_id: str) -> Standing | None:
        """None when the session or the message is gone."""
        ...

    async def end_of(self, user_id: str, session_id: str, message_id: str) -> PilotEnd:
        """What a turn that has ended came to."""
        ...

    async def stop(self, user_id: str, session_id: str, message_id: str) -> None:
        """Stop the turn that this message started; take the message back from another's."""
        ...


async def run_autopilot(desk: "Desk", step: StepContext, order: PilotOrder) -> PilotAnswer:
    """The answer of the step's own turn, or a wait for it."""
    desk.asked = True
    pilot, errand, key = _pilot(desk), _errand(desk, step, order), f"{_KEY} {step.step_id}/{step.attempt}"
    try:
        await _ask_once(desk, pilot, errand, key)
        found = await _watched(desk, pilot, errand, key)
        if found is None:
            raise BlockFailed("autopilot_failed", f"Session {errand.session_id} is gone.", _told(errand))
        if not found.ended:
            await _wait(pilot, step, errand, found)
        end = await pilot.end_of(*_place(errand))
    except (BlockFailed, PilothouseError):
        desk.journal.with_next([unwatch(errand.run_id, key)])
        raise
    desk.journal.with_next([unwatch(errand.run_id, key)])
    for spent in end.spent:
        tokens = {"prompt": spent.prompt_tokens, "completion": spent.completion_tokens}
        step.spend(spent.provider, spent.microdollars, tokens)
    if end.error is not None:
        text = f"AutoPilot did not get through in session {errand.session_id}: {end.error}"
        raise BlockFailed("autopilot_failed", text, _told(errand) | {"status": end.status})
    return end.answer


async def _ask_once(desk: "Desk", pilot: Pilot, errand: Errand, key: str) -> None:
    """The watch is there first: should the run be cancelled meanwhile, whoever ends it knows what to stop."""
    sql = "select job_id from watches where watcher_id=?1 and key=?2"
    rows = await desk.counter.reader.rows(sql, errand.run_id, key)
    if rows and rows[0][0] != errand.message_id:
        return
    await desk.committed()
    await _land(desk, watch(errand.run_id, key, errand.message_id, _body(errand)))
    if not await pilot.ask(errand):
        await desk.refused()


async def _watched(desk: "Desk", pilot: Pilot, errand: Errand, key: str) -> Standing | None:
    """How it stands after the watch of that very turn was written: so its end cannot be missed."""
    found, watched = await pilot.standing(*_place(errand)), None
    while found is not None and not found.ended and found.turn_id != watched and found.turn_id is not None:
        watched = found.turn_id
        await _land(desk, watch(errand.run_id, key, watched, _body(errand)))
        found = await pilot.standing(*_place(errand))
    return found


async def _wait(pilot: Pilot, step: StepContext, errand: Errand, found: Standing) -> None:
    """Sleep, unless it has taken too long already or nobody is going to answer."""
    seconds = min(MAX_SECONDS, step.step.node.timeout_s or MAX_SECONDS)
    due = found.asked_at + round(seconds * 1_000_000)
    if found.turn_id is not None and micros() < due:
        raise Waiting(Pause(TURN, due, {"session_id": errand.session_id, "turn_id": found.turn_id}))
    await pilot.stop(*_place(errand))
    if found.turn_id is None:
        text = f"Session {errand.session_id} was busy and ended without taking the task up."
        raise BlockFailed("autopilot_failed", text, _told(errand), retryable=True)
    text = f"AutoPilot took longer than {seconds:g} seconds in session {errand.session_id} and was stopped."
    raise BlockFailed("timeout", text, _told(errand) | {"seconds": seconds})


def may_ask(run: Run) -> bool:
    """Whether a step of it may have asked, as far as its agent tells; one that cannot be read may have."""
    nodes = run.plan.nodes
    return not nodes or any(node.kind is Kind.AI for node in nodes)


async def stop_turns(desk: "Desk") -> None:
    """Stop what steps of this run still wait for. Safe to repeat: the watches go with the end of the run."""
    if desk.pilot is None:
        return
    for body in await _bodies(desk.counter.reader, desk.hold.job.id):
        await desk.pilot.stop(desk.hold.job.user_id, str(body["session_id"]), str(body["message_id"]))


def forget_watches(run_id: str) -> Write:
    """Goes with the end of the run."""
    return _FORGET, (run_id,)


async def _bodies(reader: Reader, run_id: str) -> list[JsonObject]:
    rows = await reader.rows("select body from watches where watcher_id=?1 order by key", run_id)
    return [cast(JsonObject, loads(body)) for (body,) in rows]


async def _land(desk: "Desk", write: Write) -> None:
    try:
        await land(desk.counter.committer, in_name_of(desk.hold.job, [write]), desk.hold.lease)
    except (Refused, LeaseLost):
        desk.let_go()


def _pilot(desk: "Desk") -> Pilot:
    if desk.pilot is None:
        raise BlockFailed("not_available", "There is no AutoPilot here.")
    return desk.pilot


def _errand(desk: "Desk", step: StepContext, order: PilotOrder) -> Errand:
    job, name = desk.hold.job, f"autopilot {step.step_id}/{step.attempt}"
    session_id, asked_by = order.session_id or child_id(job.id, name), desk.run.facts.get(ASKED_BY)
    by = cast(JsonObject | None, asked_by)
    return Errand(job.id, job.user_id, session_id, derived_id(job.id, name), order, by)


def _place(errand: Errand) -> tuple[str, str, str]:
    return errand.user_id, errand.session_id, errand.message_id


def _body(errand: Errand) -> str:
    above = errand.asked_by or {}
    told = {"session_id": errand.session_id, "message_id": errand.message_id}
    return dumps({**told, "above": [above.get("session_id"), above.get("turn_id")]})


def _told(errand: Errand) -> JsonObject:
    return {"session_id": errand.session_id}
