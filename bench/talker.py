"""A model that says the time, so many times a second: `python -m bench.talker <port> <rate> <seconds>`.

It speaks OpenAI's wire. Each piece is the moment at which it was sent, by a clock that all processes of a machine
share, so that whoever hears it knows how long it was on its way.
"""

import asyncio
import sys
import time
from collections.abc import Iterator

from pilothouse.kit.json import Json, JsonObject, dumps

WARM_UP = "warm up"  # a message that is answered in short
SHORT_SECONDS = 0.5
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"


def event(delta: JsonObject, finish: str | None = None, **more: Json) -> bytes:
    choice: JsonObject = {"index": 0, "delta": delta, "finish_reason": finish}
    chunk: JsonObject = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "clock"}
    body = f"data: {dumps({**chunk, 'choices': [choice], **more})}\n\n".encode()
    return b"%x\r\n%s\r\n" % (len(body), body)


def beats(rate: float, seconds: float) -> Iterator[float]:
    """When to speak. Whoever is late does not let the rest be late too."""
    begin = time.monotonic()
    for beat in range(int(rate * seconds)):
        yield begin + beat / rate


async def talk(writer: asyncio.StreamWriter, rate: float, seconds: float) -> None:
    writer.write(HEAD + event({"role": "assistant", "content": ""}))
    for moment in beats(rate, seconds):
        await asyncio.sleep(max(0.0, moment - time.monotonic()))
        writer.write(event({"content": f"{time.monotonic():.6f} "}))
    usage: Json = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    writer.write(event({}, "stop", usage=usage))
    done = b"data: [DONE]\n\n"
    writer.write(b"%x\r\n%s\r\n0\r\n\r\n" % (len(done), done))
    await writer.drain()


async def read(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
    return await reader.readexactly(int(length.partition(b":")[2]))


async def main(port: int, rate: float, seconds: float) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            asked = await read(reader)
            await talk(writer, rate, SHORT_SECONDS if WARM_UP.encode() in asked else seconds)
        except asyncio.IncompleteReadError:
            pass  # somebody only looked whether anybody is here
        finally:
            writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", port) as server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])))
