"""Editing that meets something else: keys that move blocks, a save that is slow, two places that hear the same key."""

import re
from typing import Any, cast

from playwright.sync_api import Route, StorageState, expect

from tests.browser.agents import GREETING
from tests.browser.conftest import Visit, ask
from tests.browser.eyes import barriers
from tests.browser.house import House
from tests.browser.test_canvas import block_id, drag, handle, middle, opened

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


def test_f9_f10_a_link_takes_a_part_of_what_comes_and_fills_a_part_of_its_input(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    greet = NODES[1] | {"inputs": {"format": "{{ name }} of {{ ship }}"}}
    bare = PLACED | {"nodes": [PLACED["nodes"][0], greet | {"position": [400, 0]}, PLACED["nodes"][2]]}
    bare = bare | {"links": [{"from": "greet", "out": "output", "to": "said", "in": "value"}]}
    agent = opened(page, bare)
    drag(page, handle(page, "who", "result", "source"), *middle(handle(page, "greet", "values", "target")))
    page.mouse.up()
    page.get_by_role("button", name="Choose a key").click()
    parts = page.get_by_role("form", name="Part of the link to values")
    expect(parts.get_by_label("Put it into")).to_be_focused()
    page.keyboard.type("name")
    assert barriers(page) == []
    page.keyboard.press("Enter")
    expect(handle(page, "greet", "values_#_name", "target")).to_have_count(1)
    expect(page.get_by_role("button", name="Part of the link to values_#_name")).to_be_focused()
    page.get_by_label("Connect values from").select_option(label="Agent short text input, result")
    parts.get_by_label("Put it into").fill("ship")
    parts.get_by_label("Take only").fill("0.call")
    parts.get_by_role("button", name="Keep").click()
    expect(handle(page, "who", "result_$_0_#_call", "source")).to_have_count(1)
    page.get_by_role("button", name="Undo").click()  # one step, to the link before
    expect(handle(page, "greet", "values_#_ship", "target")).to_have_count(0)
    page.get_by_role("button", name="Redo").click()
    page.get_by_role("button", name="Part of the link to values_#_ship").click()
    page.get_by_role("form", name="Part of the link to values_#_ship").get_by_label("Take only").fill("")
    page.keyboard.press("Enter")
    page.keyboard.press("Control+s")
    expect(page.get_by_text("version 2", exact=True)).to_be_visible()
    run = ask(page, "POST", f"/api/agents/{agent}/runs", {"inputs": {"name": "Ada"}})
    page.goto(f"/library/runs/{run['id']}")
    expect(page.locator(".outputs")).to_contain_text("Ada of Ada")
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


def test_d4_keys_of_the_builder_do_nothing_behind_a_dialog(lived_in: House, owner: StorageState, visit: Visit) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    opened(page, PLACED)
    page.locator(".outline").get_by_role("button", name="Fill text template").click()
    page.get_by_label("format", exact=True).fill("Ahoy {{ name }}!")
    expect(page.get_by_text("version 1, not saved")).to_be_visible()
    page.get_by_role("button", name="More for this agent").click()
    page.get_by_role("menuitem", name="Name and description").click()
    about = page.get_by_role("dialog", name="Name and description")
    about.get_by_label("Name").fill("Good day")
    about.get_by_role("button", name="Cancel").focus()  # no field, where a letter would be typed
    for key in ("Control+f", "/", "Control+s"):
        page.keyboard.press(key)
    page.keyboard.press("Control+k")  # what opens from anywhere
    expect(page.locator(".palette-input")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(1)
    expect(about.get_by_label("Name")).to_have_value("Good day")
    about.get_by_role("button", name="Done").click()
    expect(page.get_by_role("heading", name="Good day")).to_be_visible()
    expect(page.get_by_label("format", exact=True)).to_have_value("Ahoy {{ name }}!")
    expect(page.get_by_text("version 1, not saved")).to_be_visible()
    eyes.saw_nothing_wrong()


def test_b8_an_advanced_field_stays_in_its_place_while_it_is_filled_and_emptied(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    page.goto("/library")
    hook = {"id": "hook", "block": block_id(page, "Generic webhook trigger")}
    opened(page, {"name": "Hears", "nodes": [hook]})
    page.locator(".outline").get_by_role("button", name="Generic webhook trigger").click()
    page.locator("summary", has_text="Advanced").click()
    secret = page.locator('[data-pin="secret_token"] :is(input[type=password], input[type=text], textarea)')
    secret.focus()
    page.keyboard.type("base")
    expect(secret).to_be_focused()
    expect(secret).to_have_value("base")
    for _ in range(6):  # more than there are letters
        page.keyboard.press("Backspace")
    expect(secret).to_be_focused()
    expect(secret).to_have_value("")
    expect(page.locator(".block-node")).to_have_count(1)
    eyes.saw_nothing_wrong()


def test_b8_b9_a_link_says_what_is_wrong_with_it_and_the_focus_stays_when_it_is_changed_or_cut(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    links = [
        {"from": "who", "out": "result", "to": "greet", "in": "values"},
        {"from": "greet", "out": "output", "to": "said", "in": "value"},
    ]
    opened(page, PLACED | {"links": links})
    page.locator(".outline").get_by_role("button", name="Fill text template").click()
    parts = page.get_by_role("form", name="Part of the link to values")
    part = page.get_by_role("button", name="Part of the link to values")
    parts.get_by_label("Take only").fill("a..b")
    page.keyboard.press("Enter")
    expect(parts).to_have_count(0)  # nobody is asked again for what was just answered
    expect(part).to_be_focused()
    expect(part).to_have_accessible_description(re.compile("empty key"))
    assert barriers(page) == []

    # The server finds it at the block that the link comes from; it is mended where the link goes.
    page.get_by_role("button", name="All blocks").click()
    page.get_by_role("region", name="Problems").get_by_role("button").filter(has_text="empty key").click()
    expect(parts.get_by_label("Put it into")).to_be_focused()
    parts.get_by_label("Take only").fill("")
    page.keyboard.press("Enter")
    expect(part).to_have_accessible_description("")
    page.get_by_role("button", name="Disconnect values").click()
    expect(page.locator('[data-pin="values"] :focus')).to_have_count(1)
    eyes.saw_nothing_wrong()
