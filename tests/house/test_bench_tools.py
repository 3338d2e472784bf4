"""What the bench measures with: a database's work is seen, and a caller outlasts a server that hangs up."""

import asyncio
from pathlib import Path

import pytest

from bench.load import Ask
from bench.meter import Spent, metered
from bench.report import NotMeasured
from bench.site import Site
from bench.wire import lines_to
from tests.conftest import MakePostgres
from tests.faults.place import Place

WORK = "select count(*) from generate_series(1, 300000)"


@pytest.mark.scaled
async def test_the_work_of_postgresql_is_counted(tmp_path: Path, private_postgres: MakePostgres):
    server = private_postgres()
    house, spent = Site("", [], [], Place(tmp_path, database_url=server.url), server.pid), Spent()
    reader = house.place.reader()
    await reader.rows("select 1")
    with metered(house, spent):
        await reader.rows(WORK)
    await reader.close()
    assert spent.database > 5  # milliseconds; others may have asked it for something, too
    assert spent.ours == 0


async def test_a_postgresql_that_cannot_be_looked_into_is_not_taken_for_idle(tmp_path: Path):
    house = Site("", [], [], Place(tmp_path, database_url="postgresql://elsewhere/db"))
    with pytest.raises(NotMeasured, match="cannot be seen"), metered(house, Spent()):
        pass


async def test_a_caller_opens_a_new_line_when_the_server_has_hung_up():
    lines_seen = 0

    async def answer_once(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal lines_seen
        lines_seen += 1
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
        writer.close()

    async with await asyncio.start_server(answer_once, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        async with lines_to(Ask(f"http://127.0.0.1:{port}/")) as (lines, request):
            for number in (1, 2, 3):
                assert (await lines.call(request)).body == b"hi"
                await asyncio.sleep(0.02)
                assert lines_seen == number
