"""Pictures that came with messages: a model that can see is shown them, the newest first, as far as there is room."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias, cast

from pydantic_ai.messages import BinaryContent

from pilothouse.autopilot.attachments import Attachments, FileFacts, file_ids
from pilothouse.base.tools import ToolContext
from pilothouse.features.chat import Event

MAX_BYTES: Final = 20 * 1024 * 1024  # of one picture, and of all that one request carries
PICTURE_TOKENS: Final = 1_600  # about what the providers count for one of full size
TYPES: Final = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})  # what every provider reads
# No provider says in its answers whether a model can see. An unknown one is taken to be blind: its files are named.
_SEEING: Final = re.compile(
    r"claude-(?!2|instant)|gpt-(4o|4\.1|4-turbo|4\.5|[5-9])|chatgpt-4o|(^|/)o[134](-|$)|gemini|grok-([4-9]|.*vision)"
    r"|llama-?(3\.2.*vision|[4-9])|llava|bakllava|pixtral|gemma-?[3-9]|mistral-(small|medium|large)-?[3-9]|minicpm-v"
    r"|vision|-vl\b|vl-|qwen.*omni|internvl|moondream|phi-.*(vision|multimodal)",
    re.IGNORECASE,
)

Pictures: TypeAlias = Mapping[str, BinaryContent]  # by the file's id


def can_see(slug: str, told: bool | None = None) -> bool:
    """Whether a model takes pictures: as the settings tell, else by what is known of its name."""
    return told if told is not None else _SEEING.search(slug) is not None


def is_picture(one: FileFacts) -> bool:
    return one.type in TYPES and one.size <= MAX_BYTES


async def look_at_pictures(ctx: ToolContext, log: Iterable[Event], known: Pictures, *, sees: bool) -> Pictures:
    """The pictures of a conversation that one request can carry; those that are `known` are not read again."""
    store = cast(Attachments | None, ctx.parts.get(Attachments))
    newest = file_ids(log)[::-1] if sees else []
    if store is None or not newest:
        return {}
    found = {one.id: one for one in await store.index.find_files(ctx.actor.user_id, newest)}
    shown: dict[str, BinaryContent] = {}
    for one in _fitting([found[file_id] for file_id in newest if file_id in found]):
        picture = known.get(one.id)
        if picture is None:
            data = await store.index.read_file(ctx.actor.user_id, one.id)
            if data is None:
                continue  # deleted since it was found
            picture = BinaryContent(data, media_type=one.type, identifier=one.id)
        shown[one.id] = picture
    return shown


def _fitting(newest: Sequence[FileFacts]) -> list[FileFacts]:
    """As many as there is room for, from the newest on."""
    left, fitting = MAX_BYTES, list[FileFacts]()
    for one in filter(is_picture, newest):
        if one.size <= left:
            left -= one.size
            fitting.append(one)
    return fitting
