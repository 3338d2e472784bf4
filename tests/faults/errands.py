"""Errands that people send AutoPilot on, over HTTP, and the judge of what came of each when processes were killed."""

import asyncio
import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TypeAlias, cast

import httpx2

from pilothouse.base.statements import Rows
from pilothouse.features.chat import Event, events, queries
from pilothouse.features.chat.limits import MAX_TURNS_IN_FLIGHT
from pilothouse.kit.ids import new_id
from tests.faults.conversations import view
from tests.faults.minds import Mind, appended, below, errand
from tests.faults.place import Person
from tests.faults.report import record
from tests.faults.rig import Rig
from tests.providers.script import Body

Shown: TypeAlias = Body  # a message, or a part of one

ONCE, AGAIN = "append_once", "append_line"
DELEGATING, FOLLOWED = "delegating", "followed"  # plans with a session below, and with a word in their midst
MORE = "and one more thing"
RUNS = {"run": "effects", "parking": "sleeper"}  # the agent that an errand of this plan runs
_WAITED = re.compile(r"after [0-9]+ s|bg-[0-9a-f]{12}")


@dataclass(slots=True)
class Errand:
    """One message in a session of its own."""

    tag: str
    plan: str
    person: Person
    session_id: str
    message_id: str = field(default_factory=new_id)
    acknowledged: bool = False
    followed: bool = False  # by a word that was acknowledged too
    refusal: str | None = None  # the code that its last post was refused with
    deaths: int = 0  # of those who had it in their hands


@dataclass(slots=True)
class Judged:
    """What is left of an errand in tables and files."""

    errand: Errand
    log: list[Event]
    lines: Counter[str]
    turns: Rows

    def calls(self, tool: str) -> dict[str, str]:
        """Keys by id of the calls of a tool."""
        asked = [event.data for event in self.log if event.type == events.TOOL_INPUT_AVAILABLE]
        return {str(data["tool_call_id"]): str(data["idempotency_key"]) for data in asked if data["tool"] == tool}

    def interrupted(self) -> set[str]:
        failed = [event.data for event in self.log if event.type == events.TOOL_OUTPUT_ERROR]
        return {str(data["tool_call_id"]) for data in failed if data["code"] == "interrupted"}

    def finished(self) -> set[str]:
        kinds = (events.TOOL_OUTPUT_AVAILABLE, events.TOOL_OUTPUT_ERROR)
        return {str(event.data["tool_call_id"]) for event in self.log if event.type in kinds}

    def shown(self) -> list[Shown]:
        """But for what was said meanwhile: nobody knows between which rounds it is heard."""
        log = [event for event in self.log if event.type != events.FOLLOW_UP]
        text = re.sub(f"[es]{self.errand.tag[1:]}", "e", json.dumps(view(log)))
        return json.loads(_WAITED.sub("…", text))

    def follow_ups(self) -> list[str]:
        """What was said meanwhile, in the turn, or in one of its own when that was over."""
        taken = [cast(list[str], event.data["texts"]) for event in self.log if event.type == events.FOLLOW_UP]
        said = [str(event.data["text"]) for event in self.log if event.type == events.USER_MESSAGE]
        return [*(text for texts in taken for text in texts), *said[1:]]


@dataclass(slots=True)
class Errands:
    """All errands of a test."""

    rig: Rig
    mind: Mind
    sent: list[Errand] = field(default_factory=list[Errand])
    handed_on: dict[str, Errand] = field(default_factory=dict[str, Errand])  # by the session that was made for it
    tried: int = 0
    wanted: dict[str, list[Shown]] = field(default_factory=dict[str, list[Shown]])
    final_lines: dict[str, int] = field(default_factory=dict[str, int])  # of finished calls, by key, at a kill
    final_rounds: dict[tuple[str, int], int] = field(default_factory=dict[tuple[str, int], int])
    interrupted: int = 0

    # Sending.

    async def send(self, person: Person, plan: str) -> Errand | None:
        """A message in a new session; None when the caps or a death kept it from being begun."""
        try:
            made = await self.ask(person, "POST", "")
        except httpx2.TransportError:
            return None
        assert made.status_code == 201, made.text
        self.tried += 1
        sent = Errand(f"e{self.tried:05d}", plan, person, made.json()["id"])
        self.sent.append(sent)
        if await self.post(sent) == 429:
            self.sent.remove(sent)
            return None
        if plan == FOLLOWED and sent.acknowledged:
            await self.say_more(sent)
        return sent

    async def say_more(self, sent: Errand) -> None:
        """Another word, in the midst of its turn."""
        body, path = {"message": MORE, "message_id": new_id()}, f"{PATH}/{sent.session_id}/stream"
        try:
            answer = await self.rig.client.http.post(path, json=body, headers=_headers(sent.person))
        except httpx2.TransportError:
            return
        sent.followed = answer.status_code in (200, 202)

    async def post(self, sent: Errand) -> int | None:
        """Post its message, maybe again; answers the status. Who posted does not stay to listen."""
        body = {"message": errand(sent.tag, sent.plan), "message_id": sent.message_id}
        path, by = f"{PATH}/{sent.session_id}/stream", _headers(sent.person)
        try:
            async with self.rig.client.http.stream("POST", path, json=body, headers=by) as answer:
                status = answer.status_code
                sent.refusal = json.loads(await answer.aread())["code"] if status == 429 else None
        except httpx2.TransportError:
            return None
        assert status in (200, 202, 429, 503), status
        sent.acknowledged |= status in (200, 202)
        return status

    async def ask(self, person: Person, method: str, path: str) -> httpx2.Response:
        return await self.rig.client.http.request(method, PATH + path, headers=_headers(person))

    async def send_some(self, random: Random, count: int, plans: Sequence[str]) -> None:
        """To those with room for what they may hand on: a session below counts among a person's turns."""
        sql = "select user_id, count(*) from jobs where kind='turn.advance' group by user_id"
        busy = dict(await self.rig.reader.rows(sql))
        people = [person for person in self.rig.people if busy.get(person.user_id, 0) < MAX_TURNS_IN_FLIGHT // 2]
        random.shuffle(people)
        chosen = [people[number % len(people)] for number in range(count if people else 0)]
        await asyncio.gather(*(self.send(person, random.choice(plans)) for person in chosen))

    async def send_unacknowledged(self) -> None:
        """Those that were posted to a process that died: the same message again."""
        while left := [sent for sent in self.sent if not sent.acknowledged]:
            await asyncio.gather(*map(self.post, left))
            await asyncio.sleep(0.1)

    # Judging.

    async def learn(self, *plans: str) -> None:
        """What becomes of each plan when nobody disturbs it."""
        begun = [(plan, await self.send(self.rig.people[0], plan)) for plan in plans]
        await self.ended()
        for plan, sent in begun:
            assert sent is not None
            judged = await self._look(sent, appended(self.mind))
            assert judged.turns == [("completed",)], (plan, judged.turns, self.rig.workers[0].said())
            self.wanted[plan] = judged.shown()
        for sub in (await self._all())[len(self.sent) :]:
            self.wanted[sub.plan] = (await self._look(sub, appended(self.mind))).shown()

    async def ended(self, seconds: float = 90) -> None:
        """Wait until every turn has ended."""
        async with asyncio.timeout(seconds):
            while await self.rig.reader.rows("select 1 from jobs where kind='turn.advance' limit 1"):
                await asyncio.sleep(0.05)

    async def stop_runs(self) -> None:
        """Those that nobody waits for would take too long."""
        for (run_id,) in await self.rig.reader.rows("select id from runs where status is null"):
            await self.rig.client.cancel(run_id)

    async def freeze(self, sessions: Sequence[str]) -> None:
        """Note what was finished in these when their process died: none of it may ever be done again."""
        lines = appended(self.mind)
        for sent in [sent for sent in await self._all() if sent.session_id in sessions]:
            sent.deaths += 1
            judged = await self._look(sent, lines)
            done = judged.finished()
            for key in [key for tool in (ONCE, AGAIN) for call, key in judged.calls(tool).items() if call in done]:
                self.final_lines[key] = lines[key]
            made = "select r.round from chat_rounds r join chat_turns t on t.id=r.turn_id where t.session_id=?1"
            for (number,) in await self.rig.reader.rows(made, sent.session_id):
                self.final_rounds[sent.tag, number] = self.mind.rounds[sent.tag, number]

    async def judge(self) -> None:
        """Raises with everything that is not as it would be without deaths."""
        lines = appended(self.mind)
        broken = [f"{key} was made again" for key, count in self.final_lines.items() if lines[key] != count]
        rounds = self.final_rounds.items()
        broken += [
            f"round {place} was made again ({count}, then {self.mind.rounds[place]})"
            for place, count in rounds
            if self.mind.rounds[place] != count
        ]
        for sent in await self._all():
            broken += [f"{sent.tag} {sent.plan}: {fault}" for fault in self._faults(await self._look(sent, lines))]
        subs = Counter(sub.tag for sub in self.handed_on.values())
        wanted = Counter(below(sent.tag) for sent in self.sent if sent.plan == DELEGATING)
        broken += [f"{tag}: {subs[tag]} sessions were made for it" for tag in subs | wanted if subs[tag] != wanted[tag]]
        broken += await self._left()
        acted = self.rig.effects.acted
        runs = sum(sent.plan == "run" for sent in self.sent)
        broken += [f"{len(acted)} effects of {runs} runs"] if len(acted) != 3 * runs else []
        broken += [f"effect {key} done {count} times" for key, count in acted.items() if count != 1]
        counts = {"turns": len(self.sent), "violations": len(broken), "interrupted": self.interrupted}
        record("judged_turns", profile=self.rig.profile, **counts)
        if broken:
            for fault in broken:
                self.rig.history.note("broken", fault=fault)
            saved, shown = self.rig.history.save(), "\n".join(broken[:20])
            raise AssertionError(f"{len(broken)} broken (FAULTS_SEED={self.rig.history.seed}, {saved}):\n{shown}")

    async def _all(self) -> list[Errand]:
        """Those that were sent, and what they handed on."""
        by_session = {sent.session_id: sent for sent in self.sent}
        sql = "select id, parent_session_id from chat_sessions where parent_session_id is not null"
        for session_id, parent_id in await self.rig.reader.rows(sql):
            parent = by_session[parent_id]
            sub = Errand(below(parent.tag), "aside", parent.person, session_id, acknowledged=True)
            self.handed_on.setdefault(session_id, sub)
        return [*self.sent, *self.handed_on.values()]

    async def _look(self, sent: Errand, lines: Counter[str]) -> Judged:
        log = await queries.read_events(self.rig.reader, sent.session_id, 0, 100_000)
        turns = await self.rig.reader.rows("select status from chat_turns where session_id=?1", sent.session_id)
        return Judged(sent, log, lines, turns)

    def _faults(self, judged: Judged) -> list[str]:
        sent, log = judged.errand, judged.log
        said = [event for event in log if event.type == events.USER_MESSAGE]
        if not said or judged.turns != [("completed",)] * len(said):
            return [f"turns {judged.turns}, {len(said)} messages, acknowledged {sent.acknowledged}"]
        faults = [] if [event.id for event in log] == list(range(1, len(log) + 1)) else ["a gap in its log"]
        heard = judged.follow_ups()
        if len(heard) not in {sent.followed, sent.plan == FOLLOWED} or not {*heard} <= {MORE}:
            faults.append(f"heard {heard}, followed {sent.followed}")
        lost = judged.interrupted()
        self.interrupted += len(lost)
        for call, key in judged.calls(ONCE).items():
            if judged.lines[key] not in ((0, 1) if call in lost and sent.deaths else (1,)):
                faults.append(f"{call} happened {judged.lines[key]} times, interrupted: {call in lost}")
        for call, key in judged.calls(AGAIN).items():
            if call in lost or not 1 <= judged.lines[key] <= 1 + sent.deaths:
                faults.append(f"{call} happened {judged.lines[key]} times in {sent.deaths} deaths")
        shown = _mended(judged.shown()[: len(self.wanted[sent.plan])], self.wanted[sent.plan])
        if shown != self.wanted[sent.plan]:
            faults.append(f"shows {json.dumps(shown)} and not {json.dumps(self.wanted[sent.plan])}")
        return faults

    async def _left(self) -> list[str]:
        """What nobody owns any more, and what was made once too often."""
        rows = self.rig.reader.rows
        named = (
            ("job", "select id, state from jobs"),
            ("fact", "select job_id, kind from inbox"),
            ("wait", "select watcher_id, key from watches"),
            ("place", "select key, used from lanes where used <> 0"),
            ("round", "select turn_id, round from chat_rounds"),
        )
        left = [f"{name} left: {row}" for name, sql in named for row in await rows(sql)]
        runs = (await rows("select count(*) from runs"))[0][0]
        wanted = sum(sent.plan in RUNS for sent in self.sent)
        return left if runs == wanted else [*left, f"{runs} runs for {wanted} calls"]


PATH = "/api/v1/chat/sessions"


def _headers(person: Person) -> dict[str, str]:
    return {"Authorization": f"Bearer {person.key}"}


def _mended(shown: list[Shown], wanted: list[Shown]) -> list[Shown]:
    """With the result in the place of each call that was not made again, as it must not."""
    results = {part["tool_call_id"]: part for part in wanted[-1]["parts"] if part["type"] == "tool"}

    def mended(part: Shown) -> Shown:
        error = cast(Shown, part.get("error") or {})
        return (
            results[part["tool_call_id"]] if part.get("tool") == ONCE and error.get("code") == "interrupted" else part
        )

    return [
        {**message, "parts": [mended(part) for part in message["parts"]]} if "parts" in message else message
        for message in shown
    ]
