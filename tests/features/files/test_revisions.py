"""WS-2, WS-11: what a file was can be read and made again what it is; the beginning of a text can be looked at."""

from tests.features.files.conftest import FILES, Office
from tests.features.files.test_files import PNG


async def test_ws_2_an_old_revision_is_downloaded_with_its_own_bytes_and_type(office: Office):
    made = await office.stored("/a.txt", b"first")
    await office.stored("/a.txt", b"second one", overwrite=True)
    place = f"{FILES}/{made['id']}/revisions"
    old = await office.ann.get(f"{place}/1/download")
    assert (old.status_code, old.content, old.headers["content-length"]) == (200, b"first", "5")
    assert old.headers["etag"] == f'"{made["sha256"]}"'
    assert old.headers["content-disposition"] == 'attachment; filename="a.txt"'
    assert (await office.ann.get(f"{place}/2/download")).content == b"second one"
    assert (await office.ann.get(f"{place}/3/download")).status_code == 404
    assert (await office.ann.get(f"{place}/0/download")).status_code == 422


async def test_ws_2_restoring_a_revision_makes_a_new_one_and_loses_none(office: Office):
    made = await office.stored("/a.txt", b"first")
    await office.stored("/a.txt", b"second", overwrite=True)
    place = f"{FILES}/{made['id']}"
    back = (await office.ann.post(f"{place}/revisions/1/restore")).json()
    assert (back["id"], back["revision"], back["sha256"]) == (made["id"], 3, made["sha256"])
    assert (await office.download(made["id"])).content == b"first"
    listed = (await office.ann.get(f"{place}/revisions")).json()["items"]
    assert [each["revision"] for each in listed] == [3, 2, 1]
    assert (await office.ann.post(f"{place}/revisions/9/restore")).status_code == 404


async def test_ws_2_the_oldest_that_is_kept_can_be_restored(office: Office):
    """The revision itself goes with that, and its bytes stay."""
    made = await office.stored("/a.txt", b"0")
    for number in range(1, 20):
        await office.stored("/a.txt", f"{number}".encode(), overwrite=True)
    place = f"{FILES}/{made['id']}/revisions"
    assert (await office.ann.post(f"{place}/1/restore")).json()["revision"] == 21
    assert (await office.download(made["id"])).content == b"0"
    assert (await office.ann.get(f"{place}/1/download")).status_code == 404


async def test_another_persons_revisions_and_previews_are_as_if_they_were_not_there(office: Office):
    """WS-11"""
    made = await office.stored("/a.txt", b"mine")
    bob = (await office.stand.house.person()).browser
    place = f"{FILES}/{made['id']}"
    answers = [await bob.get(f"{place}/revisions/1/download"), await bob.post(f"{place}/revisions/1/restore")]
    answers.append(await bob.get(f"{place}/preview"))
    await office.ann.delete(place)
    answers += [await office.ann.get(f"{place}/preview"), await office.ann.get(f"{place}/revisions/1/download")]
    assert [answer.status_code for answer in answers] == [404] * 5
    await bob.aclose()


async def test_ws_11_a_preview_is_the_first_64_kb_as_plain_text(office: Office):
    text = "é" * 40_000  # 80,000 bytes: the limit cuts no character in two
    made = await office.stored("/page.html", b"<b>" + text.encode())
    seen = await office.ann.get(f"{FILES}/{made['id']}/preview")
    assert seen.headers["content-type"] == "text/plain; charset=utf-8"
    assert seen.headers["x-content-type-options"] == "nosniff"
    assert seen.headers["content-security-policy"] == "default-src 'none'; sandbox"
    assert seen.text == "<b>" + "é" * ((65_536 - 3) // 2)
    small = await office.stored("/small.txt", b"\xef\xbb\xbfhello")
    assert (await office.ann.get(f"{FILES}/{small['id']}/preview")).text == "hello"
    empty = await office.stored("/empty.txt", b"")
    assert (await office.ann.get(f"{FILES}/{empty['id']}/preview")).text == ""


async def test_ws_11_ws_12_what_is_no_text_or_not_what_it_says_has_no_preview(office: Office):
    for path, content, kind in (
        ("/a.png", PNG, "image/png"),
        ("/b.txt", PNG, "text/plain"),
        ("/c.bin", b"\0\1\2", "application/octet-stream"),
    ):
        made = await office.stored(path, content, kind)
        answer = await office.ann.get(f"{FILES}/{made['id']}/preview")
        assert (answer.status_code, answer.json()["code"]) == (415, "no_preview")
