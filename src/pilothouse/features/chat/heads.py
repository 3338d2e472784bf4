"""How far the logs of sessions go, asked for many at once."""

import asyncio
from dataclasses import dataclass, field
from typing import Final

from pilothouse.base.reader import Reader, marks

GATHER_SECONDS: Final = 0.1


@dataclass(slots=True)
class Heads:
    """Whoever follows a quiet session looks every now and then whether it missed something. A thousand of them are a
    thousand questions a second; gathered, they are ten.
    """

    _ids: set[str] = field(default_factory=set[str])
    _asking: "asyncio.Task[dict[str, int]] | None" = None

    async def of(self, reader: Reader, session_id: str) -> int | None:
        """The id of the session's last event, as it is after the next moment; None: there is no such session."""
        self._ids.add(session_id)
        if self._asking is None:
            self._asking = asyncio.create_task(self._ask(reader), name="heads of sessions")
        heads = await asyncio.shield(self._asking)  # a reader that leaves takes nobody's answer with it
        return heads.get(session_id)

    async def _ask(self, reader: Reader) -> dict[str, int]:
        await asyncio.sleep(GATHER_SECONDS)
        ids, self._ids, self._asking = list(self._ids), set(), None
        ids += ids[:1] * ((1 << (len(ids) - 1).bit_length()) - len(ids))  # few lengths are few statements to prepare
        rows = await reader.rows(f"select id, head from chat_sessions where id in ({marks(len(ids))})", *ids)
        return {row[0]: row[1] for row in rows}
