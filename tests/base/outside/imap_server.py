"""A mailbox on loopback that speaks as much of IMAP4rev1 as a reader needs, and marks what is really read."""

import asyncio
import base64
import re
import ssl
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import date, datetime

USER, PASSWORD = "me@mail.test", "pass-canary-99"


@dataclass(slots=True)
class Mail:
    """One mail of a folder."""

    uid: int
    content: bytes
    day: date = date(2026, 1, 1)
    seen: bool = False


@dataclass(slots=True)
class Mailbox:
    """Folders by the name that travels, and what was said."""

    port: int = 0
    folders: dict[str, list[Mail]] = field(default_factory=dict[str, list[Mail]])
    plain: bool = True  # AUTHENTICATE PLAIN; else LOGIN only
    lies: int = 0  # so many bytes it announces for a mail of its own accord
    said: list[str] = field(default_factory=list[str])
    connections: int = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            writer.write(b"* OK ready\r\n")
            await _Talk(self, reader, writer).go()
        except (asyncio.IncompleteReadError, ConnectionError, ssl.SSLError):
            return  # the reader has gone
        finally:
            writer.close()


@dataclass(slots=True)
class _Talk:
    box: Mailbox
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    mails: list[Mail] = field(default_factory=list[Mail])
    only_looks: bool = False

    async def go(self) -> None:
        while True:
            line = (await self.reader.readuntil(b"\r\n")).decode().rstrip()
            tag, _, said = line.partition(" ")
            self.box.said.append(said)
            verb = said.partition(" ")[0].upper()
            ended = await getattr(self, f"do_{verb.lower()}")(said)
            self.writer.write(f"{tag} {ended}\r\n".encode())
            await self.writer.drain()
            if verb == "LOGOUT":
                return

    async def do_capability(self, said: str) -> str:
        self.writer.write(b"* CAPABILITY IMAP4rev1" + (b" AUTH=PLAIN" if self.box.plain else b"") + b"\r\n")
        return "OK done"

    async def do_authenticate(self, said: str) -> str:
        self.writer.write(b"+ \r\n")
        await self.writer.drain()
        told = base64.b64decode(await self.reader.readuntil(b"\r\n")).decode().split("\0")
        return "OK welcome" if told == ["", USER, PASSWORD] else "NO [AUTHENTICATIONFAILED] who are you"

    async def do_login(self, said: str) -> str:
        return "OK welcome" if said == f'LOGIN {USER} "{PASSWORD}"' else f"NO not {said}"

    async def do_select(self, said: str) -> str:
        return self._open(said, only_looks=False)

    async def do_examine(self, said: str) -> str:
        return self._open(said, only_looks=True)

    def _open(self, said: str, *, only_looks: bool) -> str:
        name = said.partition(" ")[2].strip('"')
        if name not in self.box.folders:
            return "NO no such mailbox"
        self.mails, self.only_looks = self.box.folders[name], only_looks
        self.writer.write(f"* {len(self.mails)} EXISTS\r\n".encode())
        return "OK [READ-ONLY] open" if only_looks else "OK [READ-WRITE] open"

    async def do_uid(self, said: str) -> str:
        return self._search(said) if said.upper().startswith("UID SEARCH") else self._fetch(said)

    def _search(self, said: str) -> str:
        since = re.search(r"SINCE (\S+)", said)
        day = datetime.strptime(since[1], "%d-%b-%Y").date() if since else date.min  # noqa: DTZ007  a day has no zone
        fit = [mail for mail in self.mails if mail.day >= day and not ("UNSEEN" in said and mail.seen)]
        self.writer.write(f"* SEARCH {' '.join(str(mail.uid) for mail in fit)}\r\n".encode())
        return "OK done"

    def _fetch(self, said: str) -> str:
        found = re.search(r"FETCH (\d+) \(.*BODY(\.PEEK)?\[\](?:<0\.(\d+)>)?\)", said)
        assert found is not None, said
        for number, mail in enumerate(self.mails, 1):
            if mail.uid == int(found[1]):
                mail.seen = mail.seen or not (found[2] or self.only_looks)
                part = mail.content[: int(found[3] or len(mail.content))]
                flags = r"\Seen" if mail.seen else ""
                size = self.box.lies or len(part)
                told = f"* {number} FETCH (UID {mail.uid} FLAGS ({flags}) RFC822.SIZE {len(mail.content)} BODY[]<0> "
                self.writer.write(f"{told}{{{size}}}\r\n".encode() + part + b")\r\n")
        return "OK done"

    async def do_logout(self, said: str) -> str:
        self.writer.write(b"* BYE\r\n")
        return "OK done"


@asynccontextmanager
async def imap_server(tls: ssl.SSLContext) -> AsyncGenerator[Mailbox]:
    box = Mailbox(folders={"INBOX": []})
    server = await asyncio.start_server(box.serve, "127.0.0.1", 0, ssl=tls)
    box.port = server.sockets[0].getsockname()[1]
    async with server:
        yield box
