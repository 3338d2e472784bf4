"""Code out of text that explains it, as models write it: in fences of three backticks."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from pilothouse.blocks.contract import BlockContext, BlockInput, BlockOutput, Category, Effects, Example, block

_NAMES: dict[str, tuple[str, ...]] = {
    "html": ("htm",),
    "css": (),
    "javascript": ("js", "jsx", "node"),
    "python": ("py", "python3"),
    "sql": ("postgresql", "mysql", "sqlite"),
    "java": (),
    "cpp": ("c++", "cc", "cxx"),
    "csharp": ("c#", "cs"),
    "json_code": ("json",),
    "bash": ("sh", "shell", "zsh"),
    "php": (),
    "ruby": ("rb",),
    "yaml": ("yml",),
    "markdown": ("md",),
    "typescript": ("ts", "tsx"),
    "xml": ("svg",),
}
PIN_OF = {name: pin for pin, others in _NAMES.items() for name in (pin, *others)}
PIN_OF.pop("json_code")


class CodeExtractionIn(BlockInput):
    text: Annotated[str, Field(description="Text with fenced code.", json_schema_extra={"format": "long-text"})]


class CodeExtractionOut(BlockOutput):
    html: str | None = None
    css: str | None = None
    javascript: str | None = None
    python: str | None = None
    sql: str | None = None
    java: str | None = None
    cpp: str | None = None
    csharp: str | None = None
    json_code: str | None = None
    bash: str | None = None
    php: str | None = None
    ruby: str | None = None
    yaml: str | None = None
    markdown: str | None = None
    typescript: str | None = None
    xml: str | None = None
    remaining_text: str | None = None


@block(
    id="d3a7d896-3b78-4f44-8b4b-48fbf4f0bcd8",
    name="Code extraction",
    categories={Category.TEXT},
    effects=Effects.NONE,
    happy_pins=("python", "remaining_text"),
    examples=[
        Example(
            ask={"text": "Try:\n```python\nprint(1)\n```\nor\n```js\nlog(1)\n```\nDone."},
            fires=[("javascript", "log(1)"), ("python", "print(1)"), ("remaining_text", "Try:\nor\nDone.")],
        ),
        Example(
            ask={"text": "```py\na = 1\n```\n\n```Python\nb = 2\n```"},
            fires=[("python", "a = 1\n\nb = 2"), ("remaining_text", "")],
        ),
        Example(
            ask={"text": "```json\n{}\n```\n```rust\nfn main() {}\n```"},
            fires=[("json_code", "{}"), ("remaining_text", "```rust\nfn main() {}\n```")],
        ),
        Example(ask={"text": "No code"}, fires=[("remaining_text", "No code")]),
        Example(ask={"text": "```sql\nselect 1"}, fires=[("sql", "select 1"), ("remaining_text", "")]),
    ],
)
async def code_extraction(ask: CodeExtractionIn, ctx: BlockContext) -> CodeExtractionOut:
    """Take fenced code out of a text, by language; several pieces of one language come together."""
    found: dict[str, list[str]] = {}
    rest: list[str] = []
    for piece in pieces(ask.text):
        pin = PIN_OF.get(piece.language)
        if pin is None:
            rest.append(piece.source)
        else:
            found.setdefault(pin, []).append(piece.code)
    texts = {pin: "\n\n".join(parts) for pin, parts in found.items()}
    return CodeExtractionOut(**texts, remaining_text="\n".join(rest).strip())


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the text: fenced code with its language, or prose without one."""

    source: str
    language: str = ""
    code: str = ""


def pieces(text: str) -> list[Piece]:
    """Cut a text at its fences; a fence that is never closed goes on to the end."""
    made: list[Piece] = []
    lines = text.splitlines()
    start = 0
    while start < len(lines):
        ticks = fence(lines[start])
        end = start + 1
        if ticks:
            while end < len(lines) and lines[end].strip() != ticks:
                end += 1
            language = lines[start].strip().removeprefix(ticks).strip().split(" ")[0].lower()
            made.append(
                Piece("\n".join(lines[start : end + 1]), language, "\n".join(lines[start + 1 : end]).strip("\n"))
            )
            end += 1
        else:
            while end < len(lines) and not fence(lines[end]):
                end += 1
            made.append(Piece("\n".join(lines[start:end])))
        start = end
    return made


def fence(line: str) -> str:
    """The backticks that open a fence in this line, or nothing."""
    bare = line.strip()
    ticks = bare[: len(bare) - len(bare.lstrip("`"))]
    return ticks if len(ticks) >= 3 and "`" not in bare[len(ticks) :] else ""
