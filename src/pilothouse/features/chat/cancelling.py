"""Stopping a turn: a mark on its job first, then whoever works on it, and after five seconds without them."""

import asyncio
from dataclasses import dataclass
from typing import Final

from pilothouse.base.actor import Actor
from pilothouse.base.committer import Refused, WriteSet
from pilothouse.base.fanout import following
from pilothouse.base.jobs.moves import micros
from pilothouse.base.jobs.seizing import SEIZE_JOB
from pilothouse.features.chat import queries
from pilothouse.features.chat.limits import CANCEL_CONFIRM_SECONDS, CANCEL_POLL_SECONDS
from pilothouse.features.chat.present import SessionView
from pilothouse.features.chat.turns import Turns
from pilothouse.features.chat.writes.starting import Dying


@dataclass(frozen=True, slots=True)
class Cancelled:
    """What a cancel came to."""

    cancelled: bool
    reason: str | None


IN_A_ROW: Final = 3  # turns that may end and begin while one asks to stop them
NOTHING_TO_CANCEL = Cancelled(False, "no_active_task")


@dataclass(frozen=True, slots=True)
class Cancels:
    """One per process."""

    turns: Turns

    async def cancel_turn(self, actor: Actor, session_id: str) -> Cancelled:
        """Stop what the session does. A turn that ends in this very moment may have begun the next one."""
        done = NOTHING_TO_CANCEL
        for _ in range(IN_A_ROW):
            view = await queries.get_session(self.turns.reader, actor, session_id)
            done = await self.cancel(view)
            if view.active is None or done is not NOTHING_TO_CANCEL:
                break
        return done

    async def cancel(self, view: SessionView) -> Cancelled:
        """Stop what the session does; answers when it has stopped, after five seconds at the latest."""
        if view.active is None:
            return NOTHING_TO_CANCEL
        turn_id = view.active.turn_id
        match await self.turns.stop(turn_id, view.user_id):
            case "absent":  # it ended by itself
                return NOTHING_TO_CANCEL
            case "ended":
                return Cancelled(True, "dequeued" if view.active.started_at is None else None)
            case _:
                pass
        if await self._has_ended(turn_id, view.id, CANCEL_CONFIRM_SECONDS):
            return Cancelled(True, None)
        await self._seize(turn_id)
        return Cancelled(True, "cancel_published_not_confirmed")

    async def await_end_of(self, dying: Dying, session_id: str) -> None:
        """Return when the cancelled turn has ended; one that does not within its time is taken away.

        It may also be another's just now, who ends it. Whoever then asks again has waited a moment before.
        """
        left = CANCEL_CONFIRM_SECONDS - max(0, micros() - dying.cancel_at) / 1_000_000
        if not await self._has_ended(dying.turn_id, session_id, max(0.0, left)):
            await self._seize(dying.turn_id)
            await self._has_ended(dying.turn_id, session_id, CANCEL_POLL_SECONDS)

    async def _has_ended(self, turn_id: str, session_id: str, seconds: float) -> bool:
        deadline = asyncio.get_running_loop().time() + seconds
        with following(self.turns.lines.fanout, session_id) as subscription:
            while await queries.turn_status(self.turns.reader, turn_id) is None:
                left = deadline - asyncio.get_running_loop().time()
                if left <= 0:
                    return False
                await subscription.take(min(left, CANCEL_POLL_SECONDS))
        return True

    async def _seize(self, turn_id: str) -> None:
        seize = (SEIZE_JOB, (turn_id, self.turns.process_id, micros()))
        try:
            answers = await self.turns.lines.committer.land(WriteSet((seize,)))
        except Refused:
            return  # it ended this very moment
        if answers:
            await self.turns.end(answers[0])
