"""Working with text."""

from typing import Annotated

from pydantic import Field

from pilothouse.blocks.contract import (
    AnyJson,
    BlockContext,
    BlockInput,
    BlockOutput,
    Category,
    Effects,
    Example,
    block,
)
from pilothouse.blocks.template import TemplateFault, render

MAX_TEXT = 16_000_000  # characters; a longer value could not be handed on
TOO_LONG = "the result would be longer than 16 million characters"


class FillTextTemplateIn(BlockInput):
    values: Annotated[dict[str, AnyJson], Field(description="What the template may use, by name.")]
    format: Annotated[str, Field(description="A Jinja template.", json_schema_extra={"format": "long-text"})]
    escape_html: Annotated[bool, Field(description="Escape HTML in the values.")] = False


class FillTextTemplateOut(BlockOutput):
    output: str | None = None


@block(
    id="db7d8f02-2f44-4c55-ab7a-eae0941f0c30",
    name="Fill text template",
    categories={Category.TEXT},
    effects=Effects.NONE,
    examples=[
        Example(
            ask={"values": {"name": "Ada", "langs": ["a", "b"]}, "format": "{{ name }}: {{ langs | join(', ') }}"},
            fires=[("output", "Ada: a, b")],
        ),
        Example(
            ask={"values": {"x": "<b>"}, "format": "{{ x }}", "escape_html": True}, fires=[("output", "&lt;b&gt;")]
        ),
        Example(ask={"values": {}, "format": "{% for %}"}, fires=[("error", str)]),
        Example(ask={"values": {}, "format": "{{ ''.__class__.__mro__ }}"}, fires=[("error", str)]),
    ],
)
async def fill_text_template(ask: FillTextTemplateIn, ctx: BlockContext) -> FillTextTemplateOut:
    """Put values into a text."""
    try:
        return FillTextTemplateOut(output=render(ask.format, ask.values, escape_html=ask.escape_html))
    except TemplateFault as fault:
        return FillTextTemplateOut(error=str(fault))


class CombineTextsIn(BlockInput):
    input: Annotated[list[str], Field(description="The texts, in order.")]
    delimiter: Annotated[str, Field(description="Put between them.")] = ""


class CombineTextsOut(BlockOutput):
    output: str | None = None


@block(
    id="e30a4d42-7b7d-4e6a-b36e-1f9b8e3b7d85",
    name="Combine texts",
    categories={Category.TEXT},
    effects=Effects.NONE,
    examples=[
        Example(ask={"input": ["a", "b"], "delimiter": ", "}, fires=[("output", "a, b")]),
        Example(ask={"input": ["a", 1, {"b": 2}]}, fires=[("output", 'a1{"b":2}')]),
        Example(ask={"input": []}, fires=[("output", "")]),
    ],
)
async def combine_texts(ask: CombineTextsIn, ctx: BlockContext) -> CombineTextsOut:
    """Join texts into one."""
    size = sum(len(text) for text in ask.input) + len(ask.delimiter) * len(ask.input)
    if size > MAX_TEXT:
        return CombineTextsOut(error=TOO_LONG)
    return CombineTextsOut(output=ask.delimiter.join(ask.input))


class TextSplitIn(BlockInput):
    text: Annotated[str, Field(description="The text.")]
    delimiter: Annotated[str, Field(description="What stands between the parts.")]
    strip: Annotated[bool, Field(description="Take the margins off each part.")] = True


class TextSplitOut(BlockOutput):
    texts: list[str] | None = None


@block(
    id="d5ea33c8-a575-477a-b42f-2fe3be5055ec",
    name="Text split",
    categories={Category.TEXT},
    effects=Effects.NONE,
    examples=[
        Example(ask={"text": "a, b,", "delimiter": ","}, fires=[("texts", ["a", "b", ""])]),
        Example(ask={"text": "a, b", "delimiter": ",", "strip": False}, fires=[("texts", ["a", " b"])]),
        Example(ask={"text": "", "delimiter": ","}, fires=[("texts", [])]),
        Example(ask={"text": "a", "delimiter": ""}, fires=[("error", "the delimiter is empty")]),
    ],
)
async def text_split(ask: TextSplitIn, ctx: BlockContext) -> TextSplitOut:
    """Cut a text into parts."""
    if not ask.delimiter:
        return TextSplitOut(error="the delimiter is empty")
    if not ask.text:
        return TextSplitOut(texts=[])
    parts = ask.text.split(ask.delimiter)
    return TextSplitOut(texts=[part.strip() for part in parts] if ask.strip else parts)


class TextReplaceIn(BlockInput):
    text: Annotated[str, Field(description="The text.")]
    old: Annotated[str, Field(description="What to replace, everywhere.")]
    new: Annotated[str, Field(description="What to put there.")]


class TextReplaceOut(BlockOutput):
    output: str | None = None


@block(
    id="7e7c87ab-3469-4bcc-9abe-67705091b713",
    name="Text replace",
    categories={Category.TEXT},
    effects=Effects.NONE,
    examples=[
        Example(ask={"text": "a-b-c", "old": "-", "new": "+"}, fires=[("output", "a+b+c")]),
        Example(ask={"text": "abc", "old": "x", "new": "y"}, fires=[("output", "abc")]),
        Example(ask={"text": "abc", "old": "", "new": "y"}, fires=[("error", "there is nothing to replace")]),
    ],
)
async def text_replace(ask: TextReplaceIn, ctx: BlockContext) -> TextReplaceOut:
    """Put one text in the place of another."""
    if not ask.old:
        return TextReplaceOut(error="there is nothing to replace")
    if len(ask.text) + ask.text.count(ask.old) * (len(ask.new) - len(ask.old)) > MAX_TEXT:
        return TextReplaceOut(error=TOO_LONG)
    return TextReplaceOut(output=ask.text.replace(ask.old, ask.new))


class WordCharacterCountIn(BlockInput):
    text: Annotated[str, Field(description="The text.")]


class WordCharacterCountOut(BlockOutput):
    word_count: int | None = None
    character_count: int | None = None


@block(
    id="ab2a782d-22cf-4587-8a70-55b59b3f9f90",
    name="Word character count",
    categories={Category.TEXT},
    effects=Effects.NONE,
    examples=[
        Example(ask={"text": "One  two\nthree"}, fires=[("word_count", 3), ("character_count", 14)]),
        Example(ask={"text": ""}, fires=[("word_count", 0), ("character_count", 0)]),
    ],
)
async def word_character_count(ask: WordCharacterCountIn, ctx: BlockContext) -> WordCharacterCountOut:
    """Count the words and the characters of a text."""
    return WordCharacterCountOut(word_count=len(ask.text.split()), character_count=len(ask.text))
