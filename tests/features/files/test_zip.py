"""Several files as one download: made while it is sent, within limits that are told beforehand, under safe names."""

import io
import os
import time
import tracemalloc
import zipfile
from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace
from typing import Any, cast

import pytest

from pilothouse.base.files import FileStore
from pilothouse.features.files import Item, Limits, entry_name, item_of, packed
from pilothouse.features.files.cabinet import MEGABYTE, content_key
from pilothouse.features.files.parcels import Parcel
from pilothouse.features.files.zip_names import MAX_NAME, unique_names
from pilothouse.features.files.zipping import zipped
from pilothouse.features.runs.outputs import parts_of
from tests.features.files.conftest import Office
from tests.features.files.test_in_runs import writes
from tests.features.runs import graphs
from tests.features.runs.graphs import graph, node

ZIP = "/api/workspace/zip"
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def unpacked(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


async def several(office: Office, sizes: dict[str, int]) -> list[str]:
    return [(await office.stored(path, b"x" * size))["id"] for path, size in sizes.items()]


def giving(**values: Any) -> Any:
    return graph("Gives", [node(name, graphs.OUTPUT, name=name, value=value) for name, value in values.items()], [])


@pytest.mark.parametrize(
    ("told", "name"),
    [
        ("../../etc/passwd", "passwd"),
        ("..", "file"),
        (".env", "env"),
        ("CON.txt", "CON_.txt"),
        ("lpt1", "lpt1_"),
        ("a\\b.txt", "b.txt"),
        ('a<>:"|?*b.txt', "a_______b.txt"),
        ("a\r\n\0b.txt", "ab.txt"),
        ("\u202egpj.exe", "gpj.exe"),
        ("ends. . ", "ends"),
        ("", "file"),
        ("folder/", "file"),
    ],
)
def test_zip_6_a_name_is_its_last_part_and_fits_every_system(told: str, name: str):
    assert entry_name(told) == name


@pytest.mark.parametrize("told", ["ä" * 300 + ".txt", "x" * 300, "a." + "y" * 300, "\ud800.txt"])
def test_zip_6_a_long_or_broken_name_is_cut_to_what_can_be_written(told: str):
    assert 0 < len(entry_name(told).encode()) <= MAX_NAME


def test_zip_7_names_are_unique_whatever_their_capitals():
    assert unique_names(["a.txt", "a.txt", "A.TXT"]) == ["a.txt", "a (2).txt", "A (3).TXT"]
    assert unique_names(["a (2).txt", "a.txt", "a.txt"]) == ["a (2).txt", "a.txt", "a (3).txt"]
    assert unique_names(["skipped.txt", "LINKS.txt"]) == ["skipped (2).txt", "LINKS (2).txt"]
    long = unique_names(["x" * MAX_NAME] * 2)
    assert len({*long}) == 2
    assert max(map(len, long)) <= MAX_NAME


async def test_zip_1_zip_3_several_files_come_as_a_zip_in_the_order_asked_for(office: Office):
    ids = await several(office, {"/b.txt": 3, "/deep/a.txt": 5, "/deep/b.txt": 2})
    answer = await office.ann.post(ZIP, json={"file_ids": ids})
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/zip")
    assert answer.headers["content-disposition"] == 'attachment; filename="files.zip"'
    assert answer.headers["content-security-policy"] == "default-src 'none'; sandbox"
    assert list(unpacked(answer.content).items()) == [("b.txt", b"xxx"), ("a.txt", b"xxxxx"), ("b (2).txt", b"xx")]


async def test_zip_2_what_is_too_large_is_told_beforehand_and_named_in_the_zip(office: Office):
    office.limited(Limits(zip_file_bytes=10, zip_total_bytes=15))
    ids = await several(office, {"/small.txt": 9, "/huge.txt": 11, "/too-much.txt": 7, "/fits.txt": 6})
    plan = (await office.ann.post(ZIP, params={"plan": 1}, json={"file_ids": ids})).json()
    assert plan == {
        "as_zip": True,
        "size_bytes": 15,
        "files": [{"name": "small.txt", "size_bytes": 9}, {"name": "fits.txt", "size_bytes": 6}],
        "skipped": [
            {"name": "huge.txt", "size_bytes": 11, "reason": "file_too_large"},
            {"name": "too-much.txt", "size_bytes": 7, "reason": "all_too_large"},
        ],
        "links": 0,
    }
    held = unpacked((await office.ann.post(ZIP, json={"file_ids": ids})).content)
    assert [*held] == ["small.txt", "fits.txt", "SKIPPED.txt"]
    told = held["SKIPPED.txt"].decode()
    assert "huge.txt (11 bytes) is larger than a file in a zip may be." in told
    assert "too-much.txt (7 bytes) would make the zip larger than it may be." in told


async def test_zip_2_a_file_that_cannot_be_read_is_left_out_and_the_others_are_whole(office: Office):
    ids = await several(office, {"/a.txt": 3, "/lost.txt": 4, "/b.txt": 5})
    lost = await office.cabinet.find(office.user_id, ids[1])
    await office.cabinet.store.put(f"contents/{lost.content_id[-2:]}/{lost.content_id}", b"xxxX")  # a bit has turned
    held = unpacked((await office.ann.post(ZIP, json={"file_ids": ids})).content)
    assert {name: held[name] for name in ("a.txt", "b.txt")} == {"a.txt": b"xxx", "b.txt": b"xxxxx"}
    assert [*held] == ["a.txt", "b.txt", "SKIPPED.txt"]
    assert b"lost.txt (4 bytes) could not be read." in held["SKIPPED.txt"]


async def test_zip_4_one_file_is_sent_as_itself_also_when_no_zip_would_take_it(office: Office):
    office.limited(Limits(zip_file_bytes=1))
    (file_id,) = await several(office, {"/only.txt": 5})
    answer = await office.ann.post(ZIP, json={"file_ids": [file_id, file_id]})
    assert (answer.content, answer.headers["content-length"]) == (b"xxxxx", "5")
    assert answer.headers["content-disposition"] == 'attachment; filename="only.txt"'
    plan = (await office.ann.post(ZIP, params={"plan": 1}, json={"file_ids": [file_id]})).json()
    assert (plan["as_zip"], plan["skipped"]) == (False, [])


async def test_zip_1_anothers_file_is_as_if_it_were_not_there(office: Office):
    mine = await several(office, {"/a.txt": 1})
    bob = await office.stand.house.person()
    answer = await bob.browser.post(ZIP, json={"file_ids": mine})
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    await bob.leave()


@dataclass(frozen=True, slots=True)
class Watched:
    """A store that counts how many of its files are being read."""

    store: FileStore
    seen: list[int]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)

    async def chunks(self, key: str, start: int = 0, end: int | None = None) -> AsyncGenerator[bytes]:
        self.seen.append(self.seen[-1] + 1)
        try:
            async for chunk in self.store.chunks(key, start, end):
                yield chunk
        finally:
            self.seen.append(self.seen[-1] - 1)


async def test_zip_1_zip_3_a_large_zip_is_never_held_and_reads_few_files_at_once(office: Office):
    sizes = {f"/{nth}.bin": 24 * MEGABYTE for nth in range(4)}
    ids = [(await office.stored(path, os.urandom(size)))["id"] for path, size in sizes.items()]
    seen = [0]
    cabinet = replace(office.cabinet, store=cast(FileStore, Watched(office.cabinet.store, seen)))
    parcel = packed([item_of(file) for file in await cabinet.find_many(office.user_id, ids)], cabinet.limits)
    tracemalloc.start()
    try:
        total = 0
        async for piece in zipped(cabinet, parcel):
            total += len(piece)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert total > sum(sizes.values())  # what was drawn by lot cannot be made smaller
    assert most < 16 * MEGABYTE
    assert 1 <= max(seen) <= 5


async def test_zip_1_what_is_no_longer_wanted_stops(office: Office):
    parcel = Parcel([Item(f"{nth}.txt", 1, b"x", "text/plain") for nth in range(3)])
    pieces = zipped(office.cabinet, parcel)
    assert (await anext(pieces)).startswith(b"PK")
    await pieces.aclose()


async def test_zip_5_r4_outputs_of_a_run_come_as_files_of_their_kinds(office: Office):
    values = {
        "letter": "# Arrival\n\nWe arrive at **noon**.",
        "words": "Hello, World!",
        "facts": {"ships": [1, 2]},
        "picture": f"data:image/png;base64,{PIXEL}",
        "place": "https://example.com/harbour",
        "odd": "data:nothing that can be read",
    }
    ended = await office.stand.run(giving(**values))
    answer = await office.ann.get(f"/api/runs/{ended['id']}/outputs.zip")
    assert answer.headers["content-disposition"] == f'attachment; filename="run-{ended["id"][-6:]}.zip"'
    held = unpacked(answer.content)
    assert set(held) == {"letter.md", "words.txt", "facts.json", "picture.png", "odd.txt", "LINKS.txt"}
    assert held["words.txt"] == b"Hello, World!"
    assert b'"ships"' in held["facts.json"]
    assert held["picture.png"].startswith(b"\x89PNG")
    assert held["LINKS.txt"] == b"place: https://example.com/harbour\n"


async def test_r4_files_that_a_run_wrote_come_along_and_one_that_is_gone_is_told(office: Office):
    ended = await office.stand.run(writes("notes/a.txt"), text="hello")
    held = unpacked((await office.ann.get(f"/api/runs/{ended['id']}/outputs.zip")).content)
    assert held == {"a.txt": b"hello", "content.txt": b"hello"}
    (file,) = (await office.ann.get("/api/workspace/files")).json()["items"]
    await office.ann.delete(f"/api/workspace/files/{file['id']}")
    plan = (await office.ann.get(f"/api/runs/{ended['id']}/outputs.zip", params={"plan": 1})).json()
    assert plan["skipped"] == [{"name": "file", "size_bytes": None, "reason": "gone"}]


async def test_r4_files_inside_of_lists_come_along_too(office: Office):
    made = [await office.stored(f"/{name}.txt", name.encode()) for name in ("a", "b")]
    inside = {"first": [f"workspace://{made[0]['id']}"], "second": f"workspace://{made[1]['id']}#text/plain"}
    ended = await office.stand.run(giving(both=inside))
    held = unpacked((await office.ann.get(f"/api/runs/{ended['id']}/outputs.zip")).content)
    assert [*held] == ["both.json", "a.txt", "b.txt"]


async def test_zip_4_r4_a_single_output_is_sent_as_itself(office: Office):
    ended = await office.stand.run(giving(words="Hello"))
    answer = await office.ann.get(f"/api/runs/{ended['id']}/outputs.zip")
    assert (answer.content, answer.headers["content-type"]) == (b"Hello", "text/plain; charset=utf-8")
    assert answer.headers["content-disposition"] == 'attachment; filename="words.txt"'


async def test_r4_a_run_without_outputs_gives_an_empty_zip_and_anothers_is_not_there(office: Office):
    ended = await office.stand.run(graph("Takes", [node("in", graphs.ANY, name="text")], []), text="x")
    answer = await office.ann.get(f"/api/runs/{ended['id']}/outputs.zip")
    assert unpacked(answer.content) == {}
    bob = await office.stand.house.person()
    answer = await bob.browser.get(f"/api/runs/{ended['id']}/outputs.zip", params={"plan": 1})
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    await bob.leave()


async def test_r4_a_text_that_only_looks_like_something_else_stays_what_it_is(office: Office):
    texts = {
        "row": "data:2024-01-05,open,7",
        "word": "data:\u0442\u0435\u043a\u0441\u0442,x",
        "told": "workspace://00000000-0000-7000-8000-000000000000\nHere is the chart.",
    }
    ended = await office.stand.run(giving(**texts))
    held = unpacked((await office.ann.get(f"/api/runs/{ended['id']}/outputs.zip")).content)
    assert held == {f"{name}.txt": text.encode() for name, text in texts.items()}


@pytest.mark.parametrize("text", ["\n" * 200_000, "[" * 200_000, "**a" * 70_000, "- a" * 70_000])
def test_r4_no_text_takes_long_to_be_told_apart(text: str):
    began = time.perf_counter()
    (part,) = parts_of({"text": [text]})
    assert isinstance(part, Item)
    assert time.perf_counter() - began < 1


async def test_zip_4_a_single_file_that_is_damaged_is_told_of_before_the_answer_begins(office: Office):
    made = await office.stored("/a.bin", os.urandom(64))
    file = await office.cabinet.find(office.user_id, made["id"])
    (office.root / content_key(file.content_id)).unlink()
    answer = await office.ann.post(ZIP, json={"file_ids": [made["id"]]})
    assert (answer.status_code, answer.json()["code"]) == (502, "file_corrupt")
