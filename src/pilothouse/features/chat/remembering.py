"""What a session remembers of what AutoPilot did in it: its `state`, a fold of its log that is kept with the log."""

from collections.abc import Iterable
from typing import NamedTuple, cast

from pilothouse.features.chat import events
from pilothouse.features.chat.events import Draft, Event
from pilothouse.kit.json import JsonObject

RUN_TOOL = "run_agent"
_GUIDE = "agent_builder_guide"  # the type of a result
_GRAPH = ("graph_id", "agent_id")  # where a result names the agent that was run


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
    if event.data["tool"] == RUN_TOOL and _is_of_a_run(output):
        return News(run_of=next(str(output[name]) for name in _GRAPH if output.get(name)))
    return None


def _is_of_a_run(output: JsonObject) -> bool:
    """Whether it tells of a real run; of one, a call has one result. Trials are free."""
    ran = output.get("type") in ("execution_started", "agent_output") or output.get("execution_id")
    return bool(ran) and not output.get("is_dry_run")


def with_news(state: JsonObject, news: News) -> JsonObject:
    runs = dict(cast(dict[str, int], state.get("runs", {})))
    if news.run_of is not None:
        runs[news.run_of] = runs.get(news.run_of, 0) + 1
    return {"guide_read": bool(state.get("guide_read")) or news.guide_read, "runs": cast(JsonObject, runs)}


def state_after(log: Iterable[Event]) -> JsonObject:
    """The state of a session with this log."""
    state = with_news({}, News())
    for event in log:
        if (news := news_of(event)) is not None:
            state = with_news(state, news)
    return state
