"""XML as a small tree, read without doing what a hostile document asks for.

Entities that a document declares are refused (they multiply), and nothing it names is fetched.
"""

from dataclasses import dataclass, field
from xml.parsers import expat

MAX_DEPTH = 100


class BadXml(ValueError):
    """The text cannot be read as XML; the words are for the user."""


@dataclass(slots=True)
class Element:
    """A tag with what stands in it; names as they are written, prefix included."""

    name: str
    attributes: dict[str, str] = field(default_factory=dict[str, str])
    children: list["Element"] = field(default_factory=list["Element"])
    texts: list[str] = field(default_factory=list[str])

    @property
    def text(self) -> str:
        """Its own text, without margins and without that of its children."""
        return "".join(self.texts).strip()

    def first(self, *names: str) -> "Element | None":
        """The first child of the first of these names that there is."""
        return next((child for name in names for child in self.children if child.name == name), None)


def parse_document(content: bytes | str) -> Element:
    """The root of a whole document. Raises `BadXml`."""
    top = _Reader().read([content])
    return top.children[0]


def parse_fragments(text: str) -> Element:
    """A nameless element around any number of roots. Raises `BadXml`."""
    if text.lstrip().startswith("<?xml"):
        text = text.partition("?>")[2]
    # One more element around it lets there be several roots; it cannot be closed early without a complaint.
    return _Reader().read(["<_>", text, "</_>"]).children[0]


class _Reader:
    def __init__(self) -> None:
        self._open = [Element("")]
        parser = self._parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.EntityDeclHandler = self._declares

    def read(self, parts: list[bytes | str]) -> Element:
        try:
            for part in parts:
                self._parser.Parse(part, False)
            self._parser.Parse(b"", True)
        except expat.ExpatError as fault:
            raise BadXml(f"not XML: {expat.ErrorString(fault.code)} (line {fault.lineno})") from fault
        except (UnicodeError, LookupError) as fault:
            raise BadXml("not XML: its characters cannot be read") from fault
        return self._open[0]

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if len(self._open) > MAX_DEPTH:
            raise BadXml(f"nested deeper than {MAX_DEPTH} levels")
        element = Element(name, attributes)
        self._open[-1].children.append(element)
        self._open.append(element)

    def _end(self, name: str) -> None:
        self._open.pop()

    def _text(self, text: str) -> None:
        self._open[-1].texts.append(text)

    def _declares(self, *declared: object) -> None:
        raise BadXml("it declares entities, which are not allowed")
