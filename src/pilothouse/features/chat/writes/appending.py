"""Adding to a session's log. The session's row is locked while its head moves, so numbers have no gaps."""

from collections.abc import Sequence
from typing import NamedTuple

from pilothouse.base.fanout import Notice, look_again
from pilothouse.base.scripted import Script
from pilothouse.base.statements import REFUSED

MAX_NOTICE = 256 * 1024


class Appended(NamedTuple):
    """Entries first..last, as a JSON array."""

    first: int
    last: int
    body: str


def append(session_id: str, texts: Sequence[str], fence: int = 0) -> Script:
    """Number these entries and store them as one segment; refused when the session is gone."""
    rows = yield (
        "update chat_sessions set head=head+?2 where id=?1 returning head",
        (session_id, len(texts)),
    )
    if not rows:
        return REFUSED
    last: int = rows[0][0]
    appended = Appended(last - len(texts) + 1, last, f"[{','.join(texts)}]")
    yield (
        "insert into segments (log_id, first, last, fence, body) values (?1, ?2, ?3, ?4, ?5)",
        (session_id, appended.first, last, fence, appended.body),
    )
    return appended


def notice_of(session_id: str, appended: Appended | None) -> Notice:
    """For those who follow the session. None: what was appended is not known here, they look into the log."""
    if appended is None or len(appended.body) > MAX_NOTICE:
        return look_again(session_id)
    return Notice(session_id, appended.first, appended.last, appended.body)
