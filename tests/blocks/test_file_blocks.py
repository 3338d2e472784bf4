"""Blocks over files: what they read, what they write, and what they refuse to unpack."""

import zipfile
from base64 import b64encode
from io import BytesIO
from typing import Any

import pytest

from pilothouse.blocks.example import reply
from pilothouse.blocks.files import MAX_INLINE, name_in, read_data
from pilothouse.blocks.form_data import Part, form_data
from pilothouse.blocks.pins import BlockFailed
from pilothouse.blocks.registry import Registry
from pilothouse.blocks.rehearsal import Rehearsal
from pilothouse.blocks.workbooks import MAX_ROWS, WorkbookRefused, workbook_of, workbook_rows
from pilothouse.kit.json import Json

REGISTRY = Registry()
SHEET = "xl/worksheets/sheet1.xml"


async def fires(name: str, stage: Rehearsal | None = None, **inputs: Json) -> list[tuple[str, Json]]:
    spec = next(spec for spec in REGISTRY.values() if spec.name == name)
    return await REGISTRY.runnable(spec.id).call(dict(inputs), stage or Rehearsal())


def uri(content: bytes) -> str:
    return f"data:;base64,{b64encode(content).decode()}"


def with_part(content: bytes, name: str, part: bytes) -> bytes:
    """A workbook one of whose parts is another."""
    out = BytesIO()
    with zipfile.ZipFile(BytesIO(content)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for each in old.infolist():
            new.writestr(each.filename, part if each.filename == name else old.read(each))
    return out.getvalue()


def sheet(inner: str) -> bytes:
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    return f'<worksheet xmlns="{space}">{inner}</worksheet>'.encode()


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
async def test_what_was_written_as_a_table_is_read_as_one(ending: str):
    stage = Rehearsal()
    rows: list[Json] = [{"name": 'Ann, "A"\n', "age": 3, "on": True, "x": None}, {"name": "=1+1", "age": 1.5}]
    (fired,) = await fires("Write spreadsheet", stage, path=f"t.{ending}", rows=rows)
    read = await fires("Read spreadsheet", stage, file_input=fired[1], strip=False, produce_singular_result=True)
    on = "true" if ending == "csv" else "TRUE"
    assert read == [
        (
            "rows",
            [
                {"name": 'Ann, "A"\n', "age": "3", "on": on, "x": ""},
                {"name": "=1+1", "age": "1.5", "on": "", "x": ""},
            ],
        )
    ]


async def test_rows_of_a_workbook_are_given_one_by_one_as_text():
    content = workbook_of([["a", "b"], [1, 2.0], ["x", None]])
    read = await fires("Read spreadsheet", file_input=uri(content))
    assert read == [("row", {"a": "1", "b": "2"}), ("row", {"a": "x", "b": ""})]


def test_text_that_looks_like_a_formula_stays_text():
    content = workbook_of([["=cmd|' /C calc'!A0", "+1", "\x07bell"]])
    assert workbook_rows(content) == [["=cmd|' /C calc'!A0", "+1", "bell"]]
    with zipfile.ZipFile(BytesIO(content)) as parts:
        assert b"<f>" not in parts.read(SHEET)


def bomb() -> bytes:
    return with_part(workbook_of([["a"]]), SHEET, b"<x>" + b" " * (101 * 1024 * 1024))


def damaged(content: bytes) -> bytes:
    """With other bytes in the middle of its largest part."""
    with zipfile.ZipFile(BytesIO(content)) as parts:
        part = max(parts.infolist(), key=lambda each: each.compress_size)
    middle = part.header_offset + 30 + len(part.filename) + part.compress_size // 2
    return content[:middle] + bytes(byte ^ 0xFF for byte in content[middle : middle + 40]) + content[middle + 40 :]


HOSTILE: dict[str, Any] = {
    "bomb": bomb,
    "entities": lambda: with_part(workbook_of([["a"]]), SHEET, b'<!DOCTYPE x [<!ENTITY a "b">]>' + sheet("")),
    "cut off": lambda: workbook_of([["a"]])[:-100],
    "no xml": lambda: with_part(workbook_of([["a"]]), SHEET, b"<worksheet"),
    "many rows": lambda: with_part(
        workbook_of([["a"]]), SHEET, sheet(f'<sheetData><row r="{MAX_ROWS + 9}"><c><v>1</v></c></row></sheetData>')
    ),
    "damaged": lambda: damaged(workbook_of([["some text that is packed"] * 20] * 20)),
    "not a workbook": lambda: with_part(workbook_of([["a"]]), "xl/workbook.xml", b"<x/>"),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_s11_a_hostile_workbook_is_refused(kind: str):
    with pytest.raises(WorkbookRefused):
        workbook_rows(HOSTILE[kind]())


def test_s11_what_a_workbook_says_of_its_size_is_not_believed():
    huge = '<dimension ref="A1:XFD1048576"/><sheetData><row r="1"><c r="A1"><v>7</v></c></row></sheetData>'
    assert workbook_rows(with_part(workbook_of([["a"]]), SHEET, sheet(huge))) == [["7"]]


@pytest.mark.parametrize(
    ("source", "kind", "content"),
    [
        ("data:,a%20b", "text/plain", b"a b"),
        ("data:text/csv;charset=utf-8,a,b", "text/csv", b"a,b"),
        ("DATA:image/png;base64,aGk=", "image/png", b"hi"),
        ("data:;base64,", "text/plain", b""),
    ],
)
def test_ref_2_data_uris_are_read(source: str, kind: str, content: bytes):
    assert read_data(source)[1:] == (kind, content)


@pytest.mark.parametrize("source", ["data:", "data:image/png;base64,a", "data:text/plain;base64,a*b=", "data:a b,c"])
def test_ref_2_what_is_no_data_uri_is_refused(source: str):
    with pytest.raises(BlockFailed) as failed:
        read_data(source)
    assert failed.value.code == "invalid_input"


async def test_ref_2_a_data_uri_holds_one_megabyte_and_more_is_stored_first():
    large = uri(b"x" * (MAX_INLINE + 1))
    with pytest.raises(BlockFailed) as failed:
        await fires("File read", file_input=large)
    assert failed.value.code == "file_too_large"
    assert await fires("File read", file_input=uri(b"x" * MAX_INLINE)) == [("content", "x" * MAX_INLINE)]


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("https://x.test/a/report.pdf?q=1", "report.pdf"),
        ("https://x.test/", "file"),
        ("https://x.test/%2e%2e%2f..%5c..", "_"),
        ("https://x.test/a%0d%0ab", "a_b"),
        ("https://x.test/a%C2%85b", "a_b"),
        (f"https://x.test/{'語' * 90}.pdf", f"{'語' * 65}.pdf"),
        (f"https://x.test/{'a' * 300}", "a" * 200),
    ],
)
def test_s11_a_name_from_outside_is_only_a_name(address: str, name: str):
    assert name_in(address) == name


async def test_files_are_sent_as_a_form_with_the_fields_of_the_body():
    stage = Rehearsal()
    await fires("File write", stage, path='a "b".txt', content="hello")
    (place,) = stage.files.kept
    stage.http.replies.append(reply(200, "ok"))
    await fires(
        "Send web request",
        stage,
        url="https://x.test",
        files=[place],
        body={"k": "v"},
        headers={"content-type": "text/x"},
    )
    (sent,) = stage.http.sent
    kind = sent.headers["content-type"]
    assert kind.startswith("multipart/form-data; boundary=")
    assert sent.content is not None
    assert sent.content.count(kind.partition("=")[2].encode()) == 3
    assert b'name="k"\r\n\r\nv\r\n' in sent.content
    assert b'name="file"; filename="a %22b%22.txt"\r\nContent-Type: text/plain\r\n\r\nhello\r\n' in sent.content


def test_a_name_cannot_end_the_header_of_its_part():
    _, body = form_data({}, [Part("f", 'x"\r\nX-Evil: 1', "text/plain\r\nX: 1", b"c")], "seed")
    assert b'X-Evil: 1"\r\nContent-Type: application/octet-stream\r\n\r\nc' in body
    assert b"\r\nX-Evil" not in body
