"""A conversation to take away, as its owner sees it: nothing that the page does not show. Pure."""

from collections.abc import Iterator, Sequence
from typing import cast

from pilothouse.features.chat.present import SessionView, session_json
from pilothouse.kit.json import Json, JsonObject, dumps

FENCE = "````"
_ENDS = {"failed": "*This turn failed.*", "cancelled": "*This turn was stopped.*"}


def as_json(view: SessionView, messages: Sequence[JsonObject]) -> JsonObject:
    """The session and its messages, in the shapes of the API; without what it was permitted."""
    session = session_json(view)
    metadata = cast(JsonObject, session["metadata"])
    session["metadata"] = {name: value for name, value in metadata.items() if name != "permissions"}
    return {"format": "pilothouse.chat/1", "session": session, "messages": cast(Json, list(messages))}


def as_markdown(view: SessionView, messages: Sequence[JsonObject]) -> str:
    """For people: who said what, and which tools were used with which result."""
    parts = [f"# {view.title or 'Conversation'}"]
    for message in messages:
        parts += _user(str(message["text"])) if message["role"] == "user" else _assistant(message)
    return "\n\n".join(parts) + "\n"


def _user(text: str) -> list[str]:
    return ["## You", text]


def _assistant(message: JsonObject) -> list[str]:
    lines = ["## AutoPilot"]
    for part in cast(list[JsonObject], message["parts"]):
        lines += _part(part)
    ending = _ENDS.get(str(message["status"]))
    return [*lines, ending] if ending else lines


def _part(part: JsonObject) -> Iterator[str]:
    match part["type"]:
        case "text":
            yield str(part["text"])
        case "reasoning":
            yield "> " + str(part["text"]).replace("\n", "\n> ")
        case "tool":
            yield f"**{part['tool']}**"
            yield _fenced(part["input"])
            yield _fenced(part["output"] if part["error"] is None else part["error"])
        case "follow-up":
            for text in cast(list[str], part["texts"]):
                yield from _user(text)
            yield "## AutoPilot"
        case "notice" | "error":
            yield f"*{part['message']}*"
        case _:
            pass


def _fenced(value: Json) -> str:
    """A value can hold no fence that ends this one: JSON text is one line, and a fence stands on a line of its own."""
    return f"{FENCE}json\n{dumps(value)}\n{FENCE}"
