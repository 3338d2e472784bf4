"""A web page as a person reads it: text, title and links, without scripts and styles. Pure."""

from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

_HIDDEN = frozenset({"script", "style", "noscript", "template", "svg", "head", "iframe", "object"})
_BREAKS = frozenset(
    {"p", "div", "br", "li", "ul", "ol", "tr", "table", "section", "article", "header", "footer", "main", "nav"}
    | {"h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "hr", "dt", "dd", "figure", "form", "aside"}
)
_APART = frozenset({"td", "th"})


class Page(HTMLParser):
    """Feed it HTML, however broken, then ask."""

    def __init__(self, html: str, address: str) -> None:
        super().__init__(convert_charrefs=True)
        self._parts: list[str] = []
        self._titles: list[str] = []
        self._links: dict[str, None] = {}
        self._hidden: list[str] = []
        self._in_title = False
        self._base = address
        self.feed(html)
        self.close()

    @property
    def text(self) -> str:
        """Lines without margins, at most one empty line between them."""
        lines = [" ".join(line.split()) for line in "".join(self._parts).split("\n")]
        return "\n".join(line for line in lines if line)

    @property
    def title(self) -> str:
        return " ".join("".join(self._titles).split())

    @property
    def links(self) -> list[str]:
        """Whole web addresses, each once, in order."""
        return list(self._links)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "title":
            self._in_title = True
        elif tag in _HIDDEN:
            self._hidden.append(tag)
        elif tag in _BREAKS:
            self._parts.append("\n")
        elif tag in _APART:
            self._parts.append(" ")
        if tag in ("a", "base"):
            self._take_address(tag, dict(attrs).get("href"))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _HIDDEN:
            self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if tag == "title":
            self._in_title = False
        elif tag in self._hidden:
            while self._hidden.pop() != tag:
                pass
        elif tag in _BREAKS:
            self._parts.append("\n")

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self._titles.append(data)
        elif not self._hidden:
            self._parts.append(data)

    def _take_address(self, tag: str, href: str | None) -> None:
        try:
            address = urljoin(self._base, (href or "").strip())
            scheme = urlsplit(address).scheme
        except ValueError:  # an address that is none
            return
        if not href or scheme not in ("http", "https"):
            return
        if tag == "base":
            self._base = address
        else:
            self._links.setdefault(address.partition("#")[0])
