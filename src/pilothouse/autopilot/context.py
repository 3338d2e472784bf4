"""What the model is told beside the conversation. Pure: the same facts give the same bytes."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from html import escape, unescape
from pathlib import Path

from pilothouse.kit.json import Json, JsonObject

# Tags that only the server writes: whoever else does would speak with its voice.
RESERVED = (
    *("user_context", "memory_context", "env_context", "temporal_context", "builder_context", "builder_session"),
    *("conversation_history", "user_follow_up", "skills"),
)
_TAG = re.compile(rf"<\s*(?:/\s*)?(?:{'|'.join(RESERVED)})\b", re.IGNORECASE)  # as far as it tells which it is
_BRACKET = re.compile("([<>])")
FOLLOW_UP = "user_follow_up"
FOLLOW_UP_EACH, FOLLOW_UP_TOTAL = 2_000, 6_000  # characters
CUT = " […]"
_MARKUP = ("builder_context",)
CLOSING = "Tell the user in one or two sentences what was done and what came out. Do not call any tool."


def system_prompt(suffix: str = "") -> str:
    """Byte for byte the same on all turns of a session, and without a suffix for all users: providers keep it."""
    return f"{_base_prompt()}\n\n{suffix}" if suffix else _base_prompt()


@cache
def _base_prompt() -> str:
    return (Path(__file__).parent / "prompt.md").read_text(encoding="utf-8").strip()


def without_reserved_tags(text: str) -> str:
    """The text without the server's own tags, however they are spelled; what they enclose stays.

    In one pass, for a text may be long and hold thousands of them, one inside the other: what a tag had parted is one
    piece again when it is gone, and is judged as such.
    """
    kept: list[str] = []
    opened: list[str] = []  # pieces from a bracket on that no bracket has closed yet
    for piece in _BRACKET.split(text):
        if piece == "<":
            opened.append(piece)
        elif piece == ">" and opened and _TAG.match(opened[-1]):
            opened.pop()
        elif piece == ">":  # what is closed here is no tag of ours, and nothing before it can become one
            kept += [*opened, piece]
            opened = []
        elif opened:
            opened[-1] += piece
        else:
            kept.append(piece)
    while opened and _TAG.match(opened[-1]):  # never closed
        opened.pop()
    return "".join([*kept, *opened])


def turn_blocks(started_at: datetime) -> list[JsonObject]:
    """The per-turn context, as it is logged beside the user's message. A dry run is not told of."""
    return [{"kind": "temporal_context", "text": f"It is {started_at:%A, %Y-%m-%d %H:%M} UTC."}]


def rendered(blocks: Iterable[Mapping[str, Json]]) -> str:
    """Context blocks as the model reads them."""
    return "\n".join(f"<{block['kind']}>{_inside(block)}</{block['kind']}>" for block in blocks)


def _inside(block: Mapping[str, Json]) -> str:
    """Text is escaped here; markup has its values escaped where it was made."""
    text = str(block["text"])
    return f"\n{text}\n" if block["kind"] in _MARKUP else escape(text)


def page_context(context: Json) -> str:
    """What the user looked at while writing, if the client told; data, so it is escaped."""
    if not isinstance(context, dict):
        return ""
    content = without_reserved_tags(str(context.get("content") or ""))
    url = without_reserved_tags(str(context.get("url") or ""))
    return f'<user_context url="{escape(url)}">{escape(content)}</user_context>' if url or content else ""


def follow_up_block(texts: Sequence[str], contexts: Sequence[Json] = ()) -> str:
    """What the user wrote meanwhile, as it stands behind the results: escaped, and bounded; never nothing of it."""
    shown: list[str] = []
    left = FOLLOW_UP_TOTAL
    for text in texts:
        piece = _cut(message_text(text))
        if shown and len(piece) > left:
            break
        shown.append(escape(piece, quote=False))
        left -= len(piece)
    hidden = len(texts) - len(shown)
    more = [f"[{hidden} more message(s) truncated]"] if hidden else []
    pages = [page for context in contexts[: len(shown)] if (page := page_context(context))]
    inside = "\n\n".join(text for text in (*shown, *more) if text)
    return "\n".join([*pages, f"<{FOLLOW_UP}>{inside}</{FOLLOW_UP}>"]) if inside else ""


def _cut(text: str) -> str:
    return text if len(text) <= FOLLOW_UP_EACH else f"{text[: FOLLOW_UP_EACH - len(CUT)]}{CUT}"


def follow_up_text(content: str) -> str:
    """What the user said, out of a follow-up block; any other text as it is."""
    _, tag, rest = content.partition(f"<{FOLLOW_UP}>")
    return unescape(rest.removesuffix(f"</{FOLLOW_UP}>")) if tag else content


def message_text(text: str) -> str:
    """A user's message as the model reads it."""
    return without_reserved_tags(text).strip()
