"""ReadRSSFeed polls durably: through restarts, and no entry comes twice in a run."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from pilothouse.app.house import open_house
from pilothouse.features.runs import RunEvents
from pilothouse.kit.ids import RunId
from pilothouse.kit.json import JsonObject
from tests.base.waiting import until
from tests.databases import fresh_sqlite
from tests.features.runs import graphs
from tests.features.runs.graphs import graph, link, node
from tests.features.runs.installations import settings_for
from tests.features.runs.stand import open_installation, stamp

READ_FEED = "5ebe6768-8e5d-41e3-9134-1c7bd89a8d52"


class Feed:
    """A feed that grows by an entry whenever it is read, and once answers nonsense."""

    def __init__(self) -> None:
        self.reads = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        self.reads += 1
        shown = range(self.reads, max(0, self.reads - 3), -1)  # the newest three, so old ones come again and again
        items = "".join(f"<item><title>{n}</title><link>https://e.com/{n}</link></item>" for n in shown)
        body = "oops" if self.reads == 3 else f"<rss><channel>{items}</channel></rss>"
        writer.write(f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}".encode())
        await writer.drain()
        writer.close()


@asynccontextmanager
async def serving(feed: Feed) -> AsyncGenerator[str]:
    async with await asyncio.start_server(feed.serve, "127.0.0.1", 0) as server:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def until_read(feed: Feed, times: int) -> None:
    async with asyncio.timeout(30):
        while feed.reads < times:
            await asyncio.sleep(0.02)


async def test_polling_goes_on_after_a_restart_and_repeats_nothing(tmp_path: Path):
    feed = Feed()
    with fresh_sqlite(tmp_path) as url:
        await stamp(url)
        async with serving(feed) as address:
            settings = settings_for(tmp_path, egress_allow=address)
            document = graph(
                "Watches",
                [
                    node("feed", READ_FEED, rss_url=f"http://{address}/rss", polling_rate=1),
                    node("one", graphs.OUTPUT, name="one"),
                    node("all", graphs.OUTPUT, name="all"),
                ],
                [link("feed", "entry_#_title", "one", "value"), link("feed", "entries", "all", "value")],
            )
            async with open_installation(settings) as first, first.stand() as stand:
                run = await stand.start(await stand.agent(document))
                await until_read(feed, 2)
                assert (await stand.reaches(run["id"], "waiting"))["ended_at"] is None
                ((owner,),) = await stand.rows("select owner from jobs where id=?1", run["id"])
                assert owner is None
                ann = stand.ann.actor
            async with open_house(settings, serves=True) as house:
                await house.begin_work()
                log = RunEvents(house.reader, house.fanout, house.plans)
                _, plan = await log.open(ann, RunId(run["id"]), 0)
                await until_read(feed, 4)
                events: list[JsonObject] = []

                async def caught_up() -> bool:
                    events[:] = await log.read(RunId(run["id"]), plan, 0, 1000)
                    return any(event.get("value") == "3" for event in events)

                await until(caught_up)
                await house.end_work()
    outputs = [event for event in events if event["type"] == "run.output"]
    assert [event["value"] for event in outputs if event["name"] == "one"] == ["1", "2", "4", "3"]
    lists = [event["value"] for event in outputs if event["name"] == "all"]
    assert [len(found) for found in lists if isinstance(found, list)] == [1, 1, 2]  # the third answer was nonsense
