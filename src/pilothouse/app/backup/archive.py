"""The file itself: a ZIP whose manifest holds the SHA-256 of every other member.

manifest.json        written last: format, schema, moment, members
tables/<name>.jsonl  first the column names, then a JSON array for each row
files/<path>         what users stored
secrets              only if asked for, sealed with a passphrase
"""

import os
import zipfile
import zlib
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

from pilothouse.kit.errors import PilothouseError
from pilothouse.kit.json import loads, pretty

FORMAT = "pilothouse.backup/1"
MANIFEST = "manifest.json"
CHUNK = 1024 * 1024


class BackupDamaged(PilothouseError):
    """This backup is damaged or is none."""

    hint = "Use another copy of it. Nothing was changed."


@dataclass(frozen=True, slots=True)
class Member:
    """One part of a backup."""

    sha256: str
    size: int
    rows: int | None = None


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup says of itself."""

    schema: str
    version: str
    made_at: str
    key_fingerprint: str | None
    tables: list[str]  # in an order in which each comes after those it points at
    members: dict[str, Member] = field(default_factory=dict[str, Member])
    format: str = FORMAT


class Archive:
    """Writes members one after another and keeps their sums."""

    def __init__(self, file: zipfile.ZipFile) -> None:
        self._file = file
        self.members: dict[str, Member] = {}

    @contextmanager
    def member(self, name: str) -> Generator["Sink"]:
        with self._file.open(name, "w", force_zip64=True) as raw:
            sink = Sink(raw)
            yield sink
        self.members[name] = Member(sink.sum.hexdigest(), sink.size, sink.rows)

    def close_with(self, manifest: Manifest) -> None:
        self._file.writestr(MANIFEST, pretty(asdict(manifest)))


class Sink:
    """A member being written."""

    def __init__(self, raw: Any) -> None:
        self._raw = raw
        self.sum = sha256()
        self.size = 0
        self.rows: int | None = None

    def write(self, data: bytes) -> None:
        self.sum.update(data)
        self.size += len(data)
        self._raw.write(data)


@contextmanager
def new_archive(path: Path) -> Generator[Archive]:
    """A file that appears whole or not at all, readable by its owner alone."""
    draft = path.with_name(f".{path.name}.part")
    descriptor = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    try:
        with os.fdopen(descriptor, "w+b") as raw:
            with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
                yield Archive(file)
            raw.flush()
            os.fsync(raw.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def open_archive(path: Path) -> Generator["Stored"]:
    """Raises `BackupDamaged` when it cannot be read, now or while its members are."""
    try:
        with zipfile.ZipFile(path) as file:
            yield Stored(file, _manifest(loads(file.read(MANIFEST))))
    except (zipfile.BadZipFile, zlib.error, KeyError, EOFError, ValueError, NotImplementedError) as error:
        raise BackupDamaged(f"{path} is damaged or is no backup.") from error


def _manifest(told: Any) -> Manifest:
    if not isinstance(told, dict) or cast(dict[str, Any], told).get("format") != FORMAT:
        raise ValueError("not a manifest")
    facts = dict(cast(dict[str, Any], told))
    try:
        members = {name: Member(**member) for name, member in facts.pop("members").items()}
        return Manifest(**facts, members=members)
    except (TypeError, AttributeError, KeyError) as error:
        raise ValueError("not a manifest") from error


class Stored:
    """A backup being read."""

    def __init__(self, file: zipfile.ZipFile, manifest: Manifest) -> None:
        self._file = file
        self.manifest = manifest

    def chunks(self, name: str) -> Iterator[bytes]:
        """A member's bytes. The last step raises `BackupDamaged` when the sum is wrong."""
        digest = sha256()
        with self._file.open(name) as raw:
            while chunk := raw.read(CHUNK):
                digest.update(chunk)
                yield chunk
        if digest.hexdigest() != self.manifest.members[name].sha256:
            raise BackupDamaged(f"{name} in the backup is not what was written.")

    def lines(self, name: str) -> Iterator[list[bytes]]:
        """A member's lines, in batches."""
        rest = b""
        for chunk in self.chunks(name):
            *whole, rest = (rest + chunk).split(b"\n")
            if whole:
                yield whole
        if rest:
            yield [rest]

    def names(self, folder: str) -> Iterable[str]:
        return [name for name in self.manifest.members if name.startswith(f"{folder}/")]
