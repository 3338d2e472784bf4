"""How far a cancel reaches: sub-sessions that the turn started, and runs that it began and waits for.

They are marked before the turn itself ends. Should this process die in between, the turn's own mark is still there, and
whoever ends it marks them again.
"""

from collections.abc import Iterable
from typing import NamedTuple, cast

from pilothouse.base.reader import Reader, marks
from pilothouse.features.chat import events
from pilothouse.features.chat.events import Draft, Event
from pilothouse.kit.json import JsonObject, loads

RUN, SUB_SESSION = "run", "sub_session"  # what a call can wait for


class Reached(NamedTuple):
    """What a cancelled turn takes with it."""

    runs: list[str]
    turns: list[str]


async def reached(reader: Reader, session_id: str, turn_id: str, waits: Iterable[JsonObject]) -> Reached:
    """Runs and turns that this turn began: those that a call of it waits for, those of its sub-sessions, and those that
    it began in sessions which were there before.
    """
    owned = [wait for wait in waits if wait.get("owned")]
    runs = [str(wait["job_id"]) for wait in owned if wait["kind"] == RUN]
    turns = {str(wait["job_id"]) for wait in owned if wait["kind"] == SUB_SESSION}
    rows = await reader.rows(
        "select turn_id, metadata from chat_sessions where parent_session_id=?1 and turn_id is not null", session_id
    )
    turns |= {turn for turn, told in rows if cast(JsonObject, loads(told)).get("parent_turn_id") == turn_id}
    delegated = await reader.rows("select id from chat_turns where parent_id=?1 and status is null", turn_id)
    turns |= {turn for (turn,) in delegated}
    return Reached(runs, sorted(turns))


def handed_back(own: Iterable[Event]) -> list[str]:
    """The runs whose results this turn's calls no longer wait for."""
    outputs = [event.data["output"] for event in own if event.type == events.TOOL_OUTPUT_AVAILABLE]
    told = [output for output in outputs if isinstance(output, dict) and output.get("type") == "execution_started"]
    return [str(output["execution_id"]) for output in told]


async def going_on(reader: Reader, run_ids: list[str]) -> list[Draft]:
    """A notice that links the runs among these that have not ended."""
    if not run_ids:
        return []
    rows = await reader.rows(f"select id from jobs where id in ({marks(len(run_ids))}) order by id", *run_ids)
    if not rows:
        return []
    links = ", ".join(f"/library/runs/{run_id}" for (run_id,) in rows)
    return [events.notice("runs_go_on", f"Runs that were started earlier go on: {links}")]
