"""Tables: read from text and from files, and written to files."""

import asyncio
import csv
from collections.abc import AsyncIterator, Iterable, Iterator
from io import StringIO
from typing import Annotated

from pydantic import Field

from pilothouse.blocks.beside import LITTLE, beside
from pilothouse.blocks.contract import (
    BlockContext,
    BlockInput,
    BlockOutput,
    Category,
    Effects,
    Example,
    block,
)
from pilothouse.blocks.file_blocks import effects_of
from pilothouse.blocks.workbooks import is_workbook, workbook_rows


class ReadSpreadsheetIn(BlockInput):
    contents: Annotated[
        str | None, Field(description="The table as CSV text.", json_schema_extra={"format": "long-text"})
    ] = None
    file_input: Annotated[
        str | None, Field(description="A file to read instead.", json_schema_extra={"format": "file"})
    ] = None
    delimiter: Annotated[str, Field(description="Stands between cells.")] = ","
    quotechar: Annotated[str, Field(description="Stands around cells that hold a delimiter.")] = '"'
    escapechar: Annotated[str, Field(description="Stands before a character that is meant as it is.")] = "\\"
    has_header: Annotated[bool, Field(description="The first row names the columns.")] = True
    skip_rows: Annotated[int, Field(ge=0, description="Rows to leave out, after the header.")] = 0
    strip: Annotated[bool, Field(description="Take the margins off each cell.")] = True
    skip_columns: list[str] = Field(default=[], description="Columns to leave out.")
    produce_singular_result: Annotated[bool, Field(description="Give all rows at once.")] = False


class ReadSpreadsheetOut(BlockOutput):
    row: dict[str, str] | None = None
    rows: list[dict[str, str]] | None = None


@block(
    id="acf7625e-d2cb-4941-bfeb-2819fc6fc015",
    name="Read spreadsheet",
    categories={Category.TEXT, Category.DATA},
    effects=Effects.READS,
    effects_of=lambda ask: effects_of(ask.file_input),
    happy_pins=("row",),
    examples=[
        Example(
            ask={"contents": "a,b\n1, 2\n3,4"}, fires=[("row", {"a": "1", "b": "2"}), ("row", {"a": "3", "b": "4"})]
        ),
        Example(
            ask={"contents": "1;2\n3;4", "delimiter": ";", "has_header": False, "produce_singular_result": True},
            fires=[("rows", [{"0": "1", "1": "2"}, {"0": "3", "1": "4"}])],
        ),
        Example(ask={"contents": "a,b\n1,2\n3,4", "skip_rows": 1, "skip_columns": ["b"]}, fires=[("row", {"a": "3"})]),
        Example(
            ask={"contents": 'a\n"x, ""y"""\n z ', "strip": False},
            fires=[("row", {"a": 'x, "y"'}), ("row", {"a": " z "})],
        ),
        Example(ask={"contents": "", "produce_singular_result": True}, fires=[("rows", [])]),
        Example(ask={"contents": "a,b\n1,2,3"}, fires=[("row", {"a": "1", "b": "2", "2": "3"})]),
        Example(ask={"contents": "a", "delimiter": ";;"}, fires=[("error", str)]),
        Example(
            ask={"file_input": "data:text/csv,a%2Cb%0A1%2C2", "produce_singular_result": True},
            fires=[("rows", [{"a": "1", "b": "2"}])],
        ),
        Example(
            ask={"file_input": "data:;base64,UEsDBA=="},
            fires=[("error", "cannot be read as a table: it is damaged or no spreadsheet file")],
        ),
        Example(ask={"file_input": "data:;base64,//79"}, fires=[("error", "cannot be read as a table: it is no text")]),
        Example(ask={"file_input": "workspace://nobody"}, fails="invalid_reference"),
        Example(ask={}, fires=[("error", "give contents or a file")]),
    ],
)
async def read_spreadsheet(ask: ReadSpreadsheetIn, ctx: BlockContext) -> AsyncIterator[ReadSpreadsheetOut]:
    """Read a table (CSV or xlsx), row by row or all at once; every cell is text."""
    if ask.contents is None and not ask.file_input:
        yield ReadSpreadsheetOut(error="give contents or a file")
        return
    try:
        lines = await lines_of(ask, ctx)
        if ask.produce_singular_result:
            size = len(ask.contents) if ask.contents is not None else LITTLE + 1
            yield ReadSpreadsheetOut(rows=await beside(size, lambda: list(rows_of(ask, lines))))
            return
        for row in rows_of(ask, lines):
            yield ReadSpreadsheetOut(row=row)
    except (csv.Error, TypeError, ValueError) as fault:
        yield ReadSpreadsheetOut(error=f"cannot be read as a table: {fault}")


async def lines_of(ask: ReadSpreadsheetIn, ctx: BlockContext) -> Iterable[list[str]]:
    """The cells of each line. Raises `ValueError` for a file that is no table."""
    if ask.contents is not None:
        return csv_lines(ask, ask.contents)
    content = (await ctx.files.read(ask.file_input or "")).content
    if is_workbook(content):
        return await asyncio.to_thread(workbook_rows, content)
    try:
        return csv_lines(ask, content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise ValueError("it is no text") from None


def csv_lines(ask: ReadSpreadsheetIn, contents: str) -> Iterable[list[str]]:
    return csv.reader(
        StringIO(contents, newline=""),
        delimiter=ask.delimiter,
        quotechar=ask.quotechar or None,
        quoting=csv.QUOTE_MINIMAL if ask.quotechar else csv.QUOTE_NONE,
        escapechar=ask.escapechar or None,
    )


def rows_of(ask: ReadSpreadsheetIn, lines: Iterable[list[str]]) -> Iterator[dict[str, str]]:
    """Each row by its columns; a row longer than the header names the rest by number."""
    cells = ([cell.strip() for cell in line] if ask.strip else line for line in lines if line)
    header: list[str] = next(cells, list[str]()) if ask.has_header else []
    for number, line in enumerate(cells):
        if number >= ask.skip_rows:
            names = [*header, *map(str, range(len(header), len(line)))]
            yield {name: cell for name, cell in zip(names, line, strict=False) if name not in ask.skip_columns}
