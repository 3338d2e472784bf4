"""What a user's pages are told beside the logs: that one of the sessions changed, so that they look again.

These are hints, kept nowhere: whoever was away takes a new snapshot.
"""

from pilothouse.base.fanout import Notice
from pilothouse.base.jobs.moves import micros
from pilothouse.features.chat.limits import user_channel
from pilothouse.kit.json import dumps

SESSION_CHANGED = "session.changed"
SESSION_DELETED = "session.deleted"


def session_news(user_id: str, session_id: str, kind: str = SESSION_CHANGED) -> Notice:
    now = micros()
    return Notice(user_channel(user_id), now, now, dumps([{"type": kind, "session_id": session_id}]))
