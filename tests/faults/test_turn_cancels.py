"""autopilot:10.1, 10.3, 10.4, 10.6: a cancel stops the model's spending wherever it runs, and the next message runs.

What counts is what the provider wrote: it is a server of its own on loopback, and notes the time of every word.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial

import pytest

from pilothouse.app.house import open_house
from pilothouse.features.chat import queries
from tests.base.waiting import until
from tests.faults.errands import Errand, Errands
from tests.faults.minds import open_mind
from tests.faults.place import Place
from tests.faults.processes import Launcher
from tests.faults.report import record
from tests.faults.rig import open_rig
from tests.faults.scale import STOPS

SPEND_STOP_SECONDS = 2.0
WORDS = 10  # that a model has said when it is stopped
TALKS = 5  # at once: as many as one person may have


@asynccontextmanager
async def open_talks(launcher: Launcher, place: Place) -> AsyncGenerator[Errands]:
    async with open_mind(place) as (mind, place), open_rig(launcher, place) as rig:
        await rig.start_all()
        yield Errands(rig, mind)


async def begin_talking(errands: Errands) -> list[Errand]:
    """As many turns as one person may have, all of them in the middle of a long answer."""
    begun = [await errands.send(errands.rig.people[0], "talking") for _ in range(TALKS)]
    talks = [talk for talk in begun if talk is not None]
    assert len(talks) == TALKS
    await until(lambda: all(errands.mind.words[talk.tag] >= WORDS for talk in talks), 30)
    return talks


async def stop_all(errands: Errands, stopping: Callable[[Errand], Awaitable[None]]) -> None:
    """Stop them, wait longer than a provider may go on, and look at when it wrote its last word to each."""
    talks = await begin_talking(errands)
    asked_at = time.time()  # before the commit, so that this is stricter than the rule
    await asyncio.gather(*map(stopping, talks))
    await asyncio.sleep(max(0.0, asked_at + SPEND_STOP_SECONDS + 0.5 - time.time()))
    late = [errands.mind.last_word[talk.tag] - asked_at for talk in talks]
    assert max(late) < SPEND_STOP_SECONDS, late
    assert errands.mind.listening == set()
    worst = f"{max(late):.2f} s after the request, the worst of {len(late)}"
    record("figure", name="AutoPilot 10.3 a model's last word", profile=errands.rig.profile, value=worst)
    await errands.rig.quiet()
    for talk in talks:
        rows = await errands.rig.reader.rows("select status from chat_turns where session_id=?1", talk.session_id)
        assert rows == [("cancelled",)]


async def test_a_cancel_over_http_stops_the_model_within_two_seconds(launcher: Launcher, place: Place):
    """10.1, 10.3: scaled, one process commits it and others stop the model."""
    async with open_talks(launcher, place) as errands:
        await stop_all(errands, partial(stop, errands))


async def test_a_cancel_by_another_process_stops_the_model_within_two_seconds(launcher: Launcher, embedded: Place):
    """10.1, 10.3: beside the process that serves; nothing but the database is between them."""
    async with (
        open_talks(launcher, embedded) as errands,
        open_house(errands.rig.place.read_settings(), serves=False) as house,
    ):

        async def stop_beside(talk: Errand) -> None:
            assert (await house.chat.cancel_turn(talk.person.actor, talk.session_id)).cancelled

        await stop_all(errands, stop_beside)


@pytest.mark.timeout(240)
async def test_stopping_and_saying_something_else_works_again_and_again(launcher: Launcher, place: Place):
    """10.6: each message starts a turn of its own, which says its own words only."""
    async with open_talks(launcher, place) as errands, asyncio.TaskGroup() as cancels:
        person = errands.rig.people[0]
        session_id = (await errands.ask(person, "POST", "")).json()["id"]
        plans = ["talking"] * STOPS + ["word"]
        talks = [Errand(f"e{number:05d}", plan, person, session_id) for number, plan in enumerate(plans)]
        waits: list[float] = []
        for number, talk in enumerate(talks):
            began = time.monotonic()
            assert await errands.post(talk) == 200, number
            waits.append(time.monotonic() - began)
            if talk.plan == "talking":
                await until(lambda talk=talk: errands.mind.words[talk.tag] >= WORDS, 30)
                cancelling = cancels.create_task(stop(errands, talk))
                # The next message comes once that is answered, or as soon as it is written down.
                await (cancelling if number % 2 == 0 else until(lambda talk=talk: is_marked(errands, talk), 5))
        await errands.ended()
        await judge(errands, talks)
        worst = f"a message began its turn within {max(waits):.2f} s, the worst of {STOPS} in a row"
        record("figure", name="AutoPilot 10.6 stop and resend", profile=errands.rig.profile, value=worst)


async def stop(errands: Errands, talk: Errand) -> None:
    answer = await errands.ask(talk.person, "POST", f"/{talk.session_id}/cancel")
    assert answer.json() == {"cancelled": True, "reason": None}


async def is_marked(errands: Errands, talk: Errand) -> bool:
    sql = "select j.cancel_at is null from jobs j join chat_turns t on t.id=j.id where t.session_id=?1"
    return await errands.rig.reader.rows(sql, talk.session_id) in ([], [(False,)])


async def judge(errands: Errands, talks: list[Errand]) -> None:
    log = await queries.read_events(errands.rig.reader, talks[0].session_id, 0, 1_000_000)
    turns = {talk.tag: {event.turn_id for event in log if talk.tag in str(event.data)} for talk in talks}
    assert all(len(found) == 1 for found in turns.values()), turns  # no word of one turn in another
    assert len({turn_id for found in turns.values() for turn_id in found}) == len(talks)
    ends = [event.data["status"] for event in log if event.type == "turn-ended"]
    assert ends == ["cancelled"] * STOPS + ["completed"]
    assert [event.data["message_id"] for event in log if event.type == "user-message"] == [t.message_id for t in talks]
    pending = "select 1 from chat_pending where session_id=?1"
    assert await errands.rig.reader.rows(pending, talks[0].session_id) == []
