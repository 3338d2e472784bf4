"""autopilot:11.1, 11.2, 11.3: a worker killed anywhere in a turn; the turn ends like one that nobody disturbed."""

import signal
import time

import pytest

from pilothouse.app.house import House, open_house
from tests.faults.conversations import Conversation, story
from tests.faults.place import Person, Place
from tests.faults.processes import Died, Launcher, Process
from tests.faults.report import record
from tests.faults.rig import Rig, open_rig

LINES = ("build an agent that takes a name and greets it", "run it with name=Ada", "show the results")
# Where, at which pass, and in which of the lines. The first five are the moments that the specification names.
PLACES = [
    ("claimed_nothing_flushed:1", 0),
    ("turn_call_committed:1", 1),
    ("turn_call_committed:3", 0),
    ("turn_tool_done:1", 1),
    ("turn_tool_done:3", 0),
    ("turn_mid_stream:4", 1),
    ("turn_mid_stream:9", 0),
    ("turn_between_rounds:2", 0),
    ("after_flush_commit:3", 0),
    ("after_flush_commit:5", 0),
    ("after_flush_commit:7", 0),
    ("before_flush_commit:4", 1),
    ("before_settle:1", 0),
    ("after_settle:1", 0),
]


def worker_of(rig: Rig) -> str:
    return "serve" if rig.embedded else "one"


async def start(rig: Rig, failpoint: str | None = None) -> Process:
    """Put a worker in place, instead of the one that is there."""
    before = rig.processes.get(worker_of(rig))
    if before is not None and before.alive:
        await rig.stop(before)
    try:
        return await rig.start(worker_of(rig), failpoint=failpoint, CHAT_MODEL="offline")
    except Died:
        return rig.processes[worker_of(rig)]


async def converse(rig: Rig, house: House, failpoint: str | None, dies_in: int) -> Conversation:
    """The whole conversation; the worker of one of its turns dies, and another takes its place."""
    talk = await Conversation.begin(rig, house)
    for number, line in enumerate(LINES):
        if failpoint is None or number != dies_in:
            assert await talk.ended(await talk.say(line)) == "completed"
            continue
        worker = await start(rig, failpoint)
        turn_id = await talk.say(line)
        assert await worker.gone(20), f"{failpoint} was not met: {await talk.types()} {worker.said()}"
        assert worker.code == -signal.SIGKILL
        died = time.monotonic()
        await start(rig)
        assert await talk.ended(turn_id) == "completed"
        record("turn_end", profile=rig.profile, seconds=[time.monotonic() - died])
    return talk


@pytest.mark.timeout(400)
@pytest.mark.later("scaled")
async def test_a_killed_turn_ends_like_an_undisturbed_one(launcher: Launcher, place: Place):
    async with open_rig(launcher, place) as rig, open_house(place.read_settings(), serves=False) as house:
        person = rig.people[0]
        await start(rig)
        wanted = story(await (await converse(rig, house, None, 0)).events())
        for failpoint, dies_in in PLACES:
            runs, agents = await counted(rig, person)
            talk = await converse(rig, house, failpoint, dies_in)
            assert story(await talk.events()) == wanted, failpoint
            assert await counted(rig, person) == (runs + 1, agents + 1), failpoint


async def counted(rig: Rig, person: Person) -> tuple[int, int]:
    """How many runs and agents there are: each call must have made one, however often it was tried."""
    runs = await rig.reader.rows("select count(*) from runs where user_id=?1", person.user_id)
    agents = await rig.reader.rows("select count(*) from agents where user_id=?1", person.user_id)
    return runs[0][0], agents[0][0]
