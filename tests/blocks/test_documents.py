"""XML, feeds, pages and tables, also those that mean harm."""

import asyncio
import tracemalloc
from datetime import UTC, datetime

import pytest

from pilothouse.blocks.contract import reply
from pilothouse.blocks.feed_entries import FeedEntry, read_feed
from pilothouse.blocks.feeds import REMEMBERED, Polling
from pilothouse.blocks.readable import Page
from pilothouse.blocks.rehearsal import PreparedHttp, Rehearsal
from pilothouse.blocks.xml_tree import BadXml, parse_document
from pilothouse.graph.catalogue import Effects
from pilothouse.graph.json_schema import as_list
from pilothouse.kit.json import Json
from tests.blocks.playing import BY_NAME, REGISTRY, error_of, run

LAUGHS = (
    '<!DOCTYPE a [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">'
    '<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]><a>&c;</a>'
)
QUADRATIC = f'<!DOCTYPE a [<!ENTITY a "{"x" * 50_000}">]><a>{"&a;" * 50_000}</a>'
STRANGER = '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'


@pytest.mark.parametrize("document", [LAUGHS, QUADRATIC, STRANGER])
async def test_entities_that_a_document_declares_are_refused(document: str):
    """security: neither multiplied nor fetched."""
    tracemalloc.start()
    with pytest.raises(BadXml, match="declares entities"):
        parse_document(document)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 5_000_000
    assert "error" in dict(await run("XML parser", input_xml=document))


async def test_a_document_type_alone_is_let_pass():
    assert parse_document('<!DOCTYPE rss PUBLIC "-//x" "http://example.com/x.dtd"><rss/>').name == "rss"


@pytest.mark.parametrize(
    ("xml", "parsed"),
    [
        ("<a>x &amp; y</a>", {"a": "x & y"}),
        ("<a>\n  <b>1</b>\n</a>\n<a/>", [{"a": {"b": "1"}}, {"a": ""}]),
        ("<a><![CDATA[<b>]]></a>", {"a": "<b>"}),
        ('<a id="1"><b/></a>', {"a": {"b": ""}}),
        ("<!-- hi --><a>1</a>", {"a": "1"}),
        ("<a><b><c>1</c></b><b><c>2</c></b></a>", {"a": [{"b": {"c": "1"}}, {"b": {"c": "2"}}]}),
    ],
)
async def test_xml_becomes_data(xml: str, parsed: Json):
    assert await run("XML parser", input_xml=xml) == [("parsed_xml", parsed)]


@pytest.mark.parametrize("xml", ["", "<a>", "<a></b>", "</_><_>", "<a>&nbsp;</a>", "a < b", "<?xml"])
async def test_what_is_no_xml_is_an_error(xml: str):
    assert (await error_of("XML parser", input_xml=xml)).startswith("not XML")


async def test_xml_has_bounds():
    assert await error_of("XML parser", input_xml="<a>" + "x" * 10_000_000 + "</a>") == "the text is larger than 10 MB"
    assert "nested deeper" in await error_of("XML parser", input_xml="<a>" * 200 + "</a>" * 200)


async def test_a_large_document_keeps_nobody_waiting():
    """It is read beside the loop, which goes on meanwhile."""
    ticks = 0

    async def watch() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.001)
            ticks += 1

    watching = asyncio.create_task(watch())
    ((pin, _),) = await run("XML parser", input_xml="<a>" + "<b>1</b>" * 100_000 + "</a>")
    watching.cancel()
    assert pin == "parsed_xml"
    assert ticks >= 5


ATOM = """<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title>
<entry><title>Hi</title><id>urn:1</id><link rel="edit" href="https://e.com/edit"/><link href="https://e.com/1"/>
<summary>Sum</summary><updated>2026-01-01T10:00:00+01:00</updated><author><name>Ada</name></author>
<category term="a"/><category term="b"/></entry>
<entry><title>No date</title><id>urn:2</id></entry></feed>"""
RDF = """<rdf:RDF xmlns:rdf="r" xmlns:dc="d"><channel/><item><title>A &amp;amp; B</title><link>https://e.com/2</link>
<dc:creator>Bo</dc:creator><dc:date>2026-01-02T00:00:00Z</dc:date><dc:subject>s</dc:subject></item></rdf:RDF>"""


def test_atom_is_read():
    first, second = read_feed(ATOM.encode())
    assert (first.title, first.link, first.description, first.author) == ("Hi", "https://e.com/1", "Sum", "Ada")
    assert (first.pub_date, first.categories) == (datetime(2026, 1, 1, 9, tzinfo=UTC), ["a", "b"])
    assert (second.link, second.pub_date) == ("urn:2", None)


def test_rdf_is_read():
    (only,) = read_feed(RDF.encode())
    assert (only.title, only.author, only.categories) == ("A & B", "Bo", ["s"])
    assert only.pub_date == datetime(2026, 1, 2, tzinfo=UTC)


def test_a_feed_says_its_own_encoding():
    text = '<?xml version="1.0" encoding="iso-8859-1"?><rss><channel><item><title>Ü</title></item></channel></rss>'
    assert read_feed(text.encode("iso-8859-1"))[0].title == "Ü"


@pytest.mark.parametrize("content", [b"", b"<html/>", b"\xff\xfe\x00", LAUGHS.encode(), b"<rss"])
def test_what_is_no_feed_is_told(content: bytes):
    with pytest.raises(BadXml):
        read_feed(content)


def news(numbers: range) -> list[FeedEntry]:
    return [FeedEntry(str(n), f"https://e.com/{n}", "", None, "", []) for n in numbers]


def test_no_entry_of_a_long_feed_is_taken_for_a_new_one():
    polling = Polling(since="2026-01-01T00:00:00+00:00")
    assert len(polling.new_among(news(range(9_000)))) == 9_000
    for _ in range(3):
        polling = Polling.read(polling.written())
        assert polling.new_among([]) == []  # an answer that could not be read
        polling = Polling.read(polling.written())
        assert polling.new_among(news(range(9_000))) == []
    assert polling.new_among(news(range(8_999, 9_002))) == news(range(9_000, 9_002))


def test_what_a_feed_has_no_more_is_forgotten_in_the_end():
    polling = Polling(since="2026-01-01T00:00:00+00:00")
    for first in range(0, 9_000, 100):
        polling.new_among(news(range(first, first + 100)))
    assert len(as_list(polling.written()["seen"])) == REMEMBERED


def test_a_page_is_read_as_a_person_does():
    page = Page(
        """<html><head><title> A
        B </title><style>p{}</style></head><body><nav>Top</nav><h1>One</h1><p>Two<br>three &lt;&eacute;</p>
        <script>alert("<p>no</p>")</script><table><tr><td>1<td>2</tr></table><svg><text>no</text></svg>
        <a href="/x?a=1&amp;b=2#frag">X</a><a href="javascript:alert(1)">no</a><a href="http://[bad">no</a>
        <a href="/x?a=1&b=2">X again</a><a href="mailto:a@b.c">M</a></body>""",
        "https://e.com/dir/page",
    )
    assert page.title == "A B"
    assert page.text.split("\n") == ["Top", "One", "Two", "three <é", "1 2", "Xnono", "X againM"]
    assert page.links == ["https://e.com/x?a=1&b=2"]


def test_links_start_from_the_base_of_the_page():
    assert Page('<base href="https://other.com/a/"><a href="b">', "https://e.com/").links == ["https://other.com/a/b"]


@pytest.mark.parametrize("html", ["<script>never closed", "</p></div>", "<<<>>>", "<!--", "<a href=>x", "\0"])
def test_broken_pages_are_read_all_the_same(html: str):
    assert isinstance(Page(html, "https://e.com").text, str)


async def test_a_page_without_title_fires_none():
    stage = Rehearsal(http=PreparedHttp([reply(200, "<p>Hi</p>", content_type="text/html")]))
    assert await run("Fetch web page", stage, url="https://e.com") == [("text", "Hi"), ("links", [])]
    assert REGISTRY[BY_NAME["Fetch web page"]].effects is Effects.READS


async def test_the_topic_cannot_leave_its_place_in_the_address():
    stage = Rehearsal(http=PreparedHttp([reply(200, {"extract": "x"})]))
    await run("Get Wikipedia summary", stage, topic="../a?b#c/d e")
    (sent,) = stage.http.sent
    assert sent.url == "https://en.wikipedia.org/api/rest_v1/page/summary/..%2Fa%3Fb%23c%2Fd_e"


@pytest.mark.parametrize("body", ["not json", {}, {"extract": 5}, []])
async def test_an_answer_without_summary_is_an_error(body: str | dict[str, Json] | list[Json]):
    stage = Rehearsal(http=PreparedHttp([reply(200, body)]))
    assert await error_of("Get Wikipedia summary", stage, topic="a") == "Wikipedia's answer holds no summary"


@pytest.mark.parametrize(
    ("inputs", "rows"),
    [
        ({"contents": "a,b\r\n1,2\r\n\r\n"}, [{"a": "1", "b": "2"}]),
        ({"contents": 'a\n"two\nlines"'}, [{"a": "two\nlines"}]),
        ({"contents": "a,b\n1"}, [{"a": "1"}]),
        ({"contents": "a|b\n'x|y'|z", "delimiter": "|", "quotechar": "'"}, [{"a": "x|y", "b": "z"}]),
        ({"contents": "a\n1\\,2"}, [{"a": "1,2"}]),
        ({"contents": 'a\n"1', "quotechar": ""}, [{"a": '"1'}]),
        ({"contents": " a , b \n 1 , 2 ", "skip_columns": ["b"]}, [{"a": "1"}]),
        ({"contents": "1\n2\n3", "has_header": False, "skip_rows": 2}, [{"0": "3"}]),
        ({"contents": "a"}, []),
    ],
)
async def test_tables_are_read_as_text(inputs: dict[str, Json], rows: list[Json]):
    assert await run("Read spreadsheet", produce_singular_result=True, **inputs) == [("rows", rows)]
    assert await run("Read spreadsheet", **inputs) == [("row", row) for row in rows]


@pytest.mark.parametrize("inputs", [{"delimiter": ""}, {"delimiter": "ab"}, {"quotechar": "ab"}, {"escapechar": "xy"}])
async def test_marks_that_cannot_be_used_are_errors(inputs: dict[str, Json]):
    assert (await error_of("Read spreadsheet", contents="a,b\n1,2", **inputs)).startswith("cannot be read as a table")
