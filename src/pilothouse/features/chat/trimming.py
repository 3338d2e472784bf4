"""Old turns without their deltas: the end of a block says it all, so the pieces need not be kept for ever.

A trimmed entry leaves its number behind (null in its segment), so ids stay as they were. Who reads on from inside a
trimmed range comes to the end event next, which sets the text.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final, cast

from pilothouse.base.committer import Committer, Write, WriteSet
from pilothouse.base.jobs.moves import micros
from pilothouse.base.logs import segments
from pilothouse.base.reader import Reader
from pilothouse.base.statements import update_by
from pilothouse.features.chat.fold import DELTAS
from pilothouse.features.chat.models import chat_turns
from pilothouse.kit.json import Json, dumps, loads

KEPT: Final = timedelta(hours=1)
PAGE: Final = 100

# What another process has trimmed or deleted meanwhile is no fault.
_SET_BODY = update_by(segments, ["log_id", "first"], ["body"], touches=None)
_MARK = update_by(chat_turns, ["id"], ["trimmed_at"], touches=None)
_OLD: Final = (
    "select id, session_id, first_event, last_event from chat_turns"
    " where trimmed_at is null and ended_at < ?1 order by ended_at limit ?2"
)
_SEGMENTS: Final = "select first, body from segments where log_id=?1 and last >= ?2 and first <= ?3 order by first"


@dataclass(frozen=True, slots=True)
class Trimming:
    """One per process; a periodic job."""

    committer: Committer
    reader: Reader

    async def trim_old_turns(self, now: int | None = None) -> None:
        """Safe to do twice, and by two at once."""
        moment = now or micros()
        before = moment - round(KEPT.total_seconds() * 1_000_000)
        while rows := await self.reader.rows(_OLD, before, PAGE):
            for turn_id, session_id, first, last in rows:
                await self._trim(turn_id, session_id, (first, last), moment)

    async def _trim(self, turn_id: str, session_id: str, span: tuple[int, int], now: int) -> None:
        """Nothing changes a segment but this, and what it makes of one is always the same."""
        writes: list[Write] = [(_MARK, (turn_id, now))]
        size = 0
        for first, body in await self.reader.rows(_SEGMENTS, session_id, *span):
            entries = cast(list[Json], loads(body))
            shorter = trimmed(entries, turn_id)
            if shorter != entries:
                text = dumps(shorter)
                size += len(text)
                writes.append((_SET_BODY, (session_id, first, text)))
        await self.committer.land(WriteSet(tuple(writes), size=size + 200))


def trimmed(entries: list[Json], turn_id: str) -> list[Json]:
    """The same entries without the deltas of one turn."""
    return [
        None if isinstance(entry, list) and entry[0] in DELTAS and entry[1] == turn_id else entry for entry in entries
    ]
