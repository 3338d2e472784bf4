"""`docs/start/first-agent.md`, done: its words are read from the page and typed, dragged and pressed as it says."""

import re
from typing import Final

from playwright.sync_api import Page, expect

from tests.app.commands import ROOT
from tests.browser.conftest import Visit, make_owner
from tests.browser.house import House
from tests.browser.test_canvas import drag, handle, middle

PAGE: Final = (ROOT / "docs/start/first-agent.md").read_text(encoding="utf-8")
GUEST, REPLACE, OUTPUT = "agent-short-text-input", "text-replace", "agent-output"


def test_the_first_agent_of_the_page_is_built_run_and_forked(house: House, visit: Visit) -> None:
    page, eyes = visit(house)
    make_owner(page, house)
    page.get_by_role("link", name="Build", exact=True).click()
    page.get_by_role("button", name="Blank agent").click()
    add_and_fill(page)
    connect(page)
    page.get_by_role("button", name="Save", exact=True).click()
    run(page)
    fork(page)
    eyes.saw_nothing_wrong()


def values() -> list[tuple[str, str, str]]:
    """Block, field and value of the page's table; a block stands in its first row only."""
    found = re.findall(r"^   \| (?:\*\*(.+?)\*\*)? ?\| `(.+?)` \| `(.+?)` \|$", PAGE, re.MULTILINE)
    assert len(found) == 4
    block = ""
    return [(block := name or block, field, value) for name, field, value in found]


def add_and_fill(page: Page) -> None:
    typed = re.findall(r"type\s`(.+?)`", PAGE)
    assert len(typed) == 3
    for words in typed:
        page.get_by_role("button", name="Block", exact=True).click()
        page.get_by_role("combobox", name="Add a block").fill(words)
        page.keyboard.press("Enter")
        expect(page.get_by_role("combobox", name="Add a block")).to_have_count(0)
    page.get_by_role("button", name="All blocks").click()
    for block, field, value in values():
        page.locator(".outline").get_by_role("button", name=block).click()
        page.get_by_label(field, exact=True).fill(value)
        page.get_by_role("button", name="All blocks").click()


def connect(page: Page) -> None:
    for source, out, target, pin in ((GUEST, "result", REPLACE, "new"), (REPLACE, "output", OUTPUT, "value")):
        assert f"`{pin}` of" in PAGE
        drag(page, handle(page, source, out, "source"), *middle(handle(page, target, pin, "target")))
        page.mouse.up()
    expect(page.locator(".react-flow__edge")).to_have_count(2)
    expect(page.get_by_role("region", name="Problems")).to_have_count(0)
    page.get_by_role("button", name="Arrange the blocks").click()
    page.get_by_role("button", name="Fit the whole agent").click()


def run(page: Page) -> None:
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("textbox", name="guest").fill("Ada")
    page.locator(".builder-panel").get_by_role("button", name="Run", exact=True).click()
    expect(page.locator(".outputs")).to_contain_text("Dear Ada, welcome aboard!")
    assert "`Dear Ada, welcome aboard!`" in PAGE
    expect(page.locator(".block-node .status")).to_have_text(["completed"] * 3)


def fork(page: Page) -> None:
    page.locator(".react-flow__node", has_text="Text replace").locator(".block-node-head").click()
    step = page.get_by_role("region", name="Result")
    for head in ("Outputs", "Inputs", "Attempts"):
        expect(step.get_by_role("heading", name=head)).to_be_visible()
    step.get_by_role("button", name="Fork with other inputs").click()
    (edited,) = re.findall(r"change `text` to\s+`(.+?)`", PAGE)
    page.get_by_role("dialog").get_by_label("text", exact=True).fill(edited)
    page.get_by_role("dialog").get_by_role("button", name="Start").click()
    expect(page.locator(f'[data-id="{OUTPUT}"] .node-foot')).to_contain_text("letter")
    expect(page.locator(f'[data-id="{GUEST}"] .node-foot')).to_have_attribute("data-status", "recorded")
    expect(page.locator(f'[data-id="{REPLACE}"] .node-foot')).to_contain_text("Good day Ada!")
