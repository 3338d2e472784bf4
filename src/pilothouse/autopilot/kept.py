"""What outlives every summary word for word: the todo list, that the guide was read, and the ids of what was made.

Read from the log each time, so that a summary of a summary loses none of it. Pure.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, cast

from pilothouse.features.chat import Event, events
from pilothouse.kit.json import Json, JsonObject, dumps

NEWEST: Final = 50  # of each kind
LONGEST: Final = 200  # characters of an id or a name
TODO_TOOL: Final = "TodoWrite"  # comes with the planning tools; a list that a log holds is kept all the same
GUIDE_TOOL: Final = "get_agent_building_guide"
_KINDS: Final = {
    "agent_id": "agents",
    "library_agent_id": "agents",
    "graph_id": "agents",
    "execution_id": "runs",
    "run_id": "runs",
    "schedule_id": "schedules",
    "sub_session_id": "sub-sessions",
    "sub_autopilot_session_id": "sub-sessions",
    "background_id": "background work",
    "file_id": "files",
}
_REFERENCES: Final = {"run": "runs", "sub_session": "sub-sessions"}
_NAMES: Final = {"agents": ("agent_name", "graph_name", "name"), "files": ("path", "workspace_path", "name")}


def kept_facts(log: Iterable[Event]) -> str:
    """The facts as lines; empty when there are none."""
    found: dict[str, dict[str, str]] = {}
    todo: Json = None
    guide_read = False
    for event in log:
        for kind, thing, name in _things(event):
            if len(thing) > LONGEST:  # results may hold anything under these names
                continue
            known = found.setdefault(kind, {})
            before = known.pop(thing, "")  # so that what was named last stands last
            known[thing] = name[:LONGEST] or before
        if event.type == events.TOOL_INPUT_AVAILABLE and event.data["tool"] == TODO_TOOL:
            todo = event.data["input"]
        if event.type == events.TOOL_OUTPUT_AVAILABLE and event.data["tool"] == GUIDE_TOOL:
            guide_read = guide_read or bool(event.data.get("success"))
    lines = [f"{kind}: {_listed(things)}" for kind, things in found.items()]
    if todo is not None:
        lines.append(f"todo list: {dumps(todo)}")
    if guide_read:
        lines.append("The agent building guide was read in this session.")
    return "\n".join(lines)


def _listed(things: Mapping[str, str]) -> str:
    newest = list(things.items())[-NEWEST:]
    return ", ".join(f"{thing} ({name})" if name else thing for thing, name in newest)


def _things(event: Event) -> Iterator[tuple[str, str, str]]:
    """(kind, id, name) of everything that an event names."""
    match event.type:
        case events.USER_MESSAGE:
            yield from (("files", str(one), "") for one in cast(list[Json], event.data.get("file_ids") or []))
        case events.FOLLOW_UP:
            lists = cast(list[list[Json]], event.data.get("file_ids") or [])
            yield from (("files", str(one), "") for many in lists for one in many)
        case events.BACKGROUND:
            yield "background work", str(event.data["background_id"]), str(event.data["tool"])
            if event.data.get("ref_id"):
                yield _REFERENCES.get(str(event.data["ref_kind"]), "background work"), str(event.data["ref_id"]), ""
        case events.TOOL_OUTPUT_AVAILABLE:
            yield from _named(event.data)  # its output, and the file that has the whole of it
        case _:
            pass


def _named(value: Json) -> Iterator[tuple[str, str, str]]:
    if isinstance(value, list):
        for item in value:
            yield from _named(item)
    elif isinstance(value, dict):
        told = cast(JsonObject, value)
        for field, kind in _KINDS.items():
            if isinstance(told.get(field), str) and told[field]:
                names = (told.get(name) for name in _NAMES.get(kind, ()))
                yield kind, str(told[field]), next((str(name) for name in names if name), "")
        for item in told.values():
            yield from _named(item)
