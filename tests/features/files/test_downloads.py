"""Downloads: the bytes that were stored, said to be what they are, and shown only if they cannot run."""

import pytest

from pilothouse.kit.ids import new_id
from tests.features.files.conftest import Office

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 64


async def test_dl_1_a_download_says_exactly_what_it_is(office: Office):
    made = await office.stored("/a.png", PNG, "image/png")
    answer = await office.download(made["id"])
    told = {name: answer.headers[name] for name in ("content-type", "content-length", "etag", "cache-control")}
    assert told == {
        "content-type": "image/png",
        "content-length": str(len(PNG)),
        "etag": f'"{made["sha256"]}"',
        "cache-control": "private, no-cache",
    }
    assert answer.headers["content-disposition"] == 'attachment; filename="a.png"'
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-security-policy"] == "default-src 'none'; sandbox"


async def test_dl_1_whoever_has_it_is_told_so(office: Office):
    made = await office.stored("/a.txt", b"text")
    answer = await office.download(made["id"], {"If-None-Match": f'"{made["sha256"]}"'})
    assert (answer.status_code, answer.content) == (304, b"")


@pytest.mark.parametrize(
    ("asked", "status", "content", "told"),
    [
        ("bytes=2-4", 206, b"234", "bytes 2-4/10"),
        ("bytes=-2", 206, b"89", "bytes 8-9/10"),
        ("bytes=0-9", 206, b"0123456789", "bytes 0-9/10"),
        ("bytes=10-", 416, None, "bytes */10"),
        ("lines=1", 200, b"0123456789", None),
    ],
)
async def test_dl_1_a_range_is_sent(office: Office, asked: str, status: int, content: bytes | None, told: str | None):
    made = await office.stored("/a.txt", b"0123456789")
    answer = await office.download(made["id"], {"Range": asked})
    assert (answer.status_code, answer.headers.get("content-range")) == (status, told)
    assert content is None or (answer.content, answer.headers["content-length"]) == (content, str(len(content)))


async def test_dl_1_a_range_of_what_it_was_before_is_not_sent(office: Office):
    made = await office.stored("/a.txt", b"0123456789")
    answer = await office.download(made["id"], {"Range": "bytes=0-1", "If-Range": '"old"'})
    assert (answer.status_code, answer.content) == (200, b"0123456789")


@pytest.mark.parametrize(
    ("name", "content", "shown"),
    [
        ("a.png", PNG, "image/png"),
        ("a.csv", b"a,b", "text/plain; charset=utf-8"),
        ("a.html", b"<script>alert(1)</script>", None),
        ("a.svg", b"<svg onload='alert(1)'/>", None),
        ("a.js", b"alert(1)", None),
        ("a.xml", b"<x/>", None),
    ],
)
async def test_dl_4_only_what_cannot_run_is_shown(office: Office, name: str, content: bytes, shown: str | None):
    made = await office.stored(f"/{new_id()}/{name}", content)
    answer = await office.download(made["id"], inline=True)
    how = answer.headers["content-disposition"].partition(";")[0]
    assert how == ("attachment" if shown is None else "inline")
    assert answer.headers["content-type"] == (shown or made["mime_type"])


async def test_ws_12_what_is_not_what_it_is_called_is_never_shown(office: Office):
    made = await office.stored("/photo.png", b"<script>alert(1)</script>", "image/png")
    assert (made["mime_type"], made["type_mismatch"]) == ("application/octet-stream", True)
    answer = await office.download(made["id"], inline=True)
    assert answer.headers["content-disposition"].startswith("attachment")
