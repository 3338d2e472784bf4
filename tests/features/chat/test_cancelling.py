"""10: a cancel is a row first; it stops a turn wherever it is, within five seconds, with or without its worker."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

import pytest

from pilothouse.base.committer import WriteSet
from pilothouse.base.jobs.cancels import CANCEL_JOB
from pilothouse.base.jobs.moves import micros
from pilothouse.base.reader import Reader
from pilothouse.features.chat import Cancelled, MessagePending, TurnBegun, cancelling
from pilothouse.features.chat.cancelling import Cancels
from pilothouse.kit.ids import new_id
from tests.base.waiting import until
from tests.features.chat.hearing import hearing
from tests.features.chat.parlour import Parlour


@pytest.fixture
def confirm(monkeypatch: pytest.MonkeyPatch) -> float:
    """How long a worker has to end what is cancelled: less than it really has, for the test sits it out."""
    monkeypatch.setattr(cancelling, "CANCEL_CONFIRM_SECONDS", 1.0)
    return 1.0


def test_a_worker_has_five_seconds_to_end_what_is_cancelled():
    """10.1, 10.2."""
    assert (cancelling.CANCEL_CONFIRM_SECONDS, cancelling.CANCEL_POLL_SECONDS) == (5.0, 0.5)


async def test_an_idle_session_has_nothing_to_cancel(parlour: Parlour):
    session = await parlour.session()
    answer = await parlour.stand.ann.http.post(f"/api/v1/chat/sessions/{session}/cancel")
    assert (answer.status_code, answer.json()) == (200, {"cancelled": False, "reason": "no_active_task"})


async def test_a_turn_in_line_is_taken_out_of_it(parlour: Parlour):
    """10.2: and the place that it waited for goes to the next."""
    gate = new_id()
    running = [await parlour.start(await parlour.session(), f"wait {gate}") for _ in range(5)]
    sessions = [await parlour.session() for _ in range(2)]
    turns = [await parlour.start(session, "say hello") for session in sessions]
    async with hearing(parlour, "GET", f"/{sessions[0]}/stream") as heard:
        await heard.hears(1)
        assert await parlour.chat.cancel_turn(parlour.ann, sessions[0]) == Cancelled(True, "dequeued")
        await heard.ends()
    assert heard.types == ["data-status", "abort", "finish", "[DONE]"]
    assert await parlour.ended(turns[0]) == "cancelled"
    parlour.open(gate)
    assert [await parlour.ended(turn) for turn in [*running, turns[1]]] == ["completed"] * 6


async def test_open_parts_are_closed_before_the_end_is_told(parlour: Parlour):
    """10.4."""
    session, gate = await parlour.session(), new_id()
    async with hearing(parlour, "POST", f"/{session}/stream", {"message": f"talk {gate}"}) as heard:
        await parlour.reaches(gate)
        answer = await parlour.stand.ann.http.post(f"/api/v1/chat/sessions/{session}/cancel")
        assert answer.json() == {"cancelled": True, "reason": None}
        await heard.ends()
    assert heard.types[2:] == [
        *("start-step", "text-start", "text-delta", "tool-input-start", "text-end", "tool-output-error"),
        *("finish-step", "abort", "finish", "[DONE]"),
    ]
    shown = (await parlour.stand.ann.http.get(f"/api/v1/chat/sessions/{session}")).json()
    answer = shown["messages"][1]
    assert (answer["status"], answer["parts"][1]["text"], answer["parts"][1]["state"]) == (
        "cancelled",
        "half a",
        "done",
    )
    assert answer["parts"][2]["error"]["code"] == "interrupted"
    assert shown["active_turn"] is None


async def test_two_cancels_at_once_are_safe(parlour: Parlour):
    """10.7."""
    session, gate = await parlour.session(), new_id()
    turn = await parlour.start(session, f"wait {gate}")
    await parlour.reaches(gate)
    both = await asyncio.gather(*(parlour.chat.cancel_turn(parlour.ann, session) for _ in range(2)))
    assert Cancelled(True, None) in both
    assert await parlour.ended(turn) == "cancelled"
    assert (await parlour.types(session)).count("turn-ended") == 1


async def test_a_worker_that_does_not_listen_loses_the_turn(parlour: Parlour, confirm: float):
    """10.1, 10.2, 10.3: then the turn is settled without it, and what it still writes is nothing."""
    session, gate = await parlour.session(), new_id()
    turn = await parlour.start(session, f"insist {gate}")
    await parlour.reaches(gate)
    began = time.monotonic()
    done = await parlour.chat.cancel_turn(parlour.ann, session)
    assert done == Cancelled(True, "cancel_published_not_confirmed")
    assert confirm - 0.1 < time.monotonic() - began < 2 * confirm
    assert await parlour.ended(turn, 1) == "cancelled"
    before = await parlour.types(session)
    parlour.open(gate)
    await until(lambda: parlour.actor.running == 0)
    assert await parlour.types(session) == before


async def test_a_message_after_a_cancel_starts_a_turn_of_its_own(parlour: Parlour, confirm: float):
    """10.6: behind the dying one, for as long as that one has at most."""
    session, gate = await parlour.session(), new_id()
    dying = await parlour.start(session, f"insist {gate}")
    await parlour.reaches(gate)
    asked = asyncio.create_task(parlour.chat.cancel_turn(parlour.ann, session))
    await until(lambda: _is_marked(parlour, dying))
    began = time.monotonic()
    begun = await parlour.say(session, "say fresh")
    assert time.monotonic() - began < 2 * confirm
    assert isinstance(begun, TurnBegun)
    assert begun.turn_id != dying
    assert await parlour.ended(dying) == "cancelled"
    assert await parlour.ended(begun.turn_id) == "completed"
    await asked
    parlour.open(gate)


async def _is_marked(parlour: Parlour, turn: str) -> bool:
    rows = await parlour.stand.rows("select cancel_at is not null from jobs where id=?1", turn)
    return bool(rows and rows[0][0])


async def _mark(parlour: Parlour, turn: str) -> None:
    """Ask the turn to stop, and tell nobody."""
    lane = f"turn/{parlour.ann.user_id}"
    mark = (CANCEL_JOB, (turn, lane, None, micros(), "nobody"))
    await parlour.chat.lines.committer.land(WriteSet((mark,), locks=(lane,)))


async def _lose(parlour: Parlour, turn: str, *, marked_before: int = 0) -> None:
    """Its worker has lost the cancelled turn, which is in line again, for much later."""
    await parlour.stand.tell(
        "update jobs set state='queued', owner=null, fence=fence+1, due_at=:far, cancel_at=cancel_at-:past"
        " where id=:id",
        far=2**60,
        past=marked_before,
        id=turn,
    )


@pytest.mark.usefixtures("confirm")
async def test_a_cancelled_turn_that_is_in_line_again_is_ended_all_the_same(parlour: Parlour):
    """10.3: its worker lost it after the mark; its place in the lane is given back once."""
    session, gate = await parlour.session(), new_id()
    turn = await parlour.start(session, f"insist {gate}")
    await parlour.reaches(gate)
    asked = asyncio.create_task(parlour.chat.cancel_turn(parlour.ann, session))
    await until(lambda: _is_marked(parlour, turn))
    await _lose(parlour, turn)
    assert await asked == Cancelled(True, "cancel_published_not_confirmed")
    assert await parlour.ended(turn, 1) == "cancelled"
    assert await parlour.stand.rows("select 1 from jobs where id=?1", turn) == []
    places = await parlour.stand.rows("select used from lanes where key=?1", f"turn/{parlour.ann.user_id}")
    assert [used for (used,) in places if used] == []
    parlour.open(gate)


async def test_a_message_after_a_cancel_does_not_wait_for_a_turn_that_is_in_line_again(parlour: Parlour):
    """10.6."""
    session, gate = await parlour.session(), new_id()
    dying = await parlour.start(session, f"insist {gate}")
    await parlour.reaches(gate)
    await _mark(parlour, dying)
    await _lose(parlour, dying, marked_before=6_000_000)
    async with asyncio.timeout(6):
        begun = await parlour.say(session, "say fresh")
    assert isinstance(begun, TurnBegun)
    assert await parlour.ended(dying, 1) == "cancelled"
    assert await parlour.ended(begun.turn_id) == "completed"
    parlour.open(gate)


@pytest.mark.parametrize("way", ["insist", "despair"])
async def test_cancelled_never_becomes_completed_or_failed(parlour: Parlour, way: str):
    """10.4: the mark was committed before the end."""
    session, gate = await parlour.session(), new_id()
    turn = await parlour.start(session, f"{way} {gate}")
    await parlour.reaches(gate)
    await _mark(parlour, turn)
    parlour.open(gate)
    assert await parlour.ended(turn) == "cancelled"
    assert (await parlour.events(session))[-1].data["status"] == "cancelled"


@dataclass(slots=True)
class LateReader:
    """Hands out what it reads when that is no longer so: after each of the first reads, something happens."""

    reader: Reader
    happenings: list[Callable[[], Awaitable[None]]]

    async def rows(self, sql: str, *params: object) -> list[tuple[object, ...]]:
        found = await self.reader.rows(sql, *params)
        if self.happenings:
            await self.happenings.pop(0)()
        return found

    async def close(self) -> None:
        await self.reader.close()


@pytest.mark.parametrize("ending", [1, 2])
async def test_a_cancel_reaches_the_turn_that_began_while_it_was_asked_for(parlour: Parlour, ending: int):
    """10.1, 9.8: a turn that ends in this moment begins the next one with what waited."""
    session, gates = await parlour.session(), [new_id() for _ in range(ending + 1)]
    await parlour.start(session, f"wait {gates[0]}")
    await parlour.reaches(gates[0])
    for waiting, gate in enumerate(gates[1:], 1):
        assert await parlour.say(session, f"wait {gate}") == MessagePending(waiting)

    async def goes_on(gate: str, following: str) -> None:
        parlour.open(gate)
        await parlour.reaches(following)

    late = LateReader(parlour.chat.reader, [partial(goes_on, *pair) for pair in pairwise(gates)])
    cancels = Cancels(replace(parlour.chat.turns, reader=late))
    assert await cancels.cancel_turn(parlour.ann, session) == Cancelled(True, None)
    await parlour.idle(session)
    ends = await parlour.stand.rows("select status from chat_turns where session_id=?1 order by id", session)
    assert ends == [*[("completed",)] * ending, ("cancelled",)]


async def test_closing_the_browser_is_no_cancel(parlour: Parlour):
    """2.12, 10.7."""
    session, gate = await parlour.session(), new_id()
    async with hearing(parlour, "POST", f"/{session}/stream", {"message": f"wait {gate}\nsay on"}):
        await parlour.reaches(gate)
    parlour.open(gate)
    await parlour.idle(session)
    assert (await parlour.events(session))[-1].data["status"] == "completed"


async def test_a_deleted_session_takes_its_turn_with_it(parlour: Parlour):
    """1.11."""
    session, gate = await parlour.session(), new_id()
    turn = await parlour.start(session, f"wait {gate}")
    await parlour.reaches(gate)
    await parlour.say(session, "say never")
    path = f"/api/v1/chat/sessions/{session}"
    async with hearing(parlour, "GET", f"/{session}/events") as heard:
        assert (await parlour.stand.ann.http.delete(path)).status_code == 204
        await until(lambda: heard.ended)
    assert (await parlour.stand.ann.http.get(path)).status_code == 404
    for table, column in (("segments", "log_id"), ("chat_turns", "session_id"), ("chat_pending", "session_id")):
        assert await parlour.stand.rows(f"select 1 from {table} where {column}=?1", session) == []
    assert await parlour.stand.rows("select 1 from jobs where id=?1", turn) == []


async def test_a_cancel_reaches_sub_sessions_also_when_the_turn_was_about_to_complete(parlour: Parlour):
    """10.5: those that this turn started, and no others."""
    session, gate = await parlour.session(), new_id()
    turn = await parlour.start(session, f"insist {gate}")
    await parlour.reaches(gate)
    of_this = {"parent_session_id": session, "parent_turn_id": turn, "depth": 1}
    below = await parlour.start(await parlour.session(**of_this), f"wait {new_id()}")
    other_gate = new_id()
    beside = await parlour.start(
        await parlour.session(**(of_this | {"parent_turn_id": new_id()})), f"wait {other_gate}"
    )
    asked = asyncio.create_task(parlour.chat.cancel_turn(parlour.ann, session))
    await until(lambda: _is_marked(parlour, turn))
    parlour.open(gate)
    await asked
    assert await parlour.ended(turn) == "cancelled"
    assert await parlour.ended(below) == "cancelled"
    parlour.open(other_gate)
    assert await parlour.ended(beside) == "completed"
