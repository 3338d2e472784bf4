"""Characters that a provider has cut in two: outside the basic plane each is a pair, and a stream may part it. Pure."""

import re

from pydantic_ai.messages import ModelResponse, TextPart, ThinkingPart

_HALF = re.compile("[\ud800-\udfff]")


def mended(text: str) -> str:
    """The text with its halves joined; what has lost its other half is replaced: no JSON could hold it."""
    if _HALF.search(text) is None:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def cut_open(text: str) -> tuple[str, str]:
    """The text, and behind it the first half of a character whose second may still come."""
    return (text[:-1], text[-1]) if "\ud800" <= text[-1:] <= "\udbff" else (text, "")


def mend(response: ModelResponse) -> None:
    """See that a whole response can be kept and sent back."""
    for part in response.parts:
        if isinstance(part, TextPart | ThinkingPart):
            part.content = mended(part.content)
    for call in response.tool_calls:
        if isinstance(call.args, str):
            call.args = mended(call.args)
