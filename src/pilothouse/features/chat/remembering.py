"""What a session remembers of what AutoPilot did in it: its `state`, a fold of its log that is kept with the log."""

from collections.abc import Iterable
from typing import Final, NamedTuple, cast

from pilothouse.features.chat import events
from pilothouse.features.chat.events import Draft, Event
from pilothouse.kit.json import JsonObject, loads

_RUN = "run_agent"  # a tool
_GUIDE = "agent_builder_guide"  # the type of a result
_NOTHING: Final[JsonObject] = {"guide_read": False, "runs": {}}


class News(NamedTuple):
    """What an event adds to the state."""

    guide_read: bool = False
    run_of: str | None = None  # the agent that was run


def news_of(event: Draft | Event) -> News | None:
    """None for most events: a state is about few results."""
    output = event.data.get("output") if event.type == events.TOOL_OUTPUT_AVAILABLE else None
    if not isinstance(output, dict):
        return None
    if output.get("type") == _GUIDE:
        return News(guide_read=True)
    if event.data["tool"] == _RUN and (agent_id := _agent_that_ran(output)):
        return News(run_of=agent_id)
    return None


def _agent_that_ran(output: JsonObject) -> str | None:
    """None when it tells of no real run; of one, a call has one result. Trials are free."""
    ran = output.get("type") in ("execution_started", "agent_output") or output.get("execution_id")
    agent_id = output.get("graph_id") or output.get("agent_id")
    return str(agent_id) if ran and agent_id and not output.get("is_dry_run") else None


def state_of(stored: str) -> JsonObject:
    """The state that a session's row holds, whole: where nothing happened yet it holds nothing."""
    return _NOTHING | cast(JsonObject, loads(stored))


def with_news(state: JsonObject, news: News) -> JsonObject:
    runs = cast(dict[str, int], state["runs"])
    if news.run_of is not None:
        runs = runs | {news.run_of: runs.get(news.run_of, 0) + 1}
    return {"guide_read": state["guide_read"] or news.guide_read, "runs": cast(JsonObject, runs)}


def state_after(log: Iterable[Event]) -> JsonObject:
    """The state of a session with this log."""
    state = _NOTHING
    for event in log:
        if (news := news_of(event)) is not None:
            state = with_news(state, news)
    return state
