"""A feed as entries: RSS in its dialects, and Atom. Pure."""

from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from html import unescape

from pilothouse.blocks.moments import BadMoment, read_moment
from pilothouse.blocks.xml_tree import BadXml, Element, parse_document
from pilothouse.kit.json import JsonObject


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """One piece of news."""

    title: str
    link: str
    description: str
    pub_date: datetime | None
    author: str
    categories: list[str]

    def told(self) -> JsonObject:
        """As JSON; the date as ISO 8601 in UTC."""
        return {
            "title": self.title,
            "link": self.link,
            "description": self.description,
            "pub_date": self.pub_date.isoformat() if self.pub_date else None,
            "author": self.author,
            "categories": [*self.categories],
        }

    def mark(self) -> str:
        """What tells it from others of the feed, short."""
        told = self.link or f"{self.title} {self.description}"
        return sha256(told.encode()).hexdigest()[:16]


def read_feed(content: bytes) -> list[FeedEntry]:
    """The entries in the order of the feed. Raises `BadXml`."""
    root = parse_document(content)
    kind = _local(root.name)
    if kind == "feed":
        return [_from_atom(child) for child in root.children if _local(child.name) == "entry"]
    if kind == "rss":
        channel = root.first("channel")
        return [_from_rss(child) for child in (channel.children if channel else []) if child.name == "item"]
    if kind == "RDF":
        return [_from_rss(child) for child in root.children if _local(child.name) == "item"]
    raise BadXml("this is no feed")


def _local(name: str) -> str:
    return name.rpartition(":")[2]


def _said(element: Element, *names: str) -> str:
    """The text of the first such child that says something."""
    return next((found.text for name in names if (found := element.first(name)) and found.text), "")


def _from_rss(item: Element) -> FeedEntry:
    return FeedEntry(
        title=unescape(_said(item, "title")),
        link=_said(item, "link") or _said(item, "guid"),
        description=_said(item, "description", "content:encoded"),
        pub_date=_moment(_said(item, "pubDate", "dc:date")),
        author=_said(item, "author", "dc:creator"),
        categories=[child.text for child in item.children if child.name in ("category", "dc:subject") and child.text],
    )


def _from_atom(entry: Element) -> FeedEntry:
    author = entry.first("author", "atom:author")
    return FeedEntry(
        title=_said(entry, "title", "atom:title"),
        link=_atom_link(entry),
        description=_said(entry, "summary", "content", "atom:summary", "atom:content"),
        pub_date=_moment(_said(entry, "published", "updated", "atom:published", "atom:updated")),
        author=_said(author, "name", "atom:name") if author else "",
        categories=[
            term
            for child in entry.children
            if _local(child.name) == "category" and (term := child.attributes.get("term"))
        ],
    )


def _atom_link(entry: Element) -> str:
    links = [child.attributes for child in entry.children if _local(child.name) == "link"]
    best = [link for link in links if link.get("rel", "alternate") == "alternate"] or links
    return best[0].get("href", "") if best else _said(entry, "id")


def _moment(text: str) -> datetime | None:
    try:
        return read_moment(text, None, UTC).astimezone(UTC) if text else None
    except (BadMoment, OverflowError):
        return None
