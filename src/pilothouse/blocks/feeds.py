"""News that others publish."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Annotated, Self

from pydantic import Field

from pilothouse.blocks.beside import beside
from pilothouse.blocks.contract import (
    AnyJson,
    BlockContext,
    BlockInput,
    BlockOutput,
    Category,
    Effects,
    Example,
    block,
    reply,
)
from pilothouse.blocks.feed_entries import FeedEntry, read_feed
from pilothouse.blocks.xml_tree import BadXml
from pilothouse.graph.json_schema import as_list, as_object
from pilothouse.kit.errors import UpstreamError
from pilothouse.kit.json import Json, JsonObject
from pilothouse.kit.upstream import refuse_passing

MAX_FEED = 10_000_000
SELDOM = 1_000_000_000  # seconds; whoever waits longer waits for ever, and no calendar ends before
REMEMBERED = 5_000  # entries that a run knows it has seen, and all that the feed still has
RSS = """<rss version="2.0"><channel><title>News</title>
<item><title>New</title><link>https://example.com/2</link><description>Fresh.</description>
<pubDate>Thu, 01 Jan 2026 11:00:00 GMT</pubDate><author>Ada</author><category>tech</category></item>
<item><title>Old</title><link>https://example.com/1</link><pubDate>Mon, 01 Dec 2025 11:00:00 GMT</pubDate></item>
</channel></rss>"""
NEW: JsonObject = {
    "title": "New",
    "link": "https://example.com/2",
    "description": "Fresh.",
    "pub_date": "2026-01-01T11:00:00+00:00",
    "author": "Ada",
    "categories": ["tech"],
}


class BadFeed(Exception):
    """The feed did not answer as one."""


class ReadRssFeedIn(BlockInput):
    rss_url: Annotated[str, Field(description="Address of an RSS or Atom feed.", json_schema_extra={"address": "url"})]
    time_period: Annotated[int, Field(ge=0, description="Minutes to look back at the start.")] = 1440
    polling_rate: Annotated[int, Field(ge=1, description="Seconds between two looks.")]
    run_continuously: Annotated[bool, Field(description="Go on looking until the run is cancelled.")] = True


class ReadRssFeedOut(BlockOutput):
    entry: dict[str, AnyJson] | None = None
    entries: list[dict[str, AnyJson]] | None = None


@dataclass(slots=True)
class Polling:
    """What a step knows from one look to the next."""

    laps: int = 0
    since: str = ""  # of the first look
    seen: dict[str, None] = field(default_factory=dict[str, None])  # those of the latest look come last
    room: int = REMEMBERED

    @classmethod
    def read(cls, kept: Json) -> Self:
        told = as_object(kept)
        laps, since = told.get("laps"), told.get("since")
        marks = dict.fromkeys(str(mark) for mark in as_list(told.get("seen")))
        return cls(laps if isinstance(laps, int) else 0, since if isinstance(since, str) else "", marks)

    def written(self) -> JsonObject:
        seen: list[Json] = [*self.seen]
        return {"laps": self.laps, "since": self.since, "seen": seen[-self.room :]}

    def new_among(self, entries: list[FeedEntry]) -> list[FeedEntry]:
        """Those that are not too old and were not seen; from now on they are, for as long as the feed has them."""
        since = datetime.fromisoformat(self.since)
        fresh: list[FeedEntry] = []
        for entry in entries:
            if entry.pub_date is None or entry.pub_date >= since:
                mark = entry.mark()
                if mark in self.seen:
                    del self.seen[mark]  # to the end with it
                else:
                    fresh.append(entry)
                self.seen[mark] = None
        self.room = max(REMEMBERED, len(entries) or len(self.seen))  # a look that failed forgets nothing
        return fresh


@block(
    id="5ebe6768-8e5d-41e3-9134-1c7bd89a8d52",
    name="Read RSS feed",
    categories={Category.INPUT},
    effects=Effects.READS,
    streams=False,  # what a look found is committed with the wait for the next, so that no entry comes twice
    happy_pins=("entry", "entries"),
    examples=[
        Example(
            ask={"rss_url": "https://example.com/rss", "polling_rate": 300, "run_continuously": False},
            http=[reply(200, RSS)],
            fires=[("entry", NEW), ("entries", [NEW])],
        ),
        Example(
            ask={"rss_url": "https://example.com/rss", "polling_rate": 1, "time_period": 1, "run_continuously": False},
            http=[reply(200, RSS)],
            fires=[("entries", [])],
        ),
        Example(
            ask={"rss_url": "https://example.com/rss", "polling_rate": 1},
            http=[reply(200, "<html></html>")],
            fires=[("error", "this is no feed")],
        ),
        Example(
            ask={"rss_url": "https://example.com/rss", "polling_rate": 1},
            http=[reply(404, "")],
            fires=[("error", "the feed answered with status 404")],
        ),
        Example(
            ask={"rss_url": "https://example.com/rss", "polling_rate": 1},
            http=[reply(500, "")],
            fails="upstream_failed",
        ),
    ],
)
async def read_rss_feed(ask: ReadRssFeedIn, ctx: BlockContext) -> AsyncIterator[ReadRssFeedOut]:
    """Hand on what a feed published lately, and go on looking for more. Each entry comes once in a run."""
    polling = await begun(ask, ctx)
    while True:
        try:
            found = await fetched(ask.rss_url, ctx)
        except (BadFeed, BadXml, UpstreamError) as fault:
            if not polling.laps and isinstance(fault, UpstreamError):
                raise  # the step's policy says whether it is tried again
            if not polling.laps:
                yield ReadRssFeedOut(error=str(fault))
                return
            ctx.log.warning("the feed could not be read this time")
            found = []  # one bad answer does not end what goes on for weeks
        fresh = [entry.told() for entry in polling.new_among(found)]
        for entry in fresh:
            yield ReadRssFeedOut(entry=entry)
        if fresh or not ask.run_continuously:
            yield ReadRssFeedOut(entries=fresh)
        if not ask.run_continuously:
            return
        polling.laps += 1
        await ctx.wait_timer(ctx.now() + timedelta(seconds=min(ask.polling_rate, SELDOM)), keep=polling.written())


async def begun(ask: ReadRssFeedIn, ctx: BlockContext) -> Polling:
    """Where this step is: after a wait it goes on from what it kept, behind the laps that are over."""
    if ctx.kept is None:
        return Polling(since=(ctx.now() - timedelta(minutes=min(ask.time_period, 10_000_000))).isoformat())
    polling = Polling.read(ctx.kept)
    await ctx.wait_timer(ctx.now())  # the wait with which it was kept: it is over, and returns at once
    return polling


async def fetched(url: str, ctx: BlockContext) -> list[FeedEntry]:
    """Raises `BadFeed`, `BadXml` or `UpstreamError` with words for the user."""
    answer = await ctx.http.request("GET", url, max_bytes=MAX_FEED)
    if answer.status >= 400:
        told = f"the feed answered with status {answer.status}"
        refuse_passing(answer.status, answer.headers, told)
        raise BadFeed(told)
    return await beside(len(answer.content), lambda: read_feed(answer.content))
