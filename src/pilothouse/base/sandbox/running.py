"""Runs one program behind the walls, and ends it with everything that it started."""

import asyncio
import os
import socket
from contextlib import ExitStack
from dataclasses import dataclass, field

from pilothouse.base.sandbox.archives import read_archive
from pilothouse.base.sandbox.bubblewrap import Walls, limits_command
from pilothouse.base.sandbox.calls import refused_calls
from pilothouse.base.sandbox.child import Child
from pilothouse.base.sandbox.job import Job, Limits, Outcome, Stopped
from pilothouse.base.sandbox.languages import command_of, inside, language_of, texts_of
from pilothouse.base.sandbox.tree import memory_of

LOOK_SECONDS = 0.1
AT_ONCE = 64 * 1024


@dataclass(slots=True)
class Running:
    """A program that runs."""

    child: Child
    limits: Limits
    printed: int = 0
    stopped: Stopped | None = None
    kept: dict[str, bytearray] = field(default_factory=dict[str, bytearray])

    def stop(self, why: Stopped) -> None:
        if self.stopped is None and self.child.code is None:
            self.stopped = why
            self.child.kill()

    async def listen(self, name: str, stream: asyncio.StreamReader) -> None:
        kept = self.kept[name] = bytearray()
        while heard := await stream.read(AT_ONCE):
            room = self.limits.output - self.printed
            kept += heard[: max(room, 0)]
            self.printed += len(heard)
            if self.printed > self.limits.output:
                self.stop("output")

    async def watch(self) -> None:
        while True:
            if memory_of(self.child.pid) > self.limits.memory:
                self.stop("memory")
            await asyncio.sleep(LOOK_SECONDS)


async def run(walls: Walls, job: Job, limits: Limits, kept: bytes = b"", *, keeps: bool = False) -> Outcome:
    """Run it to its end, or to the end of what it may use. `kept` is what an earlier program handed back.

    Raises `LanguageMissing`.
    """
    language = language_of(job.language)
    words = ["sh", "-c", inside("start.sh").decode(), "sh", "kept" if kept else "new"]
    words += ["out work" if keeps or job.wants_files else "out", *limits_command(limits, job.seconds)]
    words += ["sh", "/job/setup.sh", *command_of(language)]
    with ExitStack() as stack:
        files = {name: _descriptor(stack, text) for name, text in texts_of(job, language).items()}
        ours, theirs = (stack.enter_context(end) for end in socket.socketpair())
        filtered = refused_calls()
        refused = _descriptor(stack, filtered) if filtered else None
        passed = [*files.values(), *([] if refused is None else [refused])]
        child = Child.start([*walls.command(files, limits, refused), *words], theirs.fileno(), passed)
        theirs.close()
        running = Running(child, limits)
        try:
            archive = await _attend(running, job.seconds, ours, kept)
        finally:
            await child.close()
    return await _outcome(running, archive)


async def _outcome(running: Running, archive: bytes) -> Outcome:
    out, err = (bytes(running.kept.get(name, b"")).decode(errors="replace") for name in ("out", "err"))
    if running.stopped is not None:
        return Outcome(None, running.stopped, _clean(out), _clean(err))
    result, found = await asyncio.to_thread(read_archive, archive, running.limits)
    return Outcome(running.child.code, None, _clean(out), _clean(err), result, found, archive)


async def _attend(running: Running, seconds: float, line: socket.socket, kept: bytes) -> bytes:
    """Until it has ended and everything it said was heard."""
    out, err = await running.child.streams()
    reader, writer = await asyncio.open_connection(sock=line, limit=AT_ONCE)
    watch = asyncio.create_task(running.watch())
    doings = [
        asyncio.create_task(running.listen("out", out)),
        asyncio.create_task(running.listen("err", err)),
        asyncio.create_task(_feed(writer, kept)),
    ]
    back = asyncio.create_task(_hear(reader, running.limits.archive))
    try:
        try:
            async with asyncio.timeout(seconds):
                await running.child.wait()
        except TimeoutError:
            running.stop("time")
        await running.child.wait()
        await asyncio.gather(*doings)
        return await back
    finally:
        running.child.kill()
        for task in (watch, back, *doings):
            task.cancel()
        await asyncio.gather(watch, back, *doings, return_exceptions=True)
        writer.close()


async def _feed(writer: asyncio.StreamWriter, kept: bytes) -> None:
    try:
        writer.write(kept)
        await writer.drain()
        writer.write_eof()
    except OSError:
        return  # it ended before it had read all; its exit code says why


async def _hear(reader: asyncio.StreamReader, most: int) -> bytes:
    """What it hands back; nothing when that is too much."""
    heard = bytearray()
    try:
        while part := await reader.read(AT_ONCE):
            if len(heard) <= most:
                heard += part
    except OSError:
        return b""
    return bytes(heard) if len(heard) <= most else b""


def _descriptor(stack: ExitStack, content: bytes) -> int:
    """A file in memory that only the child gets."""
    descriptor = os.memfd_create("job")
    stack.callback(os.close, descriptor)
    with open(descriptor, "wb", closefd=False) as file:
        file.write(content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _clean(text: str) -> str:
    return text.replace("\0", "\ufffd")
