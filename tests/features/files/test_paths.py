"""What may be a path, what a download says of itself, and what a file is taken for."""

import pytest

from pilothouse.features.files.disposition import disposition, shown_type
from pilothouse.features.files.errors import PathInvalid, RangeUnsatisfiable
from pilothouse.features.files.media_types import UNKNOWN, media_type
from pilothouse.features.files.paths import checked_place, spare_place
from pilothouse.features.files.ranges import Span, asked_span, is_tagged

RUN = "01900000-0000-7000-8000-000000000000"
PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 32
ZIP = b"PK\x03\x04" + b"\0" * 32


@pytest.mark.parametrize(
    "path",
    [
        *(
            "",
            "/",
            "//",
            "a.txt",
            "a/b.txt",
            "/a//b",
            "/a/",
            "/./a",
            "/a/../b",
            "/..",
            "/a\\b",
            "/a\0b",
            "/a\nb",
            "/a\x7fb",
            "/\ud800",
        ),
        *("/" + "x" * 256, "/" + "/".join(["x" * 200] * 6), "/" + "ä" * 128, "/" + "/".join("abcdefghijkl")),
        *("/runs/x.txt", "/runs/not-an-id/x.txt", f"/runs/{RUN}", "/sessions/x"),
    ],
)
def test_ws_1_what_can_be_no_path_is_refused(path: str):
    with pytest.raises(PathInvalid) as refused:
        checked_place(path)
    assert (refused.value.status, refused.value.code) == (422, "invalid_path")


def test_ws_1_both_spellings_of_a_letter_are_one_path():
    assert checked_place("/cafe\u0301.txt") == checked_place("/caf\u00e9.txt")


def test_ws_1_the_longest_segment_is_counted_in_bytes():
    assert checked_place("/" + "x" * 255).name == "x" * 255
    assert checked_place("/" + "ä" * 127).folder == "/"


def test_ws_3_a_path_says_whose_it_is():
    assert checked_place("/a/b.txt")[2:] == ("b.txt", "user", None)
    assert checked_place(f"/runs/{RUN}/out/b.txt")[1:] == (f"/runs/{RUN}/out", "b.txt", "run", RUN)
    assert checked_place(f"/sessions/{RUN}/b.txt").scope == "session"
    assert checked_place("b.txt", f"/runs/{RUN}").path == f"/runs/{RUN}/b.txt"


@pytest.mark.parametrize("name", ["report.pdf", "noending", ".env", "x" * 250 + ".txt"])
def test_a_spare_path_lies_beside_the_taken_one(name: str):
    place = checked_place(f"/a/{name}")
    spare = spare_place(place, RUN)
    assert spare.folder == place.folder
    assert spare.path != place.path
    assert checked_place(spare.path) == spare


@pytest.mark.parametrize(
    ("name", "inline", "header"),
    [
        ("report.pdf", False, 'attachment; filename="report.pdf"'),
        ("a.png", True, 'inline; filename="a.png"'),
        ("x\ry\nz\0.txt", False, 'attachment; filename="xyz.txt"'),
        ('a"b.txt', False, 'attachment; filename="a\\"b.txt"'),
        ("a\\b.txt", False, 'attachment; filename="a\\\\b.txt"'),
        ("e.txt\r\nX-Evil: 1", False, 'attachment; filename="e.txtX-Evil: 1"'),
        ("naïve.pdf", False, "attachment; filename*=UTF-8''na%C3%AFve.pdf"),
        ("naïve.pdf", True, "inline; filename*=UTF-8''na%C3%AFve.pdf"),
        ('é"x.txt', False, "attachment; filename*=UTF-8''%C3%A9%22x.txt"),
        ("exe.\u202etxt", False, 'attachment; filename="exe.txt"'),
        ("", False, 'attachment; filename=""'),
    ],
)
def test_dl_2_no_name_breaks_out_of_its_header(name: str, inline: bool, header: str):
    assert disposition(name, inline=inline) == header


@pytest.mark.parametrize("kind", ["text/html", "image/svg+xml", "application/xml", "text/javascript", UNKNOWN])
def test_dl_4_what_could_run_is_never_shown(kind: str):
    assert shown_type(kind) is None


def test_dl_4_what_cannot_run_may_be_shown():
    assert shown_type("image/png") == "image/png"
    assert {shown_type(kind) for kind in ("text/csv", "application/json")} == {"text/plain; charset=utf-8"}


@pytest.mark.parametrize(
    ("head", "name", "declared", "kind"),
    [
        (PNG, "a.png", None, "image/png"),
        (PNG, "a", None, "image/png"),
        (PNG, "a", "image/png; x=1", "image/png"),
        (b"a,b\n1,2", "t.csv", "text/csv", "text/csv"),
        (b"a,b\n1,2", "t.csv", "text/plain", "text/csv"),
        (b"{}", "t", None, "text/plain"),
        (b"<svg/>", "t.svg", None, "image/svg+xml"),
        (b"\xff\xfe\0", "t.bin", None, UNKNOWN),
        (b"", "t.txt", None, "text/plain"),
        ("é".encode() * 2048, "t.md", None, "text/markdown"),
        (b"x" + "é".encode() * 2048, "t.md", None, "text/markdown"),
        (ZIP, "t.xlsx", None, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
        (ZIP, "t.zip", "application/x-zip-compressed", "application/zip"),
        (b"OggS", "t.ogv", None, "video/ogg"),
    ],
)
def test_ws_12_a_file_is_what_it_holds(head: bytes, name: str, declared: str | None, kind: str):
    assert media_type(head[:4096], name, declared) == (kind, False)


@pytest.mark.parametrize(
    ("head", "name", "declared"),
    [
        (b"<html><script>", "photo.png", None),
        (PNG, "page.html", None),
        (PNG, "photo.png", "image/jpeg"),
        (b"GIF89a/*", "x.js", None),
        (b"%PDF-1.7", "x.png", None),
        (b"plain", "book.xlsx", None),
        (b"plain", "x", "application/pdf"),
        (PNG, "book.docx", None),
        (b"hello", "x.svg", None),
        (ZIP, "x.pdf", None),
    ],
)
def test_ws_12_what_pretends_to_be_something_else_is_nothing(head: bytes, name: str, declared: str | None):
    assert media_type(head, name, declared) == (UNKNOWN, True)


@pytest.mark.parametrize(
    ("header", "span"),
    [
        (None, None),
        ("bytes=0-4", Span(0, 5)),
        ("bytes=5-", Span(5, 10)),
        ("bytes=-3", Span(7, 10)),
        ("bytes=-99", Span(0, 10)),
        ("bytes=8-99", Span(8, 10)),
        ("bytes=4-2", None),
        ("bytes=0-1,3-4", None),
        ("bytes=-", None),
        ("items=0-1", None),
        ("bytes=x-y", None),
    ],
)
def test_dl_1_a_range_is_read_as_http_has_it(header: str | None, span: Span | None):
    assert asked_span(header, 10) == span


@pytest.mark.parametrize("header", ["bytes=10-", "bytes=99-100", "bytes=-0"])
def test_dl_1_a_range_behind_the_end_cannot_be_had(header: str):
    with pytest.raises(RangeUnsatisfiable):
        asked_span(header, 10)


def test_dl_1_a_tag_is_found_among_others():
    assert is_tagged('"x", W/"y"', '"y"')
    assert is_tagged("*", '"y"')
    assert not is_tagged('"x"', '"y"')
    assert not is_tagged(None, '"y"')
