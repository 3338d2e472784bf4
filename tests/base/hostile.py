"""Addresses that nothing of ours may go to, and a server that notices when something does."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

Answer = Callable[[str, dict[str, str]], bytes | Awaitable[bytes]]


def http(status: int, body: bytes = b"", **headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status} X", f"Content-Length: {len(body)}", "Connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


@dataclass
class Listener:
    """A server on the loopback that counts connections and keeps what it was asked."""

    port: int = 0
    connections: int = 0
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list[tuple[str, dict[str, str]]])
    answer: Answer = field(default=lambda path, headers: http(200, b"ok"))

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:] if line)}
            await reader.readexactly(int(headers.get("content-length", "0")))
            self.asked.append((head[0].rpartition(" ")[0], headers))
            made = self.answer(head[0].split(" ")[1], headers)
            writer.write(made if isinstance(made, bytes) else await made)
            await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the client hung up, which is what some tests are about
        finally:
            writer.close()


HOSTILE_HOSTS = [
    "127.0.0.1",
    "127.1",
    "127.0.0.1.",
    "0.0.0.0",
    "0",
    "2130706433",
    "0x7f000001",
    "0x7f.0.0.1",
    "0177.0.0.1",
    "017700000001",
    "10.1.2.3",
    "172.16.0.1",
    "192.168.1.1",
    "100.64.0.1",
    "169.254.169.254",
    "192.0.0.192",
    "198.18.0.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "①②⑦.⓪.⓪.①",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[64:ff9b:1::7f00:1]",
    "[2002:7f00:1::]",
    "[2001:0:7f00:1::]",
    "[fe80::1]",
    "[fc00::1]",
    "[fec0::1]",
    "[ff02::1]",
    "[2001:db8::1]",
    "user:secret@127.0.0.1",
    "user@93.184.216.34",
]

NOT_HTTP = [
    "file:///etc/passwd",
    "gopher://127.0.0.1:70/_x",
    "ftp://example.com/a",
    "data:text/plain,hi",
    "javascript:alert(1)",
    "//example.com",
    "example.com",
    "http://",
    "http:///path",
    "",
    "http://exa mple.com/",
    "http://[::1",
    "http://example.com:99999/",
    "http://example.com:0/",
    "unix:///var/run/docker.sock",
]
