"""Ends the sessions of a process that was stopped between the two halves of a statement.

The driver has a new statement read by the server first, and sends its values when it is told what they are. In between
the server counts the session as active: neither `idle_in_transaction_session_timeout` nor `statement_timeout` ends it,
and a process that is stopped just then holds the locks of its transaction until it wakes. Others end it for it.
"""

import structlog

from pilothouse.base.postgres import OURS
from pilothouse.base.reader import Reader

log = structlog.get_logger()

LOOK_SECONDS = 1.0
_END = (
    "select pg_terminate_backend(pid) from pg_stat_activity"
    " where datname=current_database() and usename=current_user and application_name=?1"
    " and state='active' and wait_event='ClientRead' and state_change < clock_timestamp() - interval '2 seconds'"
)


async def end_stopped_sessions(reader: Reader) -> int:
    """How many there were; whoever had them finds its connection lost, and asks again."""
    ended = await reader.rows(_END, OURS["application_name"])
    if ended:
        log.warning("sweeper.stopped_sessions", ended=len(ended))
    return len(ended)
