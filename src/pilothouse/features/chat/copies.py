"""The copy of a tool's result that a model reads. Pure: what is logged is the tool's own JSON, and stays as it is."""

from typing import Final

from pilothouse.features.chat.limits import MAX_TOOL_TEXT
from pilothouse.kit.json import Json, JsonObject, dumps, fitting

_FOR_THE_WEB: Final = "is_dry_run"  # of a result; no model sees it
_FILE: Final = ("file_id", "workspace_path")  # that holds the whole of a result, where there was room for it


def whole_copy(output: Json) -> str:
    """All that a model may read of a result, as JSON text."""
    return _copy(output)[1]


def for_model(data: JsonObject) -> Json:
    """The copy of a result that was logged, given the data of its event. As JSON it has `MAX_TOOL_TEXT` characters at
    most; one that is cut names what has the rest.
    """
    output, text = _copy(data["output"])
    if len(text) <= MAX_TOOL_TEXT:
        return output
    hint = "Cut. `read_tool_result` with this tool_call_id and an offset reads the rest; the file has the whole."
    cut: JsonObject = {
        "type": output.get("type") if isinstance(output, dict) else None,
        "truncated": True,
        "message": hint if "file_id" in data else hint.partition(";")[0] + ".",
        "tool_call_id": data["tool_call_id"],
        **{name: data[name] for name in _FILE if name in data},
        "shown": MAX_TOOL_TEXT,
        "total": len(text),
        "text": "",
    }
    shown = fitting(text, MAX_TOOL_TEXT - len(dumps(cut)))  # in a text field its quotes are escaped once more
    return cut | {"shown": len(shown), "text": shown}


def _copy(output: Json) -> tuple[Json, str]:
    text = dumps(output)
    if f'"{_FOR_THE_WEB}"' not in text:
        return output, text
    output = _without_what_is_for_the_web(output)
    return output, dumps(output)


def _without_what_is_for_the_web(value: Json) -> Json:
    """A result may hold others: of work in the background, of a session's calls. Each has a `type`."""
    if isinstance(value, list):
        return [_without_what_is_for_the_web(item) for item in value]
    if not isinstance(value, dict):
        return value
    hidden = _FOR_THE_WEB if "type" in value else None
    return {name: _without_what_is_for_the_web(item) for name, item in value.items() if name != hidden}
