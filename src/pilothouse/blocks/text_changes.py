"""Text in another shape: capitals, margins, escape sequences."""

import re
import unicodedata
from collections.abc import Callable
from typing import Annotated, Literal

from pydantic import Field

from pilothouse.blocks.contract import BlockContext, BlockInput, BlockOutput, Category, Effects, Example, block

MAX_WIDTH = 100_000


class TextEncoderIn(BlockInput):
    text: Annotated[str, Field(description="The text.")]


class TextEncoderOut(BlockOutput):
    encoded_text: str | None = None


@block(
    id="5185f32e-4b65-4ecf-8fbb-873f003f09d6",
    name="Text encoder",
    categories={Category.TEXT},
    effects=Effects.NONE,
    examples=[
        Example(ask={"text": 'a\n"ü"\\'}, fires=[("encoded_text", 'a\\n"\\xfc"\\\\')]),
        Example(ask={"text": "😀"}, fires=[("encoded_text", "\\U0001f600")]),
    ],
)
async def text_encoder(ask: TextEncoderIn, ctx: BlockContext) -> TextEncoderOut:
    """Write line breaks, backslashes and all that is not ASCII as escape sequences."""
    return TextEncoderOut(encoded_text=ask.text.encode("unicode_escape").decode("ascii"))


class TextDecoderIn(BlockInput):
    text: Annotated[str, Field(description="Text with escape sequences.")]


class TextDecoderOut(BlockOutput):
    decoded_text: str | None = None


@block(
    id="2570e8fe-8447-43ed-84c7-70d657923231",
    name="Text decoder",
    categories={Category.TEXT},
    effects=Effects.NONE,
    examples=[
        Example(ask={"text": "a\\n\\u00fc\\\\n ü"}, fires=[("decoded_text", "a\nü\\n ü")]),
        Example(ask={"text": "\\U0001f600 \\x41\\101"}, fires=[("decoded_text", "😀 AA")]),
        Example(ask={"text": "\\ud83d\\ude00"}, fires=[("decoded_text", "😀")]),
        Example(ask={"text": "C:\\Users"}, fires=[("error", str)]),
        Example(ask={"text": "\\ud83d"}, fires=[("error", str)]),
    ],
)
async def text_decoder(ask: TextDecoderIn, ctx: BlockContext) -> TextDecoderOut:
    r"""Turn escape sequences such as \n and \u00e9 into what they stand for."""
    try:
        return TextDecoderOut(decoded_text=decoded(ask.text))
    except (UnicodeError, OverflowError):
        return TextDecoderOut(error="an escape sequence stands for no character")
    except ValueError as fault:
        return TextDecoderOut(error=str(fault))


_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{1,3})|(.?))", re.DOTALL)
_LETTERS = {
    "\\": "\\",
    "'": "'",
    '"': '"',
    "/": "/",
    "\n": "",
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
}


def decoded(text: str) -> str:
    """Raises `ValueError` for a sequence that stands for nothing. Other characters stay, whatever they are."""

    def stands_for(found: re.Match[str]) -> str:
        x, u, long, octal, letter = found.groups()
        if number := x or u or long:
            return chr(int(number, 16))
        if octal:
            return chr(int(octal, 8))
        if letter not in _LETTERS:
            raise ValueError(f"{found[0]!r} is no escape sequence")
        return _LETTERS[letter]

    # Two halves of one character, as JSON writes them, become that character; a half alone is refused.
    return _ESCAPE.sub(stands_for, text).encode("utf-16", "surrogatepass").decode("utf-16")


class ChangeTextIn(BlockInput):
    text: Annotated[str, Field(description="The text.")]
    change: Annotated[
        Literal["upper", "lower", "title", "sentence", "trim", "pad_left", "pad_right", "slug", "reverse"],
        Field(description="What to do with it."),
    ]
    width: Annotated[int, Field(ge=0, le=MAX_WIDTH, description="How long padding makes it.")] = 0
    fill: Annotated[str, Field(min_length=1, max_length=1, description="What padding is made of.")] = " "


class ChangeTextOut(BlockOutput):
    text: str | None = None


@block(
    id="eafb688b-701a-4f61-8a65-e312fdbaf68c",
    name="Change text",
    categories={Category.TEXT},
    effects=Effects.NONE,
    examples=[
        Example(ask={"text": "one two", "change": "upper"}, fires=[("text", "ONE TWO")]),
        Example(ask={"text": "One TWO", "change": "lower"}, fires=[("text", "one two")]),
        Example(ask={"text": "it's one two", "change": "title"}, fires=[("text", "It's One Two")]),
        Example(ask={"text": "ONE two. THREE", "change": "sentence"}, fires=[("text", "One two. Three")]),
        Example(ask={"text": " a ", "change": "trim"}, fires=[("text", "a")]),
        Example(ask={"text": "7", "change": "pad_left", "width": 3, "fill": "0"}, fires=[("text", "007")]),
        Example(ask={"text": "7", "change": "pad_right", "width": 3}, fires=[("text", "7  ")]),
        Example(ask={"text": "  Ünder — the Sea! ", "change": "slug"}, fires=[("text", "under-the-sea")]),
        Example(ask={"text": "abc", "change": "reverse"}, fires=[("text", "cba")]),
        Example(ask={"text": "a", "change": "pad_left", "fill": "ab"}, fails="invalid_input"),
    ],
)
async def change_text(ask: ChangeTextIn, ctx: BlockContext) -> ChangeTextOut:
    """Change a text: uppercase, lowercase, title or sentence case, trim, pad, slug or reverse."""
    return ChangeTextOut(text=_CHANGES[ask.change](ask))


def title(text: str) -> str:
    return re.sub(r"\S+", lambda word: word[0][:1].upper() + word[0][1:].lower(), text)


def sentence(text: str) -> str:
    """A capital at the start and after each full stop, question mark or exclamation mark."""
    return re.sub(r"(^\s*|[.!?]\s+)(\w)", lambda found: found[1] + found[2].upper(), text.lower())


def slug(text: str) -> str:
    """For addresses and file names: small ASCII letters and digits, hyphens between the words."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")


_CHANGES: dict[str, Callable[[ChangeTextIn], str]] = {
    "upper": lambda ask: ask.text.upper(),
    "lower": lambda ask: ask.text.lower(),
    "title": lambda ask: title(ask.text),
    "sentence": lambda ask: sentence(ask.text),
    "trim": lambda ask: ask.text.strip(),
    "pad_left": lambda ask: ask.text.rjust(ask.width, ask.fill),
    "pad_right": lambda ask: ask.text.ljust(ask.width, ask.fill),
    "slug": lambda ask: slug(ask.text),
    "reverse": lambda ask: ask.text[::-1],
}
