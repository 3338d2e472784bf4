"""AutoPilot as runs use it: a step's task goes to a session like any message; the answer is read from the log."""

from contextlib import suppress
from dataclasses import dataclass
from typing import cast

from pilothouse.base.actor import Actor
from pilothouse.base.committer import Clash
from pilothouse.base.jobs.moves import micros
from pilothouse.base.permissions import Permissions
from pilothouse.blocks.context import PilotAnswer
from pilothouse.features.chat import queries
from pilothouse.features.chat.delegating import filter_of, with_context
from pilothouse.features.chat.errors import (
    DryRunLeft,
    MessageConsumed,
    MessageNotFound,
    NestingLimit,
    ParentOver,
    SessionNotFound,
    WouldCycle,
)
from pilothouse.features.chat.fold import fold
from pilothouse.features.chat.limits import MAX_NESTING
from pilothouse.features.chat.lineage import BLOCK, ROOT_RUN, line_of
from pilothouse.features.chat.outcomes import AT_MOST, outcome_of
from pilothouse.features.chat.service import Chat
from pilothouse.features.chat.writes.messages import Message
from pilothouse.features.chat.writes.sessions import NewSession
from pilothouse.features.models import charges_of
from pilothouse.features.runs import Errand, PilotEnd, Spent, Standing
from pilothouse.kit.errors import UserError
from pilothouse.kit.ids import UserId
from pilothouse.kit.json import JsonObject, loads

MAX_HISTORY = 1_000_000  # characters of a conversation that are handed on, the newest


@dataclass(frozen=True, slots=True)
class BlockPilot:
    """The `Pilot` of runs. One per process."""

    chat: Chat

    async def ask(self, errand: Errand) -> bool:
        """Depth comes first; then the session is made or found, and asked through the one `start_turn`."""
        actor, order = Actor(UserId(errand.user_id)), errand.order
        by = errand.asked_by or {}
        line = await self._line(actor, by)
        if len(line) > min(order.max_depth, MAX_NESTING):
            raise NestingLimit
        permissions = Permissions.of(order.permissions, cast(JsonObject | None, by.get("permissions")))
        if order.session_id:
            target = await queries.get_session(self.chat.reader, actor, order.session_id)
            if target.id in line:
                raise WouldCycle
            if order.dry_run and not target.metadata.get("dry_run"):
                raise DryRunLeft
            permissions = permissions.within(Permissions.of(filter_of(target.metadata)))
            return await self._start(actor, errand, permissions)
        ask = NewSession(
            dry_run=order.dry_run,
            origin=BLOCK,
            parent_session_id=cast(str | None, by.get("session_id")),
            depth=len(line),
            permissions=permissions.as_json(),
        )
        with suppress(Clash):  # this very step has made it before
            await self.chat.create_session(actor, ask, session_id=errand.session_id)
        try:
            begun = await self._start(actor, errand, permissions)
        except UserError:
            await self.chat.delete_session(actor, errand.session_id)  # nothing was started, so nothing is left
            raise
        if not begun:
            await self.chat.delete_session(actor, errand.session_id)
        return begun

    async def _line(self, actor: Actor, by: JsonObject) -> list[str]:
        if not by:
            return [ROOT_RUN]
        return await line_of(self.chat.reader, actor, str(by["session_id"]), str(by["turn_id"]))

    async def _start(self, actor: Actor, errand: Errand, permissions: Permissions) -> bool:
        message = Message(
            message_id=errand.message_id,
            text=with_context(errand.order.prompt, errand.order.context),
            origin=BLOCK,
            arrival_at=micros(),
            permissions=permissions.as_json(),
        )
        try:
            await self.chat.start_turn(actor, errand.session_id, message, parent_job_id=errand.run_id)
        except ParentOver:
            return False
        return True

    async def standing(self, user_id: str, session_id: str, message_id: str) -> Standing | None:
        found = await queries.find_errand(self.chat.reader, user_id, session_id, message_id)
        if found is None:
            return None
        turn_id = found.turn_id or found.active
        return Standing(turn_id, found.asked_at, found.status is not None)

    async def end_of(self, user_id: str, session_id: str, message_id: str) -> PilotEnd:
        reader, actor = self.chat.reader, Actor(UserId(user_id))
        found = await queries.find_errand(reader, user_id, session_id, message_id)
        if found is None or found.turn_id is None:
            raise SessionNotFound
        outcome = await outcome_of(reader, actor, session_id, found.turn_id)
        charged = await charges_of(reader, await self._turns_below(user_id, session_id, found.turn_id))
        spent = [Spent(*charge) for charge in charged] if found.is_own else []  # the other turn is somebody else's
        error = "It was cancelled." if outcome.status == "cancelled" else outcome.error
        answer = PilotAnswer(
            session_id,
            outcome.response,
            outcome.tool_calls,
            await self._conversation(session_id),
            sum(one.prompt_tokens for one in charged),
            sum(one.completion_tokens for one in charged),
        )
        return PilotEnd(answer, outcome.status, error, spent)

    async def _turns_below(self, user_id: str, session_id: str, turn_id: str) -> list[str]:
        """The turn, and the turns of the sub-sessions that it made, and so on."""
        turns, above = [turn_id], [(session_id, turn_id)]
        while above:
            parent, made_by = above.pop()
            rows = await self.chat.reader.rows(
                "select s.id, s.metadata, t.id from chat_sessions s join chat_turns t on t.session_id=s.id"
                " where s.parent_session_id=?1 and s.user_id=?2",
                parent,
                user_id,
            )
            below = [(row[0], row[2]) for row in rows if _maker(row[1]) == made_by]
            turns += [turn for _, turn in below]
            above += below
        return turns

    async def _conversation(self, session_id: str) -> list[JsonObject]:
        messages = fold(await queries.read_events(self.chat.reader, session_id, 0, AT_MOST))
        said: list[JsonObject] = []
        left = MAX_HISTORY
        for message in reversed(messages):
            content = _content(message)
            left -= len(content)
            if left < 0:
                break
            said.append({"role": message["role"], "content": content})
        return said[::-1]

    async def stop(self, user_id: str, session_id: str, message_id: str) -> None:
        found = await queries.find_errand(self.chat.reader, user_id, session_id, message_id)
        if found is None or found.status is not None:
            return
        if found.is_own and found.turn_id is not None:
            await self.chat.turns.stop(found.turn_id, user_id)
        elif found.turn_id is None:
            with suppress(SessionNotFound, MessageNotFound, MessageConsumed):  # what was taken up meanwhile goes on
                await self.chat.take_back(Actor(UserId(user_id)), session_id, message_id)


def _maker(metadata: str) -> str | None:
    return cast(dict[str, str | None], loads(metadata)).get("parent_turn_id")


def _content(message: JsonObject) -> str:
    if message["role"] == "user":
        return str(message["text"])
    parts = cast(list[JsonObject], message["parts"])
    return "\n\n".join(str(part["text"]) for part in parts if part["type"] == "text")
