"""What the model is told beside the conversation. Pure: the same facts give the same bytes."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from html import escape
from pathlib import Path

from pilothouse.kit.json import Json, JsonObject

# Tags that only the server writes: whoever else does would speak with its voice.
RESERVED = (
    *("user_context", "memory_context", "env_context", "temporal_context", "builder_context", "builder_session"),
    *("conversation_history", "user_follow_up", "skills"),
)
_TAG = re.compile(rf"<\s*/?\s*(?:{'|'.join(RESERVED)})\b[^<>]*(?:>|$)", re.IGNORECASE)
CLOSING = "Tell the user in one or two sentences what was done and what came out. Do not call any tool."


@cache
def system_prompt() -> str:
    """Byte for byte the same on all turns of all users, so that providers can keep it."""
    return (Path(__file__).parent / "prompt.md").read_text(encoding="utf-8").strip()


def without_reserved_tags(text: str) -> str:
    """The text without the server's own tags, however they are spelled; what they enclose stays."""
    while (stripped := _TAG.sub("", text)) != text:
        text = stripped
    return text


def turn_blocks(started_at: datetime, *, dry_run: bool) -> list[JsonObject]:
    """The per-turn context, as it is logged beside the user's message. The dry run is hidden from the model."""
    return [{"kind": "temporal_context", "text": f"It is {started_at:%A, %Y-%m-%d %H:%M} UTC."}]


def rendered(blocks: Iterable[Mapping[str, Json]]) -> str:
    """Context blocks as the model reads them."""
    return "\n".join(f"<{block['kind']}>{escape(str(block['text']))}</{block['kind']}>" for block in blocks)


def page_context(context: Json) -> str:
    """What the user looked at while writing, if the client told; data, so it is escaped."""
    if not isinstance(context, dict):
        return ""
    content = without_reserved_tags(str(context.get("content") or ""))
    url = without_reserved_tags(str(context.get("url") or ""))
    return f'<user_context url="{escape(url)}">{escape(content)}</user_context>' if url or content else ""


def message_text(text: str, file_ids: Sequence[str] = ()) -> str:
    """A user's message as the model reads it."""
    files = "".join(f"\n[file {file_id}]" for file_id in file_ids)
    return without_reserved_tags(text).strip() + files
