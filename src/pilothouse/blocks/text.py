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
