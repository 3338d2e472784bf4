"""Editing that meets something else: keys that move blocks, a save that is slow, two places that hear the same key."""

import re
from typing import Any, cast

from playwright.sync_api import Route, StorageState, expect

from tests.browser.agents import GREETING
from tests.browser.conftest import Visit, ask
from tests.browser.house import House
from tests.browser.test_canvas import drag, middle, opened

NODES: list[dict[str, Any]] = [{**node} for node in cast(list[dict[str, Any]], GREETING["nodes"])]
PLACED: dict[str, Any] = GREETING | {
    "nodes": [node | {"position": [400 * place, 0]} for place, node in enumerate(NODES)]
}


def test_b1_b5_a_block_moved_by_arrow_keys_is_saved_there_and_keys_or_a_drag_are_one_step(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    agent = opened(page, PLACED)
    block, undo = page.locator('.react-flow__node[data-id="greet"]'), page.get_by_role("button", name="Undo")
    block.focus()
    page.keyboard.press("Enter")
    expect(block).to_have_class(re.compile(r"\bselected\b"))
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Control+s")
    expect(page.get_by_text("version 2", exact=True)).to_be_visible()
    saved = ask(page, "GET", f"/api/agents/{agent}")["graph"]["nodes"]
    assert [node["position"] for node in saved if node["id"] == "greet"] == [[460, 0]]
    undo.click()
    expect(block).to_have_attribute("style", re.compile(r"translate\(400px, 0px\)"))
    expect(undo).to_be_disabled()

    head = block.locator(".block-node-head")
    x, y = middle(head)
    drag(page, head, x, y + 120)
    page.mouse.up()
    expect(undo).to_be_enabled()
    undo.click()
    expect(block).to_have_attribute("style", re.compile(r"translate\(400px, 0px\)"))
    expect(undo).to_be_disabled()
    eyes.saw_nothing_wrong()


def test_b10_what_is_typed_while_a_save_is_under_way_stays_and_is_saved_with_the_next(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    agent = opened(page, PLACED)
    held: list[Route] = []

    def hold(route: Route) -> None:
        if route.request.method == "PUT":
            held.append(route)
        else:
            route.continue_()

    page.route(f"**/api/agents/{agent}", hold)
    page.locator(".outline").get_by_role("button", name="Fill text template").click()
    words = page.get_by_label("format", exact=True)
    page.get_by_role("textbox", name="Title (optional)", exact=True).fill("Welcome")
    with page.expect_request(lambda asked: asked.method == "PUT"):
        page.keyboard.press("Control+s")  # with the focus still in the title
    page.keyboard.press("Control+s")
    words.fill("Ahoy {{ name }}!")
    assert [route.request.method for route in held] == ["PUT"], "one at a time"
    held[0].continue_()
    expect(page.get_by_text("version 2, not saved")).to_be_visible()
    expect(words).to_have_value("Ahoy {{ name }}!")
    page.unroute_all()
    saved = ask(page, "GET", f"/api/agents/{agent}")["graph"]["nodes"]
    assert [(node["name"], node["inputs"]) for node in saved if node["id"] == "greet"] == [
        ("Welcome", NODES[1]["inputs"])
    ]

    page.get_by_role("button", name="Undo").click()
    expect(words).to_have_value(NODES[1]["inputs"]["format"])
    expect(page.get_by_text("version 2", exact=True)).to_be_visible()
    page.get_by_role("button", name="Redo").click()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("version 3", exact=True)).to_be_visible()
    saved = ask(page, "GET", f"/api/agents/{agent}")["graph"]["nodes"]
    assert [node["inputs"]["format"] for node in saved if node["id"] == "greet"] == ["Ahoy {{ name }}!"]
    eyes.saw_nothing_wrong()


def test_b8_delete_in_the_outline_leaves_what_is_chosen_on_the_canvas(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    opened(page, PLACED)
    links, undo = page.locator(".react-flow__edge"), page.get_by_role("button", name="Undo")
    chosen = page.locator('.react-flow__edge[data-id^="who."]')
    chosen.focus()
    page.keyboard.press("Enter")
    expect(chosen).to_have_class(re.compile(r"\bselected\b"))
    page.get_by_role("tree").focus()
    page.keyboard.press("End")
    page.keyboard.press("Delete")
    expect(page.locator(".block-node")).to_have_count(2)
    expect(links).to_have_count(1)
    undo.click()
    expect(links).to_have_count(2)
    expect(undo).to_be_disabled()  # nothing else was done
    eyes.saw_nothing_wrong()
