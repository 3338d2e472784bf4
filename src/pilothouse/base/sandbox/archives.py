"""What a program hands back. It comes from inside, so that it may be anything: it is read, and never unpacked here."""

import io
import tarfile
from collections.abc import Iterator

from pilothouse.base.sandbox.job import Limits, WorkFile
from pilothouse.kit.json import JsonObject, loads

RESULT = "out/result.json"
WORK = "work/"


def read_archive(content: bytes, limits: Limits) -> tuple[JsonObject | None, tuple[WorkFile, ...]]:
    """The value of the last expression, and the regular files of the folder. What cannot be read is not there."""
    result: JsonObject | None = None
    found: list[WorkFile] = []
    room = limits.work
    try:
        for name, body in _plain_files(content, limits):
            if name == RESULT:
                result = _result(body)
            elif name.startswith(WORK) and len(body) <= room:
                room -= len(body)
                found.append(WorkFile(name.removeprefix(WORK), body))
    except (tarfile.TarError, ValueError, EOFError, OverflowError):
        return result, tuple(found)
    return result, tuple(found)


def _plain_files(content: bytes, limits: Limits) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as archive:
        for number, member in enumerate(archive):
            if number >= limits.file_entries:
                return
            # A sparse one may claim any size; what it holds is less.
            if member.isreg() and not member.issparse() and member.size <= len(content):
                body = archive.extractfile(member)
                if body is not None:
                    yield member.name.removeprefix("./"), body.read(member.size)


def _result(body: bytes) -> JsonObject | None:
    try:
        found = loads(body)
    except ValueError:
        return None
    if not isinstance(found, dict) or not isinstance(found.get("text"), str):
        return None
    return {name: found[name] for name in ("text", "json") if name in found}
