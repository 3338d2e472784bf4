"""WS-9: folders are renamed, moved and thrown away with all that they hold; all of it, or none."""

import pytest

from pilothouse.kit.json import JsonObject
from tests.features.files.conftest import FILES, Office

FOLDERS = "/api/workspace/folders"


async def fill(office: Office, *paths: str) -> dict[str, str]:
    """Ids by path; each file holds its first path."""
    return {path: (await office.stored(path, path.encode()))["id"] for path in paths}


async def paths(office: Office, **which: str | bool) -> list[str]:
    return sorted(file["path"] for file in (await office.ann.get(FILES, params=which)).json()["items"])


async def move(office: Office, path: str, to: str) -> tuple[int, str | int]:
    answer = await office.ann.post(f"{FOLDERS}/move", json={"path": path, "to": to})
    return answer.status_code, answer.json()["files"] if answer.status_code == 200 else answer.json()["code"]


async def test_ws_9_folders_are_a_tree(office: Office):
    await fill(office, "/top.txt", "/a/b/c/deep.txt", "/a/x.txt", "/ab.txt")
    told = (await office.ann.get(FOLDERS)).json()["items"]
    assert [(folder["path"], folder["name"], folder["files"]) for folder in told] == [
        ("/a", "a", 1),
        ("/a/b", "b", 0),
        ("/a/b/c", "c", 1),
    ]
    assert told[0]["size_bytes"] == len("/a/x.txt")


async def test_ws_9_a_folder_is_renamed_and_its_files_keep_their_ids(office: Office):
    made = await fill(office, "/a/1.txt", "/a/b/2.txt", "/ab/3.txt", "/a.txt")
    assert await move(office, "/a", "/c d") == (200, 2)
    assert await paths(office) == ["/a.txt", "/ab/3.txt", "/c d/1.txt", "/c d/b/2.txt"]
    assert (await office.download(made["/a/b/2.txt"])).content == b"/a/b/2.txt"
    assert await paths(office, folder="/c d/b") == ["/c d/b/2.txt"]


@pytest.mark.parametrize("to", ["/a/b", "/a/b/c", "/a/a"])
async def test_ws_9_a_folder_is_not_moved_into_itself(office: Office, to: str):
    await fill(office, "/a/b/1.txt")
    assert await move(office, "/a", to) == (409, "folder_cycle")
    assert await paths(office) == ["/a/b/1.txt"]


async def test_ws_9_a_folder_moves_up_though_names_in_it_repeat(office: Office):
    made = await fill(office, "/a/b/x.txt", "/a/b/b/x.txt", "/a/b/b/b/x.txt")
    assert await move(office, "/a/b", "/a") == (200, 3)
    assert await paths(office) == ["/a/b/b/x.txt", "/a/b/x.txt", "/a/x.txt"]
    assert (await office.ann.get(f"{FILES}/{made['/a/b/x.txt']}")).json()["path"] == "/a/x.txt"


async def test_ws_9_of_a_move_that_cannot_be_nothing_is_moved(office: Office):
    await fill(office, "/a/1.txt", "/a/2.txt", "/b/2.txt", "/a/b/c/d/e/f/g/h/i/deep.txt")
    before = await paths(office)
    assert await move(office, "/a", "/b") == (409, "already_exists")
    assert await move(office, "/a", "/x/y/z") == (422, "invalid_path")  # deeper than ten
    assert await move(office, "/nowhere", "/b") == (404, "not_found")
    assert await move(office, "/", "/b") == (422, "invalid_path")
    assert await move(office, "/a", "/../b") == (422, "invalid_path")
    assert await paths(office) == before


async def test_ws_9_many_files_are_moved_at_once_or_none_is(office: Office):
    made = await fill(office, "/1.txt", "/a/2.txt", "/b/1.txt")

    async def moved(folder: str, *ids: str) -> int:
        ask: JsonObject = {"file_ids": [*ids], "folder": folder}
        return (await office.ann.post("/api/workspace/move", json=ask)).status_code

    assert await moved("/c", made["/1.txt"], made["/b/1.txt"]) == 409  # one name for two
    assert await moved("/b", made["/1.txt"], made["/a/2.txt"]) == 409  # taken
    bob = await office.stand.house.person()
    theirs = (await bob.browser.post(FILES, params={"path": "/t.txt"}, content=b"t")).json()["id"]
    assert await moved("/c", made["/1.txt"], theirs) == 404
    assert await paths(office) == ["/1.txt", "/a/2.txt", "/b/1.txt"]
    assert await moved("/c", made["/1.txt"], made["/a/2.txt"]) == 200
    assert await moved("/", made["/b/1.txt"]) == 200
    assert await paths(office) == ["/1.txt", "/c/1.txt", "/c/2.txt"]
    assert [file["path"] for file in (await bob.browser.get(FILES)).json()["items"]] == ["/t.txt"]
    await bob.leave()


async def test_ws_9_deleting_a_folder_asks_and_puts_its_files_into_the_trash(office: Office):
    made = await fill(office, "/a/1.txt", "/a/b/2.txt", "/ab.txt")
    asked = await office.ann.delete(FOLDERS, params={"path": "/a"})
    assert (asked.status_code, asked.json()["code"]) == (409, "deletion_unconfirmed")
    assert asked.json()["detail"] == {"files": 2, "size_bytes": len("/a/1.txt/a/b/2.txt")}
    assert len(await paths(office)) == 3
    done = await office.ann.delete(FOLDERS, params={"path": "/a", "confirm": True})
    assert (done.status_code, done.json()) == (200, {"files": 2})
    assert (await paths(office), await paths(office, deleted=True)) == (["/ab.txt"], ["/a/1.txt", "/a/b/2.txt"])
    assert (await office.ann.post(f"{FILES}/{made['/a/b/2.txt']}/restore")).status_code == 200
    assert await paths(office) == ["/a/b/2.txt", "/ab.txt"]


async def test_ws_9_nobody_reaches_another_persons_folder(office: Office):
    await fill(office, "/a/1.txt")
    bob = (await office.stand.house.person()).browser
    assert (await bob.get(FOLDERS)).json() == {"items": []}
    for answer in (
        await bob.post(f"{FOLDERS}/move", json={"path": "/a", "to": "/b"}),
        await bob.delete(FOLDERS, params={"path": "/a", "confirm": True}),
    ):
        assert answer.status_code == 404
    assert await paths(office) == ["/a/1.txt"]
    await bob.aclose()


async def test_ws_9_folders_that_differ_in_capitals_are_two(office: Office):
    await fill(office, "/Docs/a.txt", "/docs/b.txt", "/docs/c.txt")
    assert await paths(office, below="/Docs") == ["/Docs/a.txt"]
    assert await move(office, "/Docs", "/X") == (200, 1)
    answer = await office.ann.delete(FOLDERS, params={"path": "/docs", "confirm": True})
    assert answer.is_success, answer.text
    assert await paths(office) == ["/X/a.txt"]
