"""autopilot:2.4, 2.6, 2.9: fifty messages at once over fifty sessions of one person, over real processes."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from pilothouse.features.chat.limits import MAX_RUNNING_TURNS, MAX_TURNS_IN_FLIGHT, lane_of
from tests.faults.errands import Errand, Errands
from tests.faults.minds import open_mind
from tests.faults.place import Place
from tests.faults.processes import Launcher
from tests.faults.report import record
from tests.faults.rig import Rig, open_rig
from tests.faults.scale import FULL

SESSIONS = 50
WITH_A_PLACE = ("queued", "running")  # rung for or claimed; `held` ones stand in line

WRITTEN = {
    "head": "select head from chat_sessions where id=?1",
    "events": "select count(*) from segments where log_id=?1",
    "messages": "select count(*) from chat_messages where session_id=?1",
    "turns": "select count(*) from chat_turns where session_id=?1",
}


@dataclass(slots=True)
class Most:
    """The largest numbers that were ever seen in the table."""

    looks: int = 0
    running: int = 0
    in_flight: int = 0
    states: Counter[str] = field(default_factory=Counter[str])

    async def look(self, rig: Rig) -> None:
        sql = "select state from jobs where top_lane=?1"
        states = [row[0] for row in await rig.reader.rows(sql, lane_of(rig.people[0].user_id))]
        self.looks += 1
        self.running = max(self.running, sum(state in WITH_A_PLACE for state in states))
        self.in_flight = max(self.in_flight, len(states))
        self.states.update(states)


@asynccontextmanager
async def watching(rig: Rig) -> AsyncGenerator[Most]:
    """Look into the table all the time."""
    most = Most()

    async def look_on() -> None:
        while True:
            await most.look(rig)
            await asyncio.sleep(0.005)

    watcher = asyncio.create_task(look_on())
    try:
        yield most
    finally:
        watcher.cancel()
        await asyncio.gather(watcher, return_exceptions=True)


async def test_fifty_messages_at_once_never_exceed_the_caps(launcher: Launcher, place: Place):
    """2.4, 2.6, 2.9: fifteen are taken, five of them run; who is refused leaves nothing and may come again."""
    async with open_mind(place) as (mind, place), open_rig(launcher, place) as rig:
        await rig.start_all()
        errands, person = Errands(rig, mind), rig.people[0]
        made = [(await errands.ask(person, "POST", "")).json()["id"] for _ in range(SESSIONS)]
        sent = [Errand(f"e{number:05d}", "word", person, session_id) for number, session_id in enumerate(made)]
        async with watching(rig) as most:
            await check_first_wave(errands, sent)
            while FULL and (refused := [errand for errand in sent if not errand.acknowledged]):
                await asyncio.gather(*map(errands.post, refused))
                await asyncio.sleep(0.2)
            await rig.quiet()
        assert (most.running, most.in_flight) == (MAX_RUNNING_TURNS, MAX_TURNS_IN_FLIGHT)
        assert mind.most_listening <= MAX_RUNNING_TURNS
        taken = sum(errand.acknowledged for errand in sent)
        assert await rig.reader.rows("select status, count(*) from chat_turns group by status") == [
            ("completed", taken)
        ]
        assert set(mind.rounds.values()) == {1}
        value = f"{most.running} running and {most.in_flight} in flight at the most, in {most.looks} looks"
        record("figure", name="AutoPilot 2.6 fifty messages at once", profile=rig.profile, value=value)


async def check_first_wave(errands: Errands, sent: list[Errand]) -> None:
    """All at once. One that ends meanwhile may make room for another."""
    statuses = Counter(await asyncio.gather(*map(errands.post, sent)))
    assert set(statuses) == {200, 429}
    assert statuses[200] >= MAX_TURNS_IN_FLIGHT
    assert {errand.refusal for errand in sent} == {None, "turn_limit"}
    for errand in sent:
        counts = {name: (await errands.rig.reader.rows(sql, errand.session_id))[0][0] for name, sql in WRITTEN.items()}
        assert [count > 0 for count in counts.values()] == [errand.acknowledged] * len(WRITTEN), counts
