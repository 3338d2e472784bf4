"""Spreadsheet files (xlsx): read within bounds, whatever the file claims of itself, and written as text and numbers."""

import re
import zipfile
import zlib
from collections.abc import Iterator
from datetime import date, datetime, time
from io import BytesIO
from typing import Final, Protocol, cast
from xml.etree.ElementTree import ParseError

from openpyxl import Workbook, load_workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.utils.exceptions import InvalidFileException
from openpyxl.worksheet._write_only import WriteOnlyWorksheet

from pilothouse.kit.json import Json, dumps

MAX_PARTS: Final = 2_000
MAX_UNPACKED: Final = 100 * 1024 * 1024
MAX_ROWS: Final = 100_000
MAX_CELLS: Final = 2_000_000
MAX_TEXT: Final = 32_767  # characters that a cell of such a file may hold

_DECLARES: Final = re.compile(rb"<!(DOCTYPE|ENTITY)", re.IGNORECASE)
_UNWRITABLE: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")


class WorkbookRefused(ValueError):
    """This cannot be read as a spreadsheet file."""


class _Sheet(Protocol):
    def reset_dimensions(self) -> None: ...
    def iter_rows(self, *, values_only: bool) -> Iterator[tuple[object, ...]]: ...


def is_workbook(content: bytes) -> bool:
    return content.startswith(b"PK\x03\x04")


def workbook_rows(content: bytes) -> list[list[str]]:
    """The first sheet, every cell as text, rows as far as they go. Raises `WorkbookRefused`."""
    try:
        _check_parts(content)
        book = load_workbook(BytesIO(content), read_only=True, data_only=True, keep_links=False)
        try:
            return _read(cast(_Sheet, book.worksheets[0]))
        finally:
            book.close()
    except WorkbookRefused:
        raise
    except (zipfile.BadZipFile, InvalidFileException, ParseError, KeyError, IndexError, ValueError, TypeError) as fault:
        raise WorkbookRefused("it is damaged or no spreadsheet file") from fault
    except (EOFError, RuntimeError, OverflowError, AttributeError, zlib.error) as fault:
        # `RuntimeError` is how zipfile says that there is a password, or a packing that it does not know
        raise WorkbookRefused("it is damaged, locked or packed in an unknown way") from fault


def _check_parts(content: bytes) -> None:
    """Before anything is unpacked. A part that turns out larger than it says is cut off where it said it ends."""
    with zipfile.ZipFile(BytesIO(content)) as parts:
        told = parts.infolist()
        if len(told) > MAX_PARTS or sum(part.file_size for part in told) > MAX_UNPACKED:
            raise WorkbookRefused("it unpacks to more than can be read")
        for part in told:
            if part.filename.endswith((".xml", ".rels", ".vml")):
                with parts.open(part) as file:
                    if _DECLARES.search(file.read(4096)):
                        raise WorkbookRefused("it declares entities")


def _read(sheet: _Sheet) -> list[list[str]]:
    sheet.reset_dimensions()  # what the file says of its size would be believed, and made room for
    rows: list[list[str]] = []
    cells = 0
    for number, row in enumerate(sheet.iter_rows(values_only=True)):
        cells += len(row)
        if number >= MAX_ROWS or cells > MAX_CELLS:
            raise WorkbookRefused(f"it has more than {MAX_ROWS} rows or {MAX_CELLS} cells")
        width = len(rows[0]) if rows else 0  # rows end with their last cell; the first says how many there are
        rows.append([*map(_text, row), *[""] * (width - len(row))])
    while rows and not any(rows[-1]):
        rows.pop()
    return rows


def _text(value: object) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "TRUE" if value else "FALSE"
        case float() if value.is_integer() and abs(value) < 1e15:
            return str(int(value))
        case datetime() if value.time() == time():
            return value.date().isoformat()
        case datetime() | date() | time():
            return value.isoformat()
        case _:
            return str(value)


def workbook_of(lines: list[list[Json]]) -> bytes:
    """A file with one sheet. Text stays text: what looks like a formula is none."""
    book = Workbook(write_only=True)
    sheet = cast(WriteOnlyWorksheet, book.create_sheet("Sheet1"))
    for row in lines:
        sheet.append([_cell(sheet, value) for value in row])
    out = BytesIO()
    book.save(out)
    return out.getvalue()


def _cell(sheet: WriteOnlyWorksheet, value: Json) -> object:
    if value is None or isinstance(value, bool | float) or (isinstance(value, int) and abs(value) < 2**53):
        return value
    text = value if isinstance(value, str) else dumps(value)
    cell = WriteOnlyCell(sheet, _UNWRITABLE.sub("", text)[:MAX_TEXT])
    cell.data_type = "s"
    return cell
