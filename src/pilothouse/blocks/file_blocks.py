"""Files: stored, read, written, and taken into an agent."""

from collections.abc import AsyncIterator, Iterator
from typing import Annotated, Final

from pydantic import Field
from pydantic.config import JsonDict

from pilothouse.blocks.beside import beside
from pilothouse.blocks.contract import (
    AnyJson,
    BlockContext,
    BlockInput,
    BlockOutput,
    Category,
    Effects,
    Example,
    Kind,
    block,
    reply,
)
from pilothouse.blocks.io import AgentInputOut, InputPins
from pilothouse.kit.json import Json, pretty

MAX_CHUNKS: Final = 10_000
MAX_DATA_URI: Final = 8 * 1024 * 1024
FILE: Final[JsonDict] = {"format": "file"}
HELLO: Final = "data:text/plain;base64,aGVsbG8="


def effects_of(source: str | None) -> Effects:
    """Only an address leads out of the house."""
    return Effects.READS if source is not None and source[:4].lower() == "http" else Effects.NONE


class FileStoreIn(BlockInput):
    file_in: Annotated[
        str, Field(description="A file: a workspace reference, an address or a data URI.", json_schema_extra=FILE)
    ]
    base_64: Annotated[bool, Field(description="Give the file itself as a data URI instead of a reference.")] = False


class FileStoreOut(BlockOutput):
    file_out: str | None = None


@block(
    id="cbb50872-625b-42f0-8203-a2ae78242d8a",
    name="File store",
    categories={Category.BASIC, Category.MULTIMEDIA},
    effects=Effects.READS,
    effects_of=lambda ask: effects_of(ask.file_in),
    static_output=True,
    examples=[
        Example(
            ask={"file_in": HELLO}, fires=[("file_out", "workspace://00000000-0000-7000-8000-000000000101#text/plain")]
        ),
        Example(ask={"file_in": HELLO, "base_64": True}, fires=[("file_out", HELLO)]),
        Example(
            ask={"file_in": "https://example.com/a/report.csv"},
            http=[reply(200, "a,b", content_type="text/csv")],
            fires=[("file_out", "workspace://00000000-0000-7000-8000-000000000101#text/csv")],
        ),
        Example(ask={"file_in": "https://example.com/a"}, http=[reply(404)], fails="file_unreachable"),
        Example(ask={"file_in": "workspace://nobody"}, fails="invalid_reference"),
    ],
)
async def file_store(ask: FileStoreIn, ctx: BlockContext) -> FileStoreOut:
    """Keep a file from an address or a data URI in the workspace, and give a reference to it."""
    return FileStoreOut(file_out=await handed_on(ask.file_in, ctx, inline=ask.base_64))


async def handed_on(source: str, ctx: BlockContext, *, inline: bool) -> str:
    """A reference, or the file itself."""
    if inline:
        return (await ctx.files.read(source, limit=MAX_DATA_URI)).data_uri
    return await ctx.files.keep(source)


class FileInputIn(InputPins):
    value: Annotated[str | None, Field(description="A file.", json_schema_extra=FILE)] = None
    base_64: Annotated[bool, Field(description="Give the file itself as a data URI instead of a reference.")] = False


@block(
    id="95ead23f-8283-4654-aef3-10c053b74a31",
    name="Agent file input",
    categories={Category.INPUT},
    kind=Kind.INPUT,
    effects=Effects.READS,
    effects_of=lambda ask: effects_of(ask.value),
    static_output=True,
    examples=[
        Example(
            ask={"name": "report", "value": HELLO},
            fires=[("result", "workspace://00000000-0000-7000-8000-000000000101#text/plain")],
        ),
        Example(ask={"name": "report", "value": HELLO, "base_64": True}, fires=[("result", HELLO)]),
        Example(ask={"name": "report"}, fires=[]),
        Example(ask={"name": "report", "value": "workspace://nobody"}, fails="invalid_reference"),
    ],
)
async def agent_file_input(ask: FileInputIn, ctx: BlockContext) -> AgentInputOut:
    """Take a file into the agent."""
    if ask.value is None:
        return AgentInputOut()
    return AgentInputOut(result=await handed_on(ask.value, ctx, inline=ask.base_64))


class FileReadIn(BlockInput):
    file_input: Annotated[
        str, Field(description="A file: a workspace reference, an address or a data URI.", json_schema_extra=FILE)
    ]
    delimiter: Annotated[str, Field(description="Stands between rows, such as \\n; each row is given apart.")] = ""
    size_limit: Annotated[int, Field(ge=0, description="Characters of one piece; 0 is no limit.")] = 0
    row_limit: Annotated[int, Field(ge=0, description="Rows to give; 0 is all.")] = 0
    skip_size: Annotated[int, Field(ge=0, description="Characters to leave out at the beginning.")] = 0
    skip_rows: Annotated[int, Field(ge=0, description="Rows to leave out at the beginning.")] = 0


class FileReadOut(BlockOutput):
    content: str | None = None


@block(
    id="3735a31f-7e18-4aca-9e90-08a7120674bc",
    name="File read",
    categories={Category.TEXT, Category.DATA},
    effects=Effects.READS,
    effects_of=lambda ask: effects_of(ask.file_input),
    happy_pins=("content",),
    examples=[
        Example(ask={"file_input": HELLO}, fires=[("content", "hello")]),
        Example(
            ask={"file_input": "data:,a%0Ab%0Ac%0Ad", "delimiter": "\\n", "skip_rows": 1, "row_limit": 2},
            fires=[("content", "b"), ("content", "c")],
        ),
        Example(
            ask={"file_input": HELLO, "size_limit": 2, "skip_size": 1},
            fires=[("content", "el"), ("content", "lo")],
        ),
        Example(ask={"file_input": "data:,"}, fires=[("content", "")]),
        Example(
            ask={"file_input": "https://example.com/a.txt"},
            http=[reply(200, "far", content_type="text/plain")],
            fires=[("content", "far")],
        ),
        Example(ask={"file_input": "data:;base64,//79"}, fires=[("error", "the file holds no text")]),
        Example(ask={"file_input": "data:,aaaa", "size_limit": 1, "row_limit": -1}, fails="invalid_input"),
        Example(ask={"file_input": "a.txt"}, fails="invalid_reference"),
    ],
)
async def file_read(ask: FileReadIn, ctx: BlockContext) -> AsyncIterator[FileReadOut]:
    """Read the text of a file, whole, in pieces of a size, or row by row."""
    content = (await ctx.files.read(ask.file_input)).content
    try:
        text = await beside(len(content), lambda: content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        yield FileReadOut(error="the file holds no text")
        return
    for number, piece in enumerate(pieces_of(ask, text)):
        if number == MAX_CHUNKS:
            yield FileReadOut(error=f"there are more than {MAX_CHUNKS} pieces")
            return
        yield FileReadOut(content=piece)


def pieces_of(ask: FileReadIn, text: str) -> Iterator[str]:
    text = text[ask.skip_size :]
    rows = text.split(unescaped(ask.delimiter)) if ask.delimiter else [text]
    last = ask.skip_rows + ask.row_limit if ask.row_limit else None
    for row in rows[ask.skip_rows : last] if ask.delimiter else rows:
        size = ask.size_limit or len(row) or 1
        yield from (row[at : at + size] for at in range(0, len(row) or 1, size))


def unescaped(delimiter: str) -> str:
    """People write a line's end as backslash and n."""
    return delimiter.replace("\\n", "\n").replace("\\t", "\t").replace("\\r", "\r")


class FileWriteIn(BlockInput):
    path: Annotated[
        str, Field(min_length=1, description="Where: `a.txt` in the run's own folder, `/a.txt` in the workspace.")
    ]
    content: Annotated[AnyJson, Field(description="Text; anything else is written as JSON.")]
    overwrite: Annotated[bool, Field(description="Give a file that is there a new revision.")] = False


class FileOut(BlockOutput):
    file: str | None = None


@block(
    id="15b9219f-50cb-457e-8e35-3d59f46af14f",
    name="File write",
    categories={Category.OUTPUT, Category.DATA},
    effects=Effects.NONE,
    examples=[
        Example(
            ask={"path": "notes.txt", "content": "hello"},
            fires=[("file", "workspace://00000000-0000-7000-8000-000000000101#text/plain")],
        ),
        Example(
            ask={"path": "/reports/data.json", "content": {"a": 1}, "overwrite": True},
            fires=[("file", "workspace://00000000-0000-7000-8000-000000000101#application/json")],
        ),
        Example(ask={"path": "", "content": "x"}, fails="invalid_input"),
    ],
)
async def file_write(ask: FileWriteIn, ctx: BlockContext) -> FileOut:
    """Write text or data to a file of the workspace."""
    content = text_of(ask.content).encode(errors="replace")
    return FileOut(file=await ctx.files.write(ask.path, content, overwrite=ask.overwrite))


def text_of(content: Json) -> str:
    return content if isinstance(content, str) else pretty(content)
