"""Tables written to files."""

import asyncio
import csv
from io import StringIO
from typing import Annotated

from pydantic import Field

from pilothouse.blocks.contract import (
    AnyJson,
    BlockContext,
    BlockFailed,
    BlockInput,
    BlockOutput,
    Category,
    Effects,
    Example,
    block,
)
from pilothouse.blocks.workbooks import workbook_of
from pilothouse.kit.json import Json, dumps

FIRST = "workspace://00000000-0000-7000-8000-000000000101"


class WriteSpreadsheetIn(BlockInput):
    path: Annotated[
        str, Field(min_length=1, description="Where: `a.csv` or `a.xlsx` in the run's own folder, `/a.csv` outside.")
    ]
    rows: list[AnyJson] = Field(description="Objects by column, or lists of cells.")
    overwrite: Annotated[bool, Field(description="Give a file that is there a new revision.")] = False


class WriteSpreadsheetOut(BlockOutput):
    file: str | None = None


@block(
    id="f69ec434-1411-4a63-8991-b3474bccf1d2",
    name="Write spreadsheet",
    categories={Category.OUTPUT, Category.DATA},
    effects=Effects.NONE,
    examples=[
        Example(
            ask={"path": "people.csv", "rows": [{"name": "Ann", "age": 3}, {"name": "Bo", "town": "Ulm"}]},
            fires=[("file", f"{FIRST}#text/csv")],
        ),
        Example(ask={"path": "people.xlsx", "rows": [["name"], ["Ann"]]}, fires=[("file", str)]),
        Example(ask={"path": "people.csv", "rows": []}, fires=[("file", f"{FIRST}#text/csv")]),
        Example(ask={"path": "people.txt", "rows": []}, fires=[("error", "the path must end in .csv or .xlsx")]),
        Example(ask={"path": "people.csv", "rows": [1]}, fires=[("error", "row 1 is neither an object nor a list")]),
    ],
)
async def write_spreadsheet(ask: WriteSpreadsheetIn, ctx: BlockContext) -> WriteSpreadsheetOut:
    """Write rows to a file of the workspace, as CSV or xlsx by the ending of its path."""
    ending = ask.path.rpartition(".")[2].lower()
    if ending not in {"csv", "xlsx"}:
        return WriteSpreadsheetOut(error="the path must end in .csv or .xlsx")
    try:
        lines = table_of(ask.rows)
    except BlockFailed as failed:
        return WriteSpreadsheetOut(error=failed.message)
    content = await asyncio.to_thread(workbook_of if ending == "xlsx" else csv_of, lines)
    return WriteSpreadsheetOut(file=await ctx.files.write(ask.path, content, overwrite=ask.overwrite))


def table_of(rows: list[Json]) -> list[list[Json]]:
    """Lines of cells; objects give their columns, in the order in which they are first met, as the first line."""
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict | list):
            raise BlockFailed("invalid_input", f"row {number} is neither an object nor a list")
    columns = list(dict.fromkeys(name for row in rows if isinstance(row, dict) for name in row))
    header: list[list[Json]] = [[*columns]] if columns else []
    lines = [
        [row.get(name) for name in columns] if isinstance(row, dict) else row
        for row in rows
        if isinstance(row, dict | list)
    ]
    return header + lines


def csv_of(lines: list[list[Json]]) -> bytes:
    out = StringIO(newline="")
    csv.writer(out, lineterminator="\n").writerows([[cell_text(cell) for cell in line] for line in lines])
    return out.getvalue().encode(errors="replace")


def cell_text(cell: Json) -> str:
    if cell is None:
        return ""
    return cell if isinstance(cell, str) else dumps(cell)
