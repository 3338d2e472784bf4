"""The canvas: blocks found, connected and refused by hand, by keyboard alone, and a thousand of them."""

import random
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, StorageState, expect

from tests.browser.agents import GREETING
from tests.browser.conftest import PHONE, Visit, ask
from tests.browser.eyes import barriers, clipped
from tests.browser.house import House

PLACES = "() => [...document.querySelectorAll('.react-flow__node')].map((node) => node.style.transform).join()"


def opened(page: Page, graph: dict[str, Any]) -> str:
    page.goto("/library")
    agent = ask(page, "POST", "/api/agents", {"graph": graph})
    page.goto(f"/build/{agent['id']}")
    page.get_by_role("tree").wait_for()
    return agent["id"]


def block_id(page: Page, name: str) -> str:
    found = [block["id"] for block in ask(page, "GET", "/api/blocks?limit=200")["items"] if block["name"] == name]
    assert len(found) == 1, name
    return found[0]


def handle(page: Page, node: str, pin: str, side: str) -> Locator:
    return page.locator(f'.react-flow__handle.{side}[data-nodeid="{node}"][data-handleid="{pin}"]')


def drag(page: Page, start: Locator, x: float, y: float) -> None:
    box = start.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + 30, box["y"] + 20)
    page.mouse.move(x, y, steps=4)


def middle(place: Locator) -> tuple[float, float]:
    box = place.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_b2_b4_b9_a_link_is_refused_with_its_reason_and_another_brings_its_block(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    """Scenario 20: search, connect, refused type, fix, save."""
    page, eyes = visit(lived_in, storage_state=owner)
    page.goto("/library")
    listing, date = block_id(page, "Create list"), block_id(page, "Fill text template")
    nodes: list[dict[str, Any]] = [
        {"id": "made", "block": listing, "inputs": {"values": [1]}, "position": [0, 0]},
        {"id": "greet", "block": date, "inputs": {"format": "Hi", "values": {}}, "position": [500, 0]},
    ]
    agent_id = opened(page, {"name": "By hand", "nodes": nodes})
    source = handle(page, "made", "list", "source")

    drag(page, source, *middle(handle(page, "greet", "escape_html", "target")))
    refused = page.locator('.pin[data-fit="never"]').filter(has=handle(page, "greet", "escape_html", "target"))
    expect(refused).to_have_attribute("title", "list cannot become yes/no.")
    page.mouse.up()
    expect(page.get_by_text("list cannot become yes/no.")).to_be_visible()
    expect(page.locator(".react-flow__edge")).to_have_count(0)

    drag(page, source, *middle(handle(page, "greet", "format", "target")))
    page.mouse.up()
    expect(page.locator(".react-flow__edge")).to_have_count(1)

    canvas = page.locator(".builder-canvas").bounding_box()
    assert canvas is not None
    drag(page, source, canvas["x"] + canvas["width"] / 2, canvas["y"] + canvas["height"] - 60)
    page.mouse.up()
    page.get_by_role("combobox", name="Add a block").fill("agnt output")
    page.keyboard.press("Enter")
    expect(page.locator(".block-node")).to_have_count(3)
    expect(page.locator(".react-flow__edge")).to_have_count(2)
    expect(page.locator('.block-node[data-mark="error"]')).to_have_count(1)
    expect(page.get_by_role("button", name="Save", exact=True)).to_be_disabled()
    page.get_by_role("button", name="All blocks").click()
    page.get_by_role("region", name="Problems").get_by_role("button", name="Give this a name.").click()
    expect(page.get_by_label("name", exact=True)).to_be_focused()
    page.keyboard.type("result")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("version 2", exact=True)).to_be_visible()
    assert len(ask(page, "GET", f"/api/agents/{agent_id}")["graph"]["links"]) == 2
    assert barriers(page) == []
    eyes.saw_nothing_wrong()


def test_b1_a_link_that_is_pointed_at_or_chosen_is_above_the_blocks_it_runs_under(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    page.goto("/library")
    listing, text = block_id(page, "Create list"), block_id(page, "Fill text template")
    nodes: list[dict[str, Any]] = [
        {"id": "made", "block": listing, "inputs": {"values": [1]}, "position": [0, 0]},
        {"id": "over", "block": text, "inputs": {"format": "Hi"}, "position": [500, 0]},
        {"id": "said", "block": text, "inputs": {"values": {}}, "position": [1000, 0]},
    ]
    opened(
        page,
        {"name": "Under", "nodes": nodes, "links": [{"from": "made", "out": "list", "to": "said", "in": "format"}]},
    )
    (x, y), (to_x, to_y) = (
        middle(handle(page, "made", "list", "source")),
        middle(handle(page, "said", "format", "target")),
    )
    hidden = (x + to_x) / 2, (y + to_y) / 2

    def is_link_seen() -> bool:
        return page.evaluate(
            "([x, y]) => document.elementFromPoint(x, y).closest('.react-flow__edge') !== null", hidden
        )

    assert not is_link_seen()
    page.mouse.move(x + 30, y)
    assert is_link_seen()
    page.mouse.move(x, y + 300)
    assert not is_link_seen()
    page.mouse.click(x + 30, y)
    page.mouse.move(x, y + 300)
    expect(page.locator(".react-flow__edge.selected")).to_have_count(1)
    assert is_link_seen()
    eyes.saw_nothing_wrong()


def test_b8_an_agent_is_changed_in_the_outline_by_keyboard_alone(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    opened(page, {**GREETING, "name": "By keyboard"})
    tree = page.get_by_role("tree")
    tree.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("treeitem")).to_have_count(4)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Delete")
    expect(page.locator(".react-flow__edge")).to_have_count(1)
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Fill text template")).to_be_focused()
    page.get_by_label("Connect format from").select_option(index=1)
    expect(page.locator(".react-flow__edge")).to_have_count(2)
    page.get_by_role("button", name="All blocks").focus()
    page.keyboard.press("Enter")
    tree.focus()
    page.keyboard.press("Delete")
    expect(page.locator(".block-node")).to_have_count(2)
    assert barriers(page) == []
    eyes.saw_nothing_wrong()


def test_b6_b7_b1_blocks_are_copied_to_another_agent_arranged_and_found(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened(page, {**GREETING, "name": "From here"})
    for node in page.locator(".react-flow__node").all():
        node.click(modifiers=["Control"])
    page.keyboard.press("Control+c")
    expect(page.get_by_text("Copied 3 blocks.")).to_be_visible()
    opened(page, {**GREETING, "name": "To there"})
    page.locator(".react-flow__pane").click(position={"x": 20, "y": 20})
    page.keyboard.press("Control+v")
    expect(page.locator(".block-node")).to_have_count(6)
    expect(page.locator(".react-flow__edge")).to_have_count(4)
    before = page.evaluate(PLACES)
    page.get_by_role("button", name="Arrange the blocks").click()
    page.wait_for_function(f"(before) => ({PLACES})() !== before", arg=before)  # a worker lays them out
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".block-node")).to_have_count(3)
    page.keyboard.press("Control+f")
    page.get_by_role("combobox").fill("welcome")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Fill text template")).to_be_visible()
    eyes.saw_nothing_wrong()


def test_b5_scenario_21_forty_random_steps_undone_are_the_start_and_redone_the_end(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    """The two hundred are in Vitest; these go through the page itself."""
    page, eyes = visit(lived_in, storage_state=owner)
    opened(page, {**GREETING, "name": "Back and forth"})
    chance = random.Random(21)
    undo, redo = page.get_by_role("button", name="Undo"), page.get_by_role("button", name="Redo")

    def shown() -> list[str]:
        return [page.locator(".outline").inner_text(), str(page.locator(".react-flow__edge").count())]

    start = shown()
    for number in range(40):
        tree = page.get_by_role("tree")
        if number % 3 == 0 or tree.count() == 0:
            page.keyboard.press("/")
            page.get_by_role("combobox", name="Add a block").fill(chance.choice(["note", "list", "text"]))
            page.keyboard.press("Enter")
            page.get_by_role("button", name="All blocks").click()
        elif number % 3 == 1:
            tree.focus()
            for _ in range(chance.randrange(4)):
                page.keyboard.press("ArrowDown")
            page.keyboard.press("Enter")
            page.get_by_role("textbox", name="Title (optional)", exact=True).fill(f"Step {number}")
            page.get_by_role("button", name="All blocks").click()
        else:
            tree.focus()
            page.keyboard.press("End")
            page.keyboard.press("Delete")
    end = shown()
    assert end != start
    while undo.is_enabled():
        undo.click()
    assert shown() == start
    expect(page.get_by_role("button", name="Save", exact=True)).to_be_disabled()
    while redo.is_enabled():
        redo.click()
    assert shown() == end
    eyes.saw_nothing_wrong()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_b20_a_phone_shows_inspects_and_edits_through_the_outline(
    lived_in: House, owner: StorageState, visit: Visit, scheme: Any
) -> None:
    page, eyes = visit(lived_in, storage_state=owner, viewport=PHONE, color_scheme=scheme)
    opened(page, {**GREETING, "name": "In the pocket"})
    assert clipped(page) == []
    page.locator(".outline").get_by_role("button", name="Fill text template").click()
    page.get_by_label("format", exact=True).fill("Hello from the phone")
    expect(page.get_by_role("button", name="Run")).to_be_visible()
    assert barriers(page) == []
    assert clipped(page) == []
    eyes.saw_nothing_wrong()
