"""What to do next: one function per intent, each a little script over what has been done since the user spoke."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, cast

from pilothouse.autopilot.offline import replies
from pilothouse.autopilot.offline.blueprint import Blueprint, draw, read_blueprint, renamed, title_of
from pilothouse.autopilot.offline.intents import (
    Build,
    Delegate,
    Explain,
    FindAgents,
    FindBlocks,
    Help,
    Intent,
    Run,
    ShowResults,
    read_intent,
    typed,
)
from pilothouse.autopilot.offline.reading import Done, Known, Seen, known_from
from pilothouse.kit.json import Json, JsonObject

GUIDE = "get_agent_building_guide"
WAIT = 60
DRY_WAIT = 120


@dataclass(frozen=True, slots=True)
class Say:
    """The answer; the turn ends with it."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """One tool to call."""

    tool: str
    arguments: JsonObject = field(default_factory=dict[str, Json])


Move: TypeAlias = Say | Sequence[Call]


def next_move(seen: Seen) -> Move:
    """Equal conversations give equal moves."""
    intent = read_intent(seen.text)
    failed = next((one for one in seen.done if one.type == "error"), None)
    if failed is not None:
        return Say(replies.failure(failed))
    return _move(intent, seen)


def _move(intent: Intent, seen: Seen) -> Move:
    match intent:
        case Help():
            return Say(replies.help_text())
        case FindBlocks(query):
            return Say(replies.blocks(seen.done[-1])) if seen.done else [Call("find_block", {"query": query[:100]})]
        case FindAgents(query):
            return Say(replies.agents(seen.done[-1])) if seen.done else [_search(query)]
        case Explain(name):
            return _explain(name, seen)
        case Build():
            return _build(intent, seen)
        case Run():
            return _run(intent, seen)
        case Delegate(prompt):
            asked: JsonObject = {"prompt": prompt, "wait_for_result": WAIT}
            return Say(replies.delegated(seen.done[-1])) if seen.done else [Call("run_sub_session", asked)]
        case ShowResults(name):
            return _show(name, seen)
        case _:
            return Say(replies.not_understood())


def _search(query: str) -> Call:
    return Call("find_library_agent", {"query": query[:100]})


def _explain(name: str, seen: Seen) -> Move:
    if seen.done:
        return Say(replies.explanation(seen.done[-1]))
    if not name and seen.it is not None:
        return [Call("find_library_agent", {"agent_id": seen.it.id, "include_graph": True})]
    if not name:
        return Say(replies.which_agent())
    return [Call("find_library_agent", {"query": name[:100], "include_graph": True})]


def _build(intent: Build, seen: Seen) -> Move:
    blueprint = renamed(read_blueprint(intent.description))
    if not blueprint.steps:
        return Say(replies.no_steps())
    if GUIDE not in seen.tools_used:
        return [Call(GUIDE)]
    searched = [one for one in seen.done if one.tool == "find_block"]
    if not searched:
        return [Call("find_block", {"query": q, "for_agent_generation": True}) for q in blueprint.queries()]
    drawing = draw(blueprint, _found(searched))
    if not drawing.placed:
        return Say(replies.nothing_placed(drawing.unplaced))
    saved = [one for one in seen.done if one.tool == "create_agent"]
    if saved:
        return Say(replies.built(saved[-1], blueprint, drawing))
    return [Call("create_agent", _asked(intent, blueprint, drawing.operations))]


def _asked(intent: Build, blueprint: Blueprint, operations: list[Json]) -> JsonObject:
    name = intent.name or title_of(blueprint)
    return {"name": name, "description": f"An agent that {intent.description}.", "operations": operations}


def _found(searched: Sequence[Done]) -> dict[str, list[JsonObject]]:
    return {str(one.arguments["query"]): cast(list[JsonObject], one.output.get("blocks", [])) for one in searched}


def _run(intent: Run, seen: Seen) -> Move:
    ran = next((one for one in seen.done if one.tool == "run_agent"), None)
    if ran is not None:
        return Say(replies.run_result(ran))
    if intent.name is None:
        return [_start(intent, seen.it)] if seen.it else Say(replies.which_agent())
    if not seen.done:
        return [_search(intent.name)]
    known = _chosen(intent.name, seen.done[-1])
    return [_start(intent, known)] if known else Say(replies.choose(intent.name, seen.done[-1]))


def _chosen(name: str, found: Done) -> Known | None:
    """The one that is meant: the only one, or the only one with exactly this name."""
    if (only := known_from(found)) is not None:
        return only
    agents = cast(list[JsonObject], found.output.get("agents", []))
    same = [agent for agent in agents if str(agent["name"]).casefold() == name.casefold()]
    alone = Done(found.tool, {}, {"type": "agents_found", "agents": [*same]})
    return known_from(alone) if len(same) == 1 else None


def _start(intent: Run, known: Known) -> Call:
    properties = cast(dict[str, JsonObject], (known.inputs or {}).get("properties", {}))
    given = intent.inputs or _named(intent.bare, list(properties))
    inputs: JsonObject = {name: typed(value, properties.get(name)) for name, value in given.items()}
    arguments: JsonObject = {"library_agent_id": known.id, "wait_for_result": DRY_WAIT if intent.dry_run else WAIT}
    if inputs:
        arguments["inputs"] = inputs
    if intent.dry_run:
        arguments |= {"dry_run": True, "use_defaults": True}
    return Call("run_agent", arguments)


def _named(bare: str, names: list[str]) -> dict[str, str]:
    """`name Ada`, or only `Ada` where there is one input."""
    first, _, rest = bare.partition(" ")
    if rest and first in names:
        return {first: rest.strip()}
    return {names[0]: bare} if bare and len(names) == 1 else {}


def _show(name: str | None, seen: Seen) -> Move:
    if seen.done:
        return Say(replies.run_result(seen.done[-1]))
    if name is not None:
        return [Call("view_agent_output", {"agent_name": name, "run_time": "latest"})]
    if seen.it is None:
        return Say(replies.which_agent())
    return [Call("view_agent_output", {"library_agent_id": seen.it.id, "run_time": "latest"})]
