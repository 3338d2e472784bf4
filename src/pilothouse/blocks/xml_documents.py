"""XML as data."""

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
from pilothouse.blocks.xml_tree import BadXml, Element, parse_fragments
from pilothouse.kit.json import Json, JsonObject

MAX_BYTES = 10_000_000


class XmlParserIn(BlockInput):
    input_xml: Annotated[str, Field(description="XML, up to 10 MB.", json_schema_extra={"format": "long-text"})]


class XmlParserOut(BlockOutput):
    parsed_xml: AnyJson = None


@block(
    id="286380af-9529-4b55-8be0-1d7c854abdb5",
    name="XML parser",
    categories={Category.TEXT, Category.DATA},
    effects=Effects.NONE,
    cpu_heavy=True,
    examples=[
        Example(ask={"input_xml": "<a><b> 1 </b><c/></a>"}, fires=[("parsed_xml", {"a": {"b": "1", "c": ""}})]),
        Example(
            ask={"input_xml": '<?xml version="1.0"?><a><b>1</b><b>2</b><c>3</c></a>'},
            fires=[("parsed_xml", {"a": [{"b": "1"}, {"b": "2"}, {"c": "3"}]})],
        ),
        Example(ask={"input_xml": "<a>1</a><b>2</b>"}, fires=[("parsed_xml", {"a": "1", "b": "2"})]),
        Example(ask={"input_xml": "<a>1</a><a>2</a>"}, fires=[("parsed_xml", [{"a": "1"}, {"a": "2"}])]),
        Example(ask={"input_xml": "<a><b></a>"}, fires=[("error", "not XML: mismatched tag (line 1)")]),
        Example(ask={"input_xml": "plain"}, fires=[("error", "not XML: there is no element")]),
    ],
)
async def xml_parser(ask: XmlParserIn, ctx: BlockContext) -> XmlParserOut:
    """Turn XML into data: an object where tags differ, a list where one repeats. Attributes are left out."""
    if len(ask.input_xml) > MAX_BYTES or len(ask.input_xml.encode()) > MAX_BYTES:
        return XmlParserOut(error="the text is larger than 10 MB")
    try:
        top = parse_fragments(ask.input_xml)
    except BadXml as fault:
        return XmlParserOut(error=str(fault))
    if not top.children:
        return XmlParserOut(error="not XML: there is no element")
    return XmlParserOut(parsed_xml=content_of(top))


def content_of(element: Element) -> Json:
    """What stands in an element: its text, or its children."""
    if not element.children:
        return element.text
    pairs = [(child.name, content_of(child)) for child in element.children]
    together: JsonObject = dict(pairs)
    return together if len(together) == len(pairs) else [{name: content} for name, content in pairs]
