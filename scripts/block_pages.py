"""The reference of blocks: a page per category, written from the index. `python -m scripts.block_pages [--check]`."""

import sys
from collections.abc import Iterator
from pathlib import Path

from pilothouse.blocks.contract import Category
from pilothouse.blocks.registry import Registry
from pilothouse.graph.catalogue import BlockSpec, Effects, Kind
from pilothouse.graph.fields import ERROR_PIN, is_credentials, properties, required
from pilothouse.graph.json_schema import as_list, as_object, members_of, resolve, types_of
from pilothouse.kit.json import JsonObject, dumps

PLACE = Path("docs/reference/blocks")
TITLES = {"AI": "AI", "CRM": "CRM"}
EFFECTS = {
    Effects.NONE: "none outside the run",
    Effects.READS: "looks outside; safe to repeat",
    Effects.WRITES: "changes something outside",
}


def expected() -> dict[Path, str]:
    """What each page should say. A block is described on the page of its first category and named on the others."""
    blocks = sorted(Registry().values(), key=lambda spec: spec.name.casefold())
    pages: dict[Path, str] = {}
    for category in Category:
        there = [spec for spec in blocks if category in spec.categories]
        if there:
            pages[PLACE / f"{category.lower()}.md"] = "\n".join(_page(category, there))
    pages[PLACE / "README.md"] = "\n".join(_contents(blocks))
    return pages


def _title(category: str) -> str:
    return TITLES.get(category) or category.replace("_", " ").capitalize()


def _contents(blocks: list[BlockSpec]) -> Iterator[str]:
    yield "# Blocks"
    yield ""
    yield f"{len(blocks)} blocks, by category. Written from the blocks themselves by `make docs-blocks`."
    for category in Category:
        there = [spec for spec in blocks if category in spec.categories]
        if there:
            yield ""
            yield f"## [{_title(category)}]({category.lower()}.md)"
            yield ""
            for spec in there:
                yield f"- {_link(spec)}: {_line(spec.description)}"
    yield ""


def _link(spec: BlockSpec) -> str:
    return f"[{spec.name}]({spec.categories[0].lower()}.md#{spec.name.lower().replace(' ', '-')})"


def _page(category: str, blocks: list[BlockSpec]) -> Iterator[str]:
    yield f"# {_title(category)}"
    yield ""
    yield "Written by `make docs-blocks`. A star marks required inputs; every block also has the output `error`."
    elsewhere = [spec for spec in blocks if spec.categories[0] != category]
    if elsewhere:
        yield ""
        yield f"Also here: {', '.join(_link(spec) for spec in elsewhere)}."
    for spec in blocks:
        if spec.categories[0] == category:
            yield from _block(spec)
    yield ""


def _block(spec: BlockSpec) -> Iterator[str]:
    yield ""
    yield f"## {spec.name}"
    yield ""
    yield spec.description
    yield ""
    yield f"`{spec.id}` · effects: {EFFECTS[spec.effects]}{''.join(f' · {mark}' for mark in _marks(spec))}"
    yield ""
    yield "| Input | Type | Default | |"
    yield "|---|---|---|---|"
    for pin, schema in properties(spec.inputs).items():
        if not is_credentials(pin):
            yield _input_row(pin, schema, spec)
    yield ""
    yield f"Outputs: {', '.join(_output(pin, schema, spec) for pin, schema in _outputs(spec))}."
    yield ""
    yield from _example(spec)


def _marks(spec: BlockSpec) -> Iterator[str]:
    if spec.kind is not Kind.STANDARD:
        yield f"kind: {spec.kind}"
    if spec.static_output:
        yield "static output"
    if spec.sensitive:
        yield "sensitive: may ask a person first"
    if spec.at_least_once:
        yield "may act twice after a crash"
    credentials = [pin for pin in properties(spec.inputs) if is_credentials(pin)]
    if credentials:
        yield f"credentials: {', '.join(f'`{pin}` ({_taken(spec, pin)})' for pin in credentials)}"


def _taken(spec: BlockSpec, pin: str) -> str:
    """Which credentials it takes: their types, and of whom."""
    schema = properties(spec.inputs)[pin]
    types, providers = as_list(schema.get("credentials_types")), as_list(schema.get("credentials_provider"))
    return f"{' or '.join(map(str, types)) or 'any'} of {' or '.join(map(str, providers))}"


def _input_row(pin: str, schema: JsonObject, spec: BlockSpec) -> str:
    star = "\\*" if pin in required(spec.inputs) else ""
    default = f"`{_cell(dumps(schema['default']))}`" if schema.get("default") is not None else ""
    told = _cell(str(schema.get("description", "")))
    return f"| `{pin}`{star} | {_type(schema, spec.inputs)} | {default} | {told} |"


def _outputs(spec: BlockSpec) -> list[tuple[str, JsonObject]]:
    return [(pin, schema) for pin, schema in properties(spec.outputs).items() if pin != ERROR_PIN]


def _output(pin: str, schema: JsonObject, spec: BlockSpec) -> str:
    return f"`{pin}` ({_type(schema, spec.outputs)})"


def _type(schema: JsonObject, root: JsonObject) -> str:
    """In words: `text or null` is just text, for what is not given is null."""
    schema = resolve(schema, root)
    if choices := as_list(schema.get("enum")):
        return " ".join(f"`{_cell(str(choice))}`" for choice in choices)
    if members := members_of(schema):
        names = [_type(member, root) for member in members if types_of(resolve(member, root)) != ["null"]]
        return " or ".join(name for name in dict.fromkeys(names) if name != "whole number" or "number" not in names)
    words = {"string": "text", "array": "list", "integer": "whole number", "boolean": "true or false"}
    kinds = types_of(schema)
    return " or ".join(words.get(kind, kind) for kind in kinds) or "anything"


def _example(spec: BlockSpec) -> Iterator[str]:
    example = spec.examples[0]
    yield "```"
    yield dumps(as_object(example.get("ask")))
    for pair in as_list(example.get("fires")):
        pin, value = as_list(pair)
        yield f"-> {pin}: {dumps(value)}"
    yield "```"


def _line(text: str) -> str:
    return text.partition("\n")[0]


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def stale() -> list[str]:
    """Pages that differ from what the blocks say, or that no category has any more."""
    pages = expected()
    there = set(PLACE.glob("*.md"))
    wrong = [path for path, text in pages.items() if path not in there or path.read_text(encoding="utf-8") != text]
    return sorted(str(path) for path in (*wrong, *(there - pages.keys())))


def write() -> None:
    """Write all pages; those of categories that are gone go too."""
    pages = expected()
    PLACE.mkdir(parents=True, exist_ok=True)
    for path in set(PLACE.glob("*.md")) - pages.keys():
        path.unlink()
    for path, text in pages.items():
        path.write_text(text, encoding="utf-8")


def main() -> int:
    if "--check" not in sys.argv:
        write()
        return 0
    wrong = stale()
    if wrong:
        print(f"stale pages of blocks: {', '.join(wrong)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
