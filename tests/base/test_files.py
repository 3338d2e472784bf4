"""What every file store promises."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pilothouse.base.directory_store import DirectoryStore
from pilothouse.base.files import FileKeyRefused, FileNotFound, FileStore, FileStoreUnavailable


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "files"


@pytest.fixture(params=["directory"])
def store(request: pytest.FixtureRequest, root: Path) -> FileStore:
    assert request.param == "directory"
    return DirectoryStore(root)


async def test_what_was_put_can_be_read(store: FileStore):
    stat = await store.put("users/u1/report.pdf", b"%PDF")

    assert await store.get("users/u1/report.pdf") == b"%PDF"
    assert await store.stat("users/u1/report.pdf") == stat
    assert (stat.key, stat.size) == ("users/u1/report.pdf", 4)
    assert abs(stat.stored_at - datetime.now(UTC)) < timedelta(minutes=1)


async def test_putting_again_replaces_the_whole_file(store: FileStore):
    await store.put("a", b"a long first version")
    await store.put("a", b"short")

    assert await store.get("a") == b"short"


async def test_an_empty_file_is_a_file(store: FileStore):
    await store.put("empty", b"")

    assert await store.get("empty") == b""


async def test_what_was_deleted_is_gone_and_deleting_again_is_fine(store: FileStore):
    await store.put("a/b", b"x")
    await store.delete("a/b")
    await store.delete("a/b")
    await store.delete("never/was")

    for ask in (store.get("a/b"), store.stat("a/b")):
        with pytest.raises(FileNotFound):
            await ask


HOSTILE = [
    "",
    "/etc/passwd",
    "../secret",
    "a/../../secret",
    "a//b",
    "a/",
    "./a",
    ".hidden",
    "a/.hidden",
    "a\\..\\b",
    "a\x00b",
    "a\nb",
    "a b",
    "naïve",
    "~root",
    "C:evil",
    "x" * 600,
    "x" * 200,
]


@pytest.mark.security
@pytest.mark.parametrize("key", HOSTILE)
async def test_a_key_that_could_lead_elsewhere_is_refused(store: FileStore, key: str):
    for ask in (store.put(key, b"x"), store.get(key), store.stat(key), store.delete(key)):
        with pytest.raises(FileKeyRefused):
            await ask


async def test_a_key_beneath_a_file_is_refused(store: FileStore):
    await store.put("a", b"x")

    with pytest.raises(FileKeyRefused):
        await store.put("a/b", b"y")
    with pytest.raises(FileNotFound):
        await store.get("a/b")
    assert await store.get("a") == b"x"


async def test_readers_see_the_old_or_the_new_file_never_a_part(store: FileStore):
    versions = [bytes([letter]) * 300_000 for letter in b"abcd"]
    await store.put("file", versions[0])
    reads: list[bytes] = []

    async def read() -> None:
        for _ in range(30):
            reads.append(await store.get("file"))

    async def write() -> None:
        for n in range(12):
            await store.put("file", versions[n % 4])

    await asyncio.gather(read(), write(), write())

    assert set(reads) <= set(versions)


@pytest.mark.security
async def test_links_lead_nowhere(store: FileStore, root: Path, tmp_path: Path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_bytes(b"secret")
    await store.put("mine/file", b"x")
    (root / "mine" / "link").symlink_to(outside / "secret")
    (root / "door").symlink_to(outside)

    with pytest.raises(FileNotFound):
        await store.get("mine/link")
    for ask in (store.get("door/secret"), store.put("door/secret", b"y"), store.delete("door/secret")):
        with pytest.raises(FileKeyRefused):
            await ask
    await store.put("mine/link", b"mine")
    assert (outside / "secret").read_bytes() == b"secret"


async def test_nothing_is_left_of_a_write_that_failed(store: FileStore, root: Path):
    await store.put("a/file", b"x")
    (root / "a" / "folder").mkdir()

    with pytest.raises((FileKeyRefused, FileStoreUnavailable)):
        await store.put("a/folder", b"y")

    assert list((root / ".incoming").iterdir()) == []


async def test_files_are_for_their_owner_only(store: FileStore, root: Path):
    await store.put("a/file", b"x")

    assert (root / "a" / "file").stat().st_mode & 0o777 == 0o600
    assert (root / "a").stat().st_mode & 0o077 == 0
