"""S11: hostile names, links, archives and polyglots are refused or lie there inert."""

import zipfile
from io import BytesIO

import pytest

from pilothouse.features.files.cabinet import content_key
from tests.security.site import Site

pytestmark = pytest.mark.security

FILES = "/api/workspace/files"
TRAVERSAL = [
    "/../etc/passwd",
    "/a/../../b",
    "/..",
    "/./x",
    "../x",
    "x",
    "/a//b",
    "/a\\..\\b",
    "C:\\x",
    "/a\0.txt",
    "/a\r\nX-Evil: 1",
    "/\x1b[2J",
    "/runs/../x",
    "/sessions/x/y",
    "/" + "a/" * 600,
    "/" + "x" * 256,
]
INERT = ["/~root/.ssh/id", "/$(id).txt", "/;rm -rf.txt", "/%2e%2e/x", "/..%2fx", "/...", "/con.txt", "/a\u202etxt.exe"]


def slip() -> bytes:
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("../../outside.txt", "x")
    return out.getvalue()


POLYGLOTS = {
    "script as picture": ("/a.png", b"<script>alert(1)</script>", "image/png"),
    "picture as script": ("/a.js", b"GIF89a=1;alert(1)", "text/javascript"),
    "picture as page": ("/a.html", b"\x89PNG\r\n\x1a\n<script>alert(1)</script>", "text/html"),
    "archive as document": ("/a.pdf", slip(), "application/pdf"),
    "page": ("/b.html", b"<script>alert(1)</script>", "text/html"),
    "drawing": ("/b.svg", b"<svg onload='alert(1)'/>", "image/svg+xml"),
    "type with a header in it": ("/c", b"<script>", "text/html\t;x"),
}


async def test_s11_no_name_leads_out_of_the_workspace(either_site: Site):
    site = either_site
    async with await site.browser(await site.person("ann")) as ann:
        for path in TRAVERSAL:
            answer = await ann.post(FILES, params={"path": path}, content=b"x")
            assert answer.status_code == 422, path
        for path in INERT:
            answer = await ann.post(FILES, params={"path": path}, content=b"inert")
            assert answer.status_code == 201, path
            got = await ann.get(f"{FILES}/{answer.json()['id']}/download")
            assert got.content == b"inert"
            assert "\r" not in got.headers["content-disposition"]
    root = site.house.settings.files_dir
    stored = [path.relative_to(root).parts for path in root.rglob("*") if path.is_file()]
    assert len(stored) == 1  # equal bytes, once, and under no name of theirs
    assert stored[0][0] == "contents"


@pytest.mark.parametrize("kind", POLYGLOTS)
async def test_s11_what_could_run_is_saved_and_never_shown(site: Site, kind: str):
    path, content, said = POLYGLOTS[kind]
    async with await site.browser(await site.person("ann")) as ann:
        made = await ann.post(FILES, params={"path": path}, content=content, headers={"Content-Type": said})
        got = await ann.get(f"{FILES}/{made.json()['id']}/download", params={"inline": True})
    assert got.content == content
    if got.headers["content-disposition"].startswith("inline"):
        assert got.headers["content-type"] == "text/plain; charset=utf-8"
    assert got.headers["x-content-type-options"] == "nosniff"
    assert got.headers["content-security-policy"] == "default-src 'none'; sandbox"


async def test_s11_an_archive_is_bytes_and_is_not_unpacked(site: Site):
    async with await site.browser(await site.person("ann")) as ann:
        assert (await ann.post(FILES, params={"path": "/a.zip"}, content=slip())).status_code == 201
    assert not list(site.house.settings.data_dir.parent.rglob("outside.txt"))


async def test_s11_a_link_in_the_store_leads_nowhere(site: Site):
    secret = site.house.settings.data_dir / "secret.txt"
    secret.write_text("secret")
    async with await site.browser(await site.person("ann")) as ann:
        made = (await ann.post(FILES, params={"path": "/a.txt"}, content=b"secret")).json()
        file = await site.house.cabinet.find((await site.person("ann")).id, made["id"])
        place = site.house.settings.files_dir / content_key(file.content_id)
        place.unlink()
        place.symlink_to(secret)
        got = await ann.get(f"{FILES}/{made['id']}/download")
    assert (got.status_code, got.json()["code"]) == (502, "file_corrupt")
