"""Files in a workspace: whole or not there, one for each path, nobody else's, and never more than fits."""

import asyncio
import hashlib
from collections.abc import AsyncGenerator
from datetime import timedelta

import pytest

from pilothouse.features.files import FileTooLarge, FileUpkeep, Limits, NewFile, QuotaExceeded, StoredFileNotFound
from pilothouse.features.files.cabinet import MEGABYTE, content_key
from pilothouse.features.files.errors import DiskNearlyFull, UploadBroken
from pilothouse.features.files.paths import checked_place
from pilothouse.kit.ids import new_id
from tests.features.files.conftest import FILES, Office

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 64


async def pieces(*parts: bytes) -> AsyncGenerator[bytes]:
    for part in parts:
        yield part


async def used(office: Office) -> int:
    return (await office.ann.get("/api/workspace/usage")).json()["used_bytes"]


async def test_ws_4_what_was_stored_is_read_back_with_its_hash(office: Office):
    content = f"hello {new_id()}".encode()
    made = await office.stored("/notes/a.txt", content)
    assert made["sha256"] == hashlib.sha256(content).hexdigest()
    facts = {name: made[name] for name in ("path", "folder", "name", "size_bytes", "scope", "origin", "revision")}
    assert facts == {
        "path": "/notes/a.txt",
        "folder": "/notes",
        "name": "a.txt",
        "size_bytes": len(content),
        "scope": "user",
        "origin": "upload",
        "revision": 1,
    }
    answer = await office.download(made["id"])
    assert answer.content == content
    file = await office.cabinet.find(office.user_id, made["id"])
    assert await office.cabinet.read(file, 1000) == content
    assert file.reference == f"workspace://{made['id']}#text/plain"


async def test_ws_5_what_one_process_wrote_every_other_reads(office: Office):
    made = await office.stored("/shared.txt", b"for all")
    worker = office.stand.house.worker.cabinet
    assert await worker.read(await worker.find(office.user_id, made["id"]), 100) == b"for all"


async def test_ws_13_without_a_scanner_files_are_not_scanned(office: Office):
    assert (await office.stored("/a.txt", b"x"))["scan"] == "not_scanned"


async def test_ws_2_a_path_is_taken_once(office: Office):
    first = await office.stored("/cafe\u0301.txt", b"one")
    again = await office.upload("/caf\u00e9.txt", b"two")
    assert (again.status_code, again.json()["code"]) == (409, "already_exists")
    over = await office.stored("/caf\u00e9.txt", b"three", overwrite=True)
    assert (over["id"], over["revision"]) == (first["id"], 2)
    assert (await office.download(first["id"])).content == b"three"


async def test_ws_2_twenty_revisions_are_kept(office: Office):
    made = await office.stored("/a.txt", b"0")
    for number in range(1, 22):
        await office.stored("/a.txt", f"{number}".encode(), overwrite=True)
    told = (await office.ann.get(f"{FILES}/{made['id']}/revisions")).json()["items"]
    assert [each["revision"] for each in told] == list(range(22, 2, -1))
    assert await used(office) == sum(each["size_bytes"] for each in told)


async def test_ws_2_of_many_who_want_one_path_one_gets_it(office: Office):
    answers = await asyncio.gather(*(office.upload("/one.txt", f"{number}".encode()) for number in range(8)))
    assert sorted(answer.status_code for answer in answers) == [201, *[409] * 7]


async def test_ws_5_a_broken_upload_leaves_nothing(office: Office):
    async def broken() -> AsyncGenerator[bytes]:
        yield b"x" * 2 * MEGABYTE
        raise UploadBroken

    with pytest.raises(UploadBroken):
        await office.cabinet.put(office.user_id, NewFile("/half.bin"), broken())
    assert await office.stand.count("workspace_files") == 0
    assert await office.stand.count("file_reservations") == 0
    assert list((office.root / ".incoming").iterdir()) == []


async def test_ws_6_a_file_past_the_limit_is_refused_before_the_rest_is_read(office: Office):
    cabinet = office.limited(Limits(max_file_bytes=1000))
    read = 0

    async def endless() -> AsyncGenerator[bytes]:
        nonlocal read
        while True:
            read += 1
            yield b"x" * 600

    with pytest.raises(FileTooLarge):
        await cabinet.put(office.user_id, NewFile("/a.bin"), endless())
    assert read == 2
    answer = await office.upload("/a.bin", b"x" * 1001)
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")
    assert (await office.upload("/a.bin", b"x" * 1000)).status_code == 201


async def test_ws_7_what_does_not_fit_is_refused_with_the_figures(office: Office):
    office.limited(Limits(quota_bytes=1000))
    assert (await office.upload("/a", b"x" * 600)).status_code == 201
    answer = await office.upload("/b", b"x" * 401)
    assert (answer.status_code, answer.json()["code"]) == (413, "quota_exceeded")
    assert answer.json()["detail"] == {"used_bytes": 600, "limit_bytes": 1000}
    assert (await office.upload("/b", b"x" * 400)).status_code == 201


async def test_ws_7_many_at_once_never_pass_the_quota(office: Office):
    office.limited(Limits(quota_bytes=1000))
    answers = await asyncio.gather(*(office.upload(f"/{number}.bin", b"x" * 300) for number in range(50)))
    assert sorted(answer.status_code for answer in answers) == [201] * 3 + [413] * 47
    assert await used(office) == 900


async def test_ws_7_a_sender_who_does_not_say_how_much_gets_what_is_left(office: Office):
    cabinet = office.limited(Limits(quota_bytes=1000))
    await cabinet.put(office.user_id, NewFile("/a"), pieces(b"x" * 400, b"x" * 600))
    with pytest.raises(QuotaExceeded):
        await cabinet.put(office.user_id, NewFile("/b"), pieces(b"x"))


async def test_ws_7_a_disk_that_is_nearly_full_takes_nothing(office: Office):
    cabinet = office.limited(Limits(least_free=1 << 60))
    with pytest.raises(DiskNearlyFull):
        await cabinet.put(office.user_id, NewFile("/a"), pieces(b"x"))
    assert (await office.upload("/a", b"x")).status_code == 503


async def test_ws_8_what_was_deleted_is_gone_until_it_is_taken_back(office: Office):
    made = await office.stored("/a.txt", b"keep me")
    place = f"{FILES}/{made['id']}"
    assert (await office.ann.delete(place)).status_code == 204
    for path in (place, f"{place}/download", f"{place}/revisions"):
        assert (await office.ann.get(path)).status_code == 404
    assert (await office.ann.get(FILES)).json()["items"] == []
    assert [file["id"] for file in (await office.ann.get(FILES, params={"deleted": True})).json()["items"]] == [
        made["id"]
    ]
    assert await used(office) == 0
    assert (await office.ann.post(f"{place}/restore")).json()["deleted_at"] is None
    assert (await office.download(made["id"])).content == b"keep me"


async def test_ws_8_what_was_taken_back_needs_its_path_and_room(office: Office):
    made = await office.stored("/a.txt", b"old")
    place = f"{FILES}/{made['id']}"
    await office.ann.delete(place)
    other = await office.stored("/a.txt", b"new")
    assert (await office.ann.post(f"{place}/restore")).json()["code"] == "already_exists"
    await office.ann.patch(f"{FILES}/{other['id']}", json={"path": "/b.txt"})
    office.limited(Limits(quota_bytes=5))
    assert (await office.ann.post(f"{place}/restore")).json()["code"] == "quota_exceeded"


async def test_ws_8_after_thirty_days_file_and_bytes_are_gone(office: Office):
    content = new_id().encode()
    made, kept = await office.stored("/a.txt", content), await office.stored("/b.txt", b"stays")
    file = await office.cabinet.find(office.user_id, made["id"])
    await office.ann.delete(f"{FILES}/{made['id']}")
    await age(office, "workspace_files", "deleted_at", timedelta(days=31))
    await age(office, "file_contents", "touched_at", timedelta(days=31))
    await tidy(office)
    assert await office.stand.count("workspace_files") == 1
    assert not (office.root / content_key(file.content_id)).exists()
    assert await office.stand.rows("select 1 from file_contents where id=?1", file.content_id) == []
    assert (await office.download(kept["id"])).content == b"stays"


async def test_ws_8_the_trash_holds_one_quota_and_the_oldest_goes_first(office: Office):
    made = [await office.stored(f"/{number}.bin", b"x" * 400) for number in range(3)]
    for file in made:
        await office.ann.delete(f"{FILES}/{file['id']}")
    await tidy(office, trash_bytes=1000)
    left = (await office.ann.get(FILES, params={"deleted": True})).json()["items"]
    assert {file["id"] for file in left} == {made[1]["id"], made[2]["id"]}


async def test_ws_5_bytes_that_no_file_holds_are_swept_and_others_stay(office: Office):
    content = new_id().encode()
    one, two = await office.stored("/1.txt", content), await office.stored("/2.txt", content)
    file = await office.cabinet.find(office.user_id, one["id"])
    assert file.content_id == (await office.cabinet.find(office.user_id, two["id"])).content_id
    await office.stand.tell("delete from workspace_files where id=:id", id=one["id"])
    await age(office, "file_contents", "touched_at", timedelta(days=2))
    await tidy(office)
    assert (await office.download(two["id"])).content == content
    await office.stand.tell("delete from workspace_files where id=:id", id=two["id"])
    await tidy(office)
    assert not (office.root / content_key(file.content_id)).exists()
    again = await office.stored("/3.txt", content)
    assert (await office.download(again["id"])).content == content


async def test_ws_4_a_damaged_file_is_not_handed_out(office: Office):
    made = await office.stored("/a.bin", new_id().encode())
    file = await office.cabinet.find(office.user_id, made["id"])
    (office.root / content_key(file.content_id)).write_bytes(b"x" * file.size_bytes)
    answer = await office.download(made["id"])
    assert (answer.status_code, answer.json()["code"]) == (502, "file_corrupt")
    (office.root / content_key(file.content_id)).unlink()
    assert (await office.download(made["id"])).json()["code"] == "file_corrupt"


async def test_another_persons_file_is_as_if_it_were_not_there(office: Office):
    made = await office.stored("/mine.txt", b"mine")
    bob = await office.stand.house.person()
    assert (await bob.browser.get(f"{FILES}/{made['id']}/download")).status_code == 404
    with pytest.raises(StoredFileNotFound):
        await office.cabinet.find(bob.actor.user_id, made["id"])
    with pytest.raises(StoredFileNotFound):
        await office.cabinet.find_at(bob.actor.user_id, checked_place("/mine.txt"))
    found = await office.cabinet.find_many(office.user_id, [new_id(), made["id"], made["id"]])
    assert [file.id for file in found] == [made["id"]]
    theirs = {"path": "/mine.txt"}
    assert (await bob.browser.post(FILES, params=theirs, content=b"theirs")).status_code == 201
    await bob.leave()


async def test_ws_10_lists_page_stably_and_filter(office: Office):
    for number in range(5):
        await office.stored(f"/docs/{number}.txt", b"t")
    await office.stored("/photo.png", PNG, "image/png")
    seen: list[str] = []
    cursor = None
    while True:
        ask = {"limit": 2, "folder": "/docs", **({"cursor": cursor} if cursor else {})}
        page = (await office.ann.get(FILES, params=ask)).json()
        seen += [file["name"] for file in page["items"]]
        cursor = page["next_cursor"]
        await office.stored(f"/docs/new-{len(seen)}.txt", b"n")  # nothing is shown twice or left out for it
        if cursor is None:
            break
    assert seen == ["4.txt", "3.txt", "2.txt", "1.txt", "0.txt"]
    for ask, names in (
        ({"type": "image"}, ["photo.png"]),
        ({"type": "image/png"}, ["photo.png"]),
        ({"text": "PHOT"}, ["photo.png"]),
        ({"text": "%"}, []),
        ({"origin": "run"}, []),
        ({"below": "/doc"}, []),
    ):
        page = (await office.ann.get(FILES, params=ask)).json()
        assert [file["name"] for file in page["items"]] == names, ask
        assert page["usage"]["used_bytes"] == await used(office)


async def test_a_moved_file_keeps_its_id(office: Office):
    made, other = await office.stored("/a.txt", b"x"), await office.stored("/b.txt", b"y")
    place = f"{FILES}/{made['id']}"
    moved = (await office.ann.patch(place, json={"path": "/c/d.txt"})).json()
    assert (moved["id"], moved["folder"], moved["name"]) == (made["id"], "/c", "d.txt")
    assert (await office.ann.patch(place, json={"path": other["path"]})).json()["code"] == "already_exists"
    assert (await office.ann.patch(place, json={"path": "/../x"})).json()["code"] == "invalid_path"


async def test_programs_store_and_read_files_with_a_key(office: Office):
    http = office.stand.ann.http
    made = (await http.post("/api/v1/files", params={"path": "/p.txt"}, content=b"by key")).json()
    assert (await http.get(f"/api/v1/files/{made['id']}/download")).content == b"by key"
    assert (await http.delete(f"/api/v1/files/{made['id']}")).status_code == 204
    assert (await http.get("/api/v1/files")).json()["items"] == []


async def age(office: Office, table: str, column: str, span: timedelta) -> None:
    await office.stand.tell(f"update {table} set {column}={column}-:by", by=int(span.total_seconds() * 1_000_000))


async def tidy(office: Office, trash_bytes: int | None = None) -> None:
    cabinet = office.cabinet
    await FileUpkeep(cabinet.store, cabinet.committer, cabinet.reader, trash_bytes).tidy_files()
