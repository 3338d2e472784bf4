"""Reading what is on the web."""

from typing import Annotated
from urllib.parse import quote

from pydantic import Field

from pilothouse.blocks.beside import beside
from pilothouse.blocks.contract import (
    BlockContext,
    BlockInput,
    BlockOutput,
    Category,
    Effects,
    Example,
    block,
    reply,
)
from pilothouse.blocks.readable import Page
from pilothouse.graph.json_schema import as_object
from pilothouse.kit.upstream import refuse_passing

MAX_PAGE = 5_000_000
_WIKIPEDIA = "https://en.wikipedia.org/api/rest_v1/page/summary/"
_HTML = ("text/html", "application/xhtml+xml", "")


class FetchWebPageIn(BlockInput):
    url: Annotated[str, Field(description="Address of a public page.", json_schema_extra={"address": "url"})]


class FetchWebPageOut(BlockOutput):
    text: str | None = None
    title: str | None = None
    links: list[str] | None = None


@block(
    id="b9525e75-1e2e-4f8a-b019-aa79e313f229",
    name="Fetch web page",
    categories={Category.SEARCH},
    effects=Effects.READS,
    happy_pins=("text", "title", "links"),
    examples=[
        Example(
            ask={"url": "https://example.com/a/"},
            http=[
                reply(
                    200,
                    '<title>Hi &amp; bye</title><script>x()</script><p>One <b>two</b></p><a href="../b#c">B</a>',
                    content_type="text/html; charset=utf-8",
                )
            ],
            fires=[("text", "One two\nB"), ("title", "Hi & bye"), ("links", ["https://example.com/b"])],
        ),
        Example(
            ask={"url": "https://example.com/a.txt"},
            http=[reply(200, "plain <text>", content_type="text/plain")],
            fires=[("text", "plain <text>"), ("links", [])],
        ),
        Example(
            ask={"url": "https://example.com"},
            http=[reply(404, "gone")],
            fires=[("error", "the page answered with status 404")],
        ),
        Example(ask={"url": "https://example.com"}, http=[reply(429, "", retry_after="30")], fails="upstream_failed"),
        Example(
            ask={"url": "https://example.com/a.png"},
            http=[reply(200, b"\x89PNG", content_type="image/png")],
            fires=[("error", "image/png is no page to read")],
        ),
    ],
)
async def fetch_web_page(ask: FetchWebPageIn, ctx: BlockContext) -> FetchWebPageOut:
    """Read a web page as text, with its title and links."""
    answer = await ctx.http.request("GET", ask.url, headers={"Accept": "text/html, text/*;q=0.9"}, max_bytes=MAX_PAGE)
    if answer.status >= 400:
        said = f"the page answered with status {answer.status}"
        refuse_passing(answer.status, answer.headers, said)
        return FetchWebPageOut(error=said)
    kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind in _HTML:
        return await beside(len(answer.content), lambda: told(Page(answer.text, answer.url)))
    if kind.startswith("text/") or kind.endswith(("json", "xml")):
        return FetchWebPageOut(text=answer.text, links=[])
    return FetchWebPageOut(error=f"{kind} is no page to read")


def told(page: Page) -> FetchWebPageOut:
    if page.title:
        return FetchWebPageOut(text=page.text, title=page.title, links=page.links)
    return FetchWebPageOut(text=page.text, links=page.links)


class GetWikipediaSummaryIn(BlockInput):
    topic: Annotated[str, Field(min_length=1, max_length=300, description="Title of an article.")]


class GetWikipediaSummaryOut(BlockOutput):
    summary: str | None = None


@block(
    id="f5b0f5d0-1862-4d61-94be-3ad0fa772760",
    name="Get Wikipedia summary",
    categories={Category.SEARCH},
    effects=Effects.READS,
    examples=[
        Example(
            ask={"topic": "Ada Lovelace"},
            http=[reply(200, {"extract": "Ada Lovelace was a mathematician."})],
            fires=[("summary", "Ada Lovelace was a mathematician.")],
        ),
        Example(
            ask={"topic": "Nobody at all"},
            http=[reply(404, {})],
            fires=[("error", "Wikipedia has no article of that name")],
        ),
        Example(ask={"topic": "Ada"}, http=[reply(503, "busy")], fails="upstream_failed"),
        Example(ask={"topic": "Ada"}, http=[reply(403, "no")], fires=[("error", "Wikipedia answered with status 403")]),
        Example(ask={"topic": ""}, fails="invalid_input"),
    ],
)
async def get_wikipedia_summary(ask: GetWikipediaSummaryIn, ctx: BlockContext) -> GetWikipediaSummaryOut:
    """Read the first lines of an article of the English Wikipedia."""
    title = quote(ask.topic.strip().replace(" ", "_"), safe="")
    answer = await ctx.http.request("GET", _WIKIPEDIA + title, headers={"Accept": "application/json"})
    if answer.status == 404:
        return GetWikipediaSummaryOut(error="Wikipedia has no article of that name")
    if answer.status != 200:
        said = f"Wikipedia answered with status {answer.status}"
        refuse_passing(answer.status, answer.headers, said)
        return GetWikipediaSummaryOut(error=said)
    try:
        summary = as_object(answer.json()).get("extract")
    except ValueError:
        summary = None
    if not isinstance(summary, str):
        return GetWikipediaSummaryOut(error="Wikipedia's answer holds no summary")
    return GetWikipediaSummaryOut(summary=summary)
