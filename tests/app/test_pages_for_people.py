"""Pages for those who build in the browser use the app's own words, and every link of the docs leads somewhere."""

import re
from pathlib import Path
from typing import cast

import pytest

from pilothouse.blocks.registry import Registry
from pilothouse.graph.operations import apply_operations
from pilothouse.graph.parse import parse
from pilothouse.kit.json import JsonObject, loads

ROOT = Path(__file__).resolve().parents[2]
DOCS, WEB = ROOT / "docs", ROOT / "web" / "src"
BUILDING = "how-to/build-an-agent-in-the-browser.md"
# Bold words on these pages are what the app shows; each of them says so at its top.
SPOKEN = (
    "start/first-agent.md",
    BUILDING,
    "how-to/run-and-debug.md",
    "how-to/keep-files-and-keys.md",
    "how-to/move-from-autogpt.md",
)
PAGES = sorted([*DOCS.rglob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"])
TEXT = re.compile(r"^  '([\w.]+)':\s+(?:'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\")", re.MULTILINE)


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def catalogue() -> dict[str, str]:
    """Every text of the app by its key."""
    texts = "".join(path.read_text(encoding="utf-8") for path in (WEB / "kit/english").glob("*.ts"))
    return {key: (one or other).replace("\\'", "'") for key, one, other in TEXT.findall(texts)}


def shown_words() -> set[str]:
    """All that the app may show, whole; of a text with gaps also what stands between them."""
    forms = [form for text in catalogue().values() for form in text.split(" | ")]
    parts = [part.strip(" ()") for form in forms for part in re.split(r"\{\w+\}", form)]
    blocks = [spec.name for spec in Registry().values()]
    sources = "".join(path.read_text(encoding="utf-8") for path in (WEB / "features").rglob("*.tsx"))
    literals = [words.strip() for words in re.findall(r">([^<>{}]+)<", sources)]
    return {*forms, *parts, *blocks, *literals, *re.findall(r'aria-label="([^"]+)"', sources)}


def bold(text: str) -> set[str]:
    without_code = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    return {" ".join(words.split()) for words in re.findall(r"\*\*(.+?)\*\*", without_code, re.DOTALL)}


def spoken_part(text: str) -> str:
    """The page from where it says what its bold words are."""
    return text.partition("**bold**")[2]


def test_what_the_pages_call_a_button_or_a_field_is_what_the_app_calls_it():
    shown = shown_words()
    for name in SPOKEN:
        words = spoken_part(page(name))
        if name.endswith("move-from-autogpt.md"):
            words = words.partition("## What stays the same")[0]  # from there on bold words are heads
        assert bold(words), name
        assert bold(words) - shown == set(), name


def rows(text: str, head: str) -> dict[str, str]:
    """The table below a line: first cell to second."""
    table = text.partition(head)[2].partition("\n|---|---|\n")[2].partition("\n\n")[0]
    return dict(re.findall(r"^\| (.+?) \| (.+?) \|$", table, re.MULTILINE))


def test_the_table_of_keys_is_the_list_that_the_app_shows():
    source = (WEB / "features/shell/Shortcuts.tsx").read_text(encoding="utf-8")
    words = catalogue()
    listed = re.findall(r"^  \[[`'](.+?)[`'], say\('([\w.]+)'\)\],$", source, re.MULTILINE)
    assert listed, "the app keeps its list elsewhere now"
    assert rows(page(BUILDING), "## Keys") == {keys.replace("${MOD}", "Ctrl"): words[key] for keys, key in listed}


def test_every_key_that_the_app_listens_to_is_on_the_page():
    text = page(BUILDING)
    told = {*rows(text, "## Keys"), *rows(text, "And in Build:")}
    heard = re.compile(r"useHotkey\(\{ key: '(.)'(, mod: true)?(?:, shift: (true|false))?")
    sources = "".join(path.read_text(encoding="utf-8") for path in WEB.rglob("*.tsx"))
    found = {
        f"{'Ctrl ' * bool(mod)}{'Shift ' * (shift == 'true')}{key.upper()}"
        for key, mod, shift in heard.findall(sources)
    }
    assert {"Ctrl F", "/"} <= found
    assert found - told == set()


def test_every_conversion_is_on_the_page():
    said = bold(page(BUILDING))
    made = {key: text for key, text in catalogue().items() if key.startswith("canvas.fit.")}
    rare = {"canvas.fit.no_way", "canvas.fit.depends"}  # a refusal has words of its own; some types do and some do not
    assert {key for key, text in made.items() if text not in said} == rare


def test_the_edit_that_renames_an_agent_does():
    (operations,) = re.findall(r"```json rename\n(.*?)```", page(BUILDING), re.DOTALL)
    before = parse(loads((DOCS / "start/greeting.json").read_text()))
    after = apply_operations(before, cast(list[JsonObject], loads(operations)), Registry()).document
    assert (after.name, after.description) == ("Letters to guests", "Writes to whoever comes aboard.")


def anchors(text: str) -> set[str]:
    """What headings are called in an address."""
    heads = re.findall(r"^#+ (.+)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE)
    plain = [re.sub(r"\[(.+?)\]\(.*?\)", r"\1", head).lower() for head in heads]
    return {re.sub(r"[^\w\- ]", "", head).replace(" ", "-") for head in plain}


@pytest.mark.parametrize("place", PAGES, ids=lambda place: str(place.relative_to(ROOT)))
def test_links_lead_somewhere(place: Path):
    text = re.sub(r"```.*?```|`[^`\n]*`", "", place.read_text(encoding="utf-8"), flags=re.DOTALL)
    for link in re.findall(r"\]\((?!https?:|mailto:)([^)\s]+)\)", text):
        path, _, anchor = link.partition("#")
        target = (place.parent / path).resolve() if path else place
        assert target.exists(), link
        if anchor:
            assert anchor in anchors(target.read_text(encoding="utf-8")), link


def test_every_page_is_in_its_index():
    for folder, index in (("how-to", "how-to/README.md"), ("explanation", "README.md")):
        told = page(index)
        names = [path.name for path in (DOCS / folder).glob("*.md") if path.name != "README.md"]
        assert [name for name in names if f"{name})" not in told] == [], folder
