"""Who stands above a turn: sessions that made its session, and those that wait for it, through runs as well."""

from typing import Final, TypeAlias, cast

from pilothouse.base.actor import Actor
from pilothouse.base.reader import Reader
from pilothouse.features.chat.limits import MAX_NESTING
from pilothouse.kit.json import loads

ROOT_RUN: Final = "@run"  # stands for a run that no turn started
BLOCK: Final = "autopilot_block"  # the origin of what a run asks for
_Caller: TypeAlias = tuple[str, str | None]  # a session and its turn

_WAITING = (
    "select t.session_id, t.id from watches w join chat_turns t on t.id=w.watcher_id where w.job_id=?1 and t.user_id=?2"
)
# Turns say elsewhere what they wait for; of the others, which are runs, the watch tells who started them.
_RUNS_WAITING = (
    "select w.body from watches w left join chat_turns t on t.id=w.watcher_id where w.job_id=?1 and t.id is null"
)
_MADE_BY = (
    "select p.id, p.turn_id from chat_sessions s join chat_sessions p on p.id=s.parent_session_id"
    " where s.id=?1 and p.user_id=?2"
)
_MADE_BY_A_ROOT_RUN = (
    "select 1 from chat_sessions where id=?1 and user_id=?2 and origin=?3 and parent_session_id is null"
)


async def line_of(reader: Reader, actor: Actor, session_id: str, turn_id: str | None) -> list[str]:
    """The caller and those above it, the nearest first: so many that one more would be one level deeper."""
    line: list[str] = []
    above: list[_Caller] = [(session_id, turn_id)]
    while above and len(line) <= 2 * MAX_NESTING:
        session_id, turn_id = above.pop(0)
        if session_id in line:
            continue
        line.append(session_id)
        above += await _above(reader, actor, session_id, turn_id)
    return line


async def _above(reader: Reader, actor: Actor, session_id: str, turn_id: str | None) -> list[_Caller]:
    found: list[_Caller] = [(row[0], row[1]) for row in await reader.rows(_WAITING, turn_id, actor.user_id)]
    for (body,) in await reader.rows(_RUNS_WAITING, turn_id):
        above, turn = cast(dict[str, list[str | None]], loads(body))["above"]
        found.append((above or ROOT_RUN, turn))
    found += [(row[0], row[1]) for row in await reader.rows(_MADE_BY, session_id, actor.user_id)]
    if await reader.rows(_MADE_BY_A_ROOT_RUN, session_id, actor.user_id, BLOCK):
        found.append((ROOT_RUN, None))
    return found
