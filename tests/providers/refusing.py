"""What the real servers refuse before any model is asked: a fixture that takes everything proves nothing."""

from typing import cast

from tests.providers.script import Body, Refusal

MOST_MARKS = 4


def refusal_of(wire: str, body: Body) -> Refusal | None:
    """Cache markers are for Claude alone, at most four of them, and none on an empty text; Anthropic takes no
    conversation that holds calls or results without the tools they are of, and nobody a choice among no tools.
    """
    marked = _marked(body)
    if marked and not _takes_marks(wire, str(body["model"])):
        return _refused("Unknown parameter: 'cache_control'.")
    if len(marked) > MOST_MARKS:
        return _refused("A maximum of 4 blocks with cache_control may be provided.")
    if any(part.get("text", "told").strip() == "" for part in marked):
        return _refused("cache_control cannot be set for empty text blocks.")
    if wire == "anthropic" and not body.get("tools") and _holds_calls(body):
        return _refused("Requests which include `tool_use` or `tool_result` blocks must define tools.")
    if "tool_choice" in body and not body.get("tools"):
        return _refused("tool_choice may only be specified while providing tools.")
    return None


def _holds_calls(body: Body) -> bool:
    spoken = [message["content"] for message in body["messages"] if isinstance(message["content"], list)]
    return any(block["type"] in ("tool_use", "tool_result") for blocks in spoken for block in blocks)


def _takes_marks(wire: str, model: str) -> bool:
    claude = "claude" in model.lower() or model.lower().startswith("anthropic")
    return wire == "anthropic" or (wire == "openrouter" and claude)


def _marked(value: object) -> list[Body]:
    """Every object of a request that carries a marker, wherever it stands."""
    if isinstance(value, dict):
        fields = cast(Body, value)
        return [fields] * ("cache_control" in fields) + _marked(list(fields.values()))
    return [part for each in cast(list[object], value) for part in _marked(each)] if isinstance(value, list) else []


def _refused(message: str) -> Refusal:
    return Refusal(400, body={"type": "error", "error": {"type": "invalid_request_error", "message": message}})
