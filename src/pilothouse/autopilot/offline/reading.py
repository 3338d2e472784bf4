"""What was said and done, read from the messages that every model is given."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from pilothouse.autopilot.context import follow_up_text
from pilothouse.kit.json import JsonObject


@dataclass(frozen=True, slots=True)
class Done:
    """A call with what it gave."""

    tool: str
    arguments: JsonObject
    output: JsonObject

    @property
    def type(self) -> str:
        return str(self.output.get("type", ""))


@dataclass(frozen=True, slots=True)
class Known:
    """The agent that "it" means."""

    id: str
    name: str
    inputs: JsonObject | None  # its schema, where one was told


@dataclass(slots=True)
class Seen:
    """A conversation as the offline pilot sees it."""

    text: str = ""  # what the user said last
    done: list[Done] = field(default_factory=list[Done])  # since then
    earlier: list[Done] = field(default_factory=list[Done])  # before that
    length: int = 0  # messages, from which new calls get their ids

    @property
    def tools_used(self) -> set[str]:
        return {one.tool for one in (*self.earlier, *self.done) if one.type != "error"}

    @property
    def it(self) -> Known | None:
        """The agent last made, found or run; with its inputs, if they were ever told."""
        told = [known for one in (*self.earlier, *self.done) if (known := known_from(one)) is not None]
        if not told:
            return None
        schemas = [known.inputs for known in told if known.id == told[-1].id and known.inputs is not None]
        return replace(told[-1], inputs=schemas[-1] if schemas else None)


def see(messages: Sequence[ModelMessage]) -> Seen:
    seen = Seen(length=len(messages))
    calls: dict[str, ToolCallPart] = {}
    for message in messages:
        if not isinstance(message, ModelRequest):
            calls |= {part.tool_call_id: part for part in message.parts if isinstance(part, ToolCallPart)}
            continue
        for part in message.parts:
            if isinstance(part, ToolReturnPart):
                call = calls.get(part.tool_call_id)
                arguments = cast(JsonObject, call.args_as_dict()) if call else {}
                told: JsonObject = {"type": "error", "message": str(part.content)}
                output = cast(JsonObject, part.content) if isinstance(part.content, dict) else told
                seen.done.append(Done(part.tool_name, arguments, output))
            elif isinstance(part, UserPromptPart) and isinstance(part.content, str):
                seen.text = follow_up_text(part.content)
                seen.earlier += seen.done
                seen.done = []
    return seen


def known_from(done: Done) -> Known | None:
    """The agent that a result is about, if it is about one."""
    output = done.output
    match done.type:
        case "agent_builder_saved":
            return _known(output, "agent_id", "agent_name", "inputs")
        case "agent_output":
            return _known(output, "agent_id", "agent_name")
        case "execution_started":
            return _known(output, "graph_id", "graph_name")
        case "agent_details":
            return _known(cast(JsonObject, output["agent"]), "id", "name", "inputs")
        case "agents_found":
            agents = cast(list[JsonObject], output["agents"])
            return _known(agents[0], "id", "name", "inputs") if len(agents) == 1 else None
        case _:
            return None


def _known(facts: JsonObject, key: str, name: str, inputs: str | None = None) -> Known:
    schema = facts.get(inputs) if inputs else None
    return Known(str(facts[key]), str(facts[name]), schema if isinstance(schema, dict) else None)
