"""A provider on loopback: HTTP by hand, so that it can stop in the middle of a word."""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from typing import Any, cast

from pilothouse.base.loops import end_tasks
from pilothouse.kit.json import dumps, loads
from tests.providers.refusing import refusal_of
from tests.providers.script import Answer, Asked, Refusal, Script
from tests.providers.wires import BEATS, anthropic_events, openai_events, openrouter_events, with_beats, with_raw

HEAD = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
BEAT_SECONDS = 0.02  # real ones take some seconds
WIRES = {"openai": openai_events, "openrouter": openrouter_events, "anthropic": anthropic_events}


@asynccontextmanager
async def provider(script: Script, wire: str) -> AsyncGenerator[str]:
    """Serve the script on one of the wires; gives the base URL."""
    tasks: set[asyncio.Task[None]] = set()
    writers: set[asyncio.StreamWriter] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.add(writer)
        if (task := asyncio.current_task()) is not None:
            tasks.add(task)
        try:
            await _answer(script, wire, reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            script.closed += 1
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        port = server.sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}" + ("" if wire == "anthropic" else "/v1")
    finally:
        server.close()
        for writer in writers:
            writer.transport.abort()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _answer(
    script: Script,
    wire: str,
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
) -> None:
    asked = await _read(reader)
    answer = script.refuse(asked, refused) if (refused := refusal_of(wire, asked.body)) else script.take(asked)
    if isinstance(answer, Refusal):
        if answer.gate is not None:
            await _stay(reader, answer.gate)
        writer.write(_refused(answer))
        await writer.drain()
        script.whole += 1
        return
    try:
        await _pause(reader, answer.delay)
        writer.write(HEAD.encode())
        if answer.ends != "mute":
            pieces = with_beats(with_raw(WIRES[wire](answer, asked.body), answer.raw), BEATS[wire])
            await _tell(script, asked, answer, pieces, reader, writer)
        await _end(script, answer, BEATS[wire], reader, writer)
    finally:
        script.over(asked)


async def _tell(
    script: Script,
    asked: Asked,
    answer: Answer,
    pieces: Iterator[str],
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
) -> None:
    for n, event in enumerate(pieces):
        if n == 1 and answer.gate is not None:
            await _stay(reader, answer.gate)
        _write(writer, event)
        script.wrote(asked)
        await writer.drain()
        await _pause(reader, answer.pause)


async def _end(
    script: Script, answer: Answer, beat: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    while answer.ends in ("stalled", "mute"):  # until the client leaves
        await _pause(reader, BEAT_SECONDS)
        _write(writer, beat)
        await writer.drain()
    if answer.ends == "cut":
        await _pause(reader, 0.01)  # what was written is read before the connection is gone
        writer.transport.abort()
        return
    writer.write(b"0\r\n\r\n")
    await writer.drain()
    script.whole += 1


def _write(writer: asyncio.StreamWriter, text: str) -> None:
    if text:  # a chunk without a byte would be the last
        body = text.encode()
        writer.write(f"{len(body):x}\r\n".encode() + body + b"\r\n")


async def _read(reader: asyncio.StreamReader) -> Asked:
    first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().splitlines()
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    body = await reader.readexactly(int(headers["content-length"]))
    return Asked(first.split(" ")[1], headers, cast(dict[str, Any], loads(body)))


async def _pause(reader: asyncio.StreamReader, seconds: float) -> None:
    """Wait, unless the client leaves."""
    if not seconds:
        await asyncio.sleep(0)
        if reader.at_eof():
            raise ConnectionError
        return
    try:
        async with asyncio.timeout(seconds):
            await reader.read(1)
    except TimeoutError:
        return
    raise ConnectionError


async def _stay(reader: asyncio.StreamReader, gate: asyncio.Event) -> None:
    """Wait for the gate, unless the client leaves."""
    opened, left = asyncio.create_task(gate.wait()), asyncio.create_task(reader.read(1))
    try:
        await asyncio.wait([opened, left], return_when=asyncio.FIRST_COMPLETED)
        if not opened.done():
            raise ConnectionError
    finally:
        await end_tasks(opened, left)


def _refused(refusal: Refusal) -> bytes:
    body = dumps(refusal.body).encode()
    headers = {"Content-Type": "application/json", "Content-Length": str(len(body)), "Connection": "close"}
    lines = "".join(f"{name}: {value}\r\n" for name, value in (headers | refusal.headers).items())
    return f"HTTP/1.1 {refusal.status} No\r\n{lines}\r\n".encode() + body
