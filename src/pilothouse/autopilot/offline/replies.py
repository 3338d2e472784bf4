"""What the offline pilot says: Markdown, made from the results of tools and nothing else."""

from typing import Any, cast

from pilothouse.autopilot.offline.blueprint import Blueprint, Drawing
from pilothouse.autopilot.offline.intents import EXAMPLES
from pilothouse.autopilot.offline.reading import Done
from pilothouse.kit.json import Json, JsonObject, dumps

LONG = 60  # characters, from which a value gets lines of its own


def help_text() -> str:
    return f"I am the offline pilot. I understand a few kinds of sentences and need no network:\n\n{_intents()}"


def not_understood() -> str:
    return (
        "I did not understand that. I am the offline pilot, which knows only these kinds of sentences;"
        f" with a connected model you can write as you like.\n\n{_intents()}"
    )


def _intents() -> str:
    return "\n".join(f"- {what}: `{example}`" for what, example in EXAMPLES)


def failure(done: Done) -> str:
    said = str(done.output.get("message") or "It gave no reason.")
    hint = f"\n\n{done.output['hint']}" if done.output.get("hint") else ""
    details = cast(JsonObject, done.output.get("details") or {})
    reason = details.get("reason")
    why = f"\n\n> {reason['message']}" if isinstance(reason, dict) and reason.get("message") else ""
    names = [f"- {one['name']}" for one in cast(list[JsonObject], details.get("candidates", []))]
    choices = "\n\n" + "\n".join(names) if names else ""
    return f"That did not work: {said}{why}{choices}{hint}"


def blocks(done: Done) -> str:
    found = cast(list[JsonObject], done.output.get("blocks", []))
    query = str(done.output.get("query", ""))
    if not found:
        hints = ", ".join(cast(list[str], done.output.get("suggestions", [])))
        return f"I found no block for “{query}”." + (f" There are blocks about: {hints}." if hints else "")
    lines = [f"- **{block['name']}**: {block['description']}" for block in found]
    return f"Blocks for “{query}”:\n\n" + "\n".join(lines)


def agents(done: Done) -> str:
    found = cast(list[JsonObject], done.output.get("agents", []))
    if not found:
        return "I found no such agent in your library."
    lines = [f"- **{agent['name']}**: {agent['description'] or 'no description'}" for agent in found]
    return "In your library:\n\n" + "\n".join(lines)


def choose(name: str, done: Done) -> str:
    found = cast(list[JsonObject], done.output.get("agents", []))
    if not found:
        return f"You have no agent called “{name}”. `list my agents` shows what there is."
    lines = [f"- {agent['name']}" for agent in found]
    return f"Which one do you mean by “{name}”?\n\n" + "\n".join(lines)


def which_agent() -> str:
    return "Which agent do you mean? Say its name, for example `run Greeting with name=Ada`."


def explanation(done: Done) -> str:
    found = cast(list[JsonObject], done.output.get("agents", []))
    if not found:
        return agents(done)
    agent = found[0]
    graph = cast(dict[str, Any], agent.get("graph") or {"nodes": [], "links": []})
    steps = [f"- `{node['id']}`" + (f" {node['name']}" if node.get("name") else "") for node in graph["nodes"]]
    links = [f"- `{link['from']}` {link['out']} → `{link['to']}` {link['in']}" for link in graph["links"]]
    parts = [f"**{agent['name']}**: {agent['description'] or 'no description'}", "Its nodes:\n\n" + "\n".join(steps)]
    return "\n\n".join([*parts, "How values flow:\n\n" + "\n".join(links)] if links else parts)


def no_steps() -> str:
    return "What should the agent do with it? Name the steps, for example: `takes a name and greets it`."


def nothing_placed(unplaced: list[str]) -> str:
    lines = "\n".join(f"- {step}" for step in unplaced)
    return (
        f"I built nothing: I know no block for\n\n{lines}\n\nI can place steps like: greets it, makes it upper case,"
        " counts the words, joins the list with commas, goes through it, asks the url, waits 5 seconds."
    )


def built(done: Done, blueprint: Blueprint, drawing: Drawing) -> str:
    name = str(done.output.get("agent_name", "the agent"))
    takes = ", ".join(f"`{wanted.name}`" for wanted in blueprint.inputs)
    steps = "\n".join(f"{n}. {step}" for n, step in enumerate([f"takes {takes}", *drawing.placed, "gives `result`"], 1))
    text = f"I built **{name}**:\n\n{steps}"
    if drawing.unplaced:
        left = "; ".join(drawing.unplaced)
        text += f"\n\n**Not built:** I know no block for this: {left}. The agent goes on without it."
    example = ", ".join(f"{wanted.name}={_sample(wanted.block)}" for wanted in blueprint.inputs)
    return f"{text}\n\nTry it: `run it with {example}`"


def _sample(block: str) -> str:
    samples = {"Agent number input": "3", "Agent input": '["a", "b"]', "Agent date input": "2026-01-31"}
    return samples.get(block, "Ada" if block == "Agent short text input" else "some text")


def run_result(done: Done) -> str:
    match done.type:
        case "agent_output":
            return _outputs(done.output)
        case "agent_details":
            return _missing(done.output)
        case "input_validation_error":
            return _refused(done.output)
        case "execution_started":
            return f"{done.output['message']} Ask me to `show the results` in a while."
        case _:
            return str(done.output.get("message", "There is nothing to show."))


def delegated(done: Done) -> str:
    output = done.output
    link = f"[its session]({output.get('sub_autopilot_session_link')})"
    match output.get("status"):
        case "completed":
            return f"A session of its own did it ({link}):\n\n{output.get('response', '')}"
        case "error":
            return f"The delegated work failed ({link}): {output.get('error', '')}"
        case _:
            return f"{output.get('message', '')} See {link}."


def _outputs(output: JsonObject) -> str:
    execution = cast(dict[str, Any], output["execution"])
    text = f"**{output['agent_name']}**: {str(execution['status']).replace('_', ' ')}."
    if execution.get("error"):
        text += f"\n\n> {execution['error']}"
    lines = [_values(name, values) for name, values in cast(dict[str, list[Json]], execution["outputs"]).items()]
    if lines:
        text += "\n\n" + "\n".join(lines)
    warnings = cast(list[str], output.get("warnings", []))
    return text + "".join(f"\n\n{warning}" for warning in warnings)


def _values(name: str, values: list[Json]) -> str:
    shown = [value if isinstance(value, str) else dumps(value) for value in values]
    if len(shown) == 1 and len(shown[0]) <= LONG and "\n" not in shown[0]:
        return f"- **{name}**: {shown[0]}"
    if all(len(value) <= LONG and "\n" not in value for value in shown):
        return f"- **{name}**:\n" + "\n".join(f"    - {value}" for value in shown)
    return f"- **{name}**:\n\n" + "\n\n".join(f"```\n{value}\n```" for value in shown)


def _missing(output: JsonObject) -> str:
    agent = cast(JsonObject, output["agent"])
    schema = cast(JsonObject, agent.get("inputs") or {})
    fields = cast(dict[str, JsonObject], schema.get("properties", {}))
    needed = cast(list[str], output.get("missing", [])) or list(fields)
    names = " and ".join(f"**{name}**" for name in needed)
    example = ", ".join(f"{name}=..." for name in needed)
    return f"**{agent['name']}** needs {names}. Tell me for example: `run it with {example}`"


def _refused(output: JsonObject) -> str:
    unknown = cast(list[str], output.get("unrecognized_fields", []))
    errors = cast(dict[str, str], output.get("errors", {}))
    lines = [f"- **{name}**: there is no such input" for name in unknown]
    lines += [f"- **{name}**: {message}" for name, message in errors.items()]
    schema = cast(JsonObject, output.get("inputs") or {})
    names = ", ".join(f"`{name}`" for name in cast(dict[str, Json], schema.get("properties", {})))
    return "Nothing was run:\n\n" + "\n".join(lines) + (f"\n\nIts inputs are {names}." if names else "")
