"""autopilot:8.6, 8.7, 11.1, 11.2: a worker killed while a turn falls asleep, sleeps, wakes, or hands a run back."""

import asyncio
import signal

import pytest

from pilothouse.app.house import House, open_house
from pilothouse.base.failpoints import TURN_FAILPOINTS
from pilothouse.features.chat import Message, MessagePending
from pilothouse.kit.ids import new_id
from tests.faults.conversations import Conversation, story
from tests.faults.place import Place
from tests.faults.processes import Launcher
from tests.faults.rig import Rig, open_rig
from tests.faults.test_turns import PLACES, start

BUILD = "build an agent called Slow that takes a name, waits {} seconds and greets it"
RUN, DELEGATE = "run Slow with name=Ada", "delegate: find three blocks about text"
# Where, and in which turn. After `turn_tool_done` the sub-session is there and the log does not know: the call is made
# again.
WAITING_PLACES = [
    ("before_suspend:1", RUN),
    ("turn_woken:1", RUN),
    ("turn_tool_done:1", DELEGATE),
    ("after_suspend:1", DELEGATE),
]


def test_every_failpoint_of_a_turn_is_met():
    met = {place.partition(":")[0] for place, _ in (*PLACES, *WAITING_PLACES)}
    assert met | {"turn_parked"} == {*met, *TURN_FAILPOINTS}


async def killed_at(rig: Rig, talk: Conversation, failpoint: str, line: str) -> str:
    """The turn of this line, whose worker dies there; another is in place when this returns."""
    worker = await start(rig, failpoint)
    turn_id = await talk.say(line)
    assert await worker.gone(20), f"{failpoint} was not met: {await talk.types()} {worker.said()}"
    assert worker.code == -signal.SIGKILL
    await start(rig)
    return turn_id


@pytest.mark.timeout(300)
@pytest.mark.later("scaled")
async def test_a_turn_killed_around_its_sleep_ends_like_an_undisturbed_one(launcher: Launcher, place: Place):
    """11.1, 11.2: one run, one sub-session, however often the call is made."""
    async with open_rig(launcher, place) as rig, open_house(place.read_settings(), serves=False) as house:
        actor = rig.people[0].actor
        await start(rig)
        await undisturbed(house, rig, BUILD.format(1))
        wanted = {line: await undisturbed(house, rig, line) for line in (RUN, DELEGATE)}
        for failpoint, line in WAITING_PLACES:
            talk = await Conversation.begin(rig, house)
            before = await counted(rig, actor.user_id)
            assert await talk.ended(await killed_at(rig, talk, failpoint, line)) == "completed"
            assert story(await talk.events()) == wanted[line], (failpoint, line)
            after = await counted(rig, actor.user_id)
            assert [now - then for now, then in zip(after, before, strict=True)] == [line == RUN, line == DELEGATE]
        assert await rig.reader.rows("select 1 from watches") == []


async def undisturbed(house: House, rig: Rig, line: str) -> object:
    talk = await Conversation.begin(rig, house)
    assert await talk.ended(await talk.say(line)) == "completed"
    return story(await talk.events())


async def counted(rig: Rig, user_id: str) -> list[int]:
    runs = await rig.reader.rows("select count(*) from runs where user_id=?1", user_id)
    below = "select count(*) from chat_sessions where user_id=?1 and parent_session_id is not null"
    return [runs[0][0], (await rig.reader.rows(below, user_id))[0][0]]


@pytest.mark.timeout(120)
@pytest.mark.later("scaled")
async def test_a_run_that_was_parked_when_its_worker_died_is_parked_once(launcher: Launcher, place: Place):
    """8.4, 8.6: the user spoke, so the run was handed back; whoever goes on hands back the same one."""
    async with open_rig(launcher, place) as rig, open_house(place.read_settings(), serves=False) as house:
        await start(rig)
        talk = await Conversation.begin(rig, house)
        assert await talk.ended(await talk.say(BUILD.format(60))) == "completed"
        worker = await start(rig, "turn_parked:1")
        turn_id = await talk.say(RUN)
        while "turn-suspended" not in await talk.types():
            await asyncio.sleep(0.05)
        heard = await house.chat.start_turn(talk.actor, talk.session_id, Message(new_id(), "help", "web", 1))
        assert isinstance(heard, MessagePending)
        assert await worker.gone(20), f"{await talk.types()} {worker.said()}"
        await start(rig)
        assert await talk.ended(turn_id) == "completed"
        rows = await rig.reader.rows("select kind, state from chat_background where turn_id=?1", turn_id)
        assert rows == [("run", "running")]
        types = await talk.types()
        assert types.count("tool-output-available") == types.count("tool-input-available")
        assert await counted(rig, talk.actor.user_id) == [1, 0]
