"""What somebody types or selects stays as it is."""

import re

from playwright.sync_api import StorageState, expect

from tests.browser.conftest import Visit, ask
from tests.browser.house import House

NODE = {"id": "sum", "block": "b1ab9b19-67a6-406d-abf5-2dba76d00c79", "inputs": {"operation": "Add", "a": 2, "b": 3}}
SUM: dict[str, object] = {"name": "Sum of the tides", "nodes": [NODE], "links": []}


def test_b3_a_decimal_is_typed_where_whole_numbers_fit_as_well(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    page.goto("/library")
    agent = ask(page, "POST", "/api/agents", {"graph": SUM})
    page.goto(f"/build/{agent['id']}")
    page.locator(".outline").get_by_role("button", name="Calculator").click()
    first = page.get_by_label("a", exact=True)
    first.fill("")
    first.press_sequentially("1.05")
    expect(first).to_have_value("1.05")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("version 2", exact=True)).to_be_visible()
    assert ask(page, "GET", f"/api/agents/{agent['id']}")["graph"]["nodes"][0]["inputs"]["a"] == 1.05
    eyes.saw_nothing_wrong()


def test_a_selection_dragged_out_of_a_dialog_leaves_it_open(lived_in: House, owner: StorageState, visit: Visit) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    page.goto("/settings/credentials")
    page.get_by_role("button", name="Add a credential").click()
    title = page.get_by_role("dialog").get_by_label("Title", exact=True)
    title.fill("Harbour")
    box = title.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(5, 300, steps=4)
    page.mouse.up()
    expect(title).to_have_value("Harbour")
    page.mouse.click(5, 300)
    expect(page.get_by_role("dialog")).to_have_count(0)
    eyes.saw_nothing_wrong()


def test_l1_the_search_keeps_its_space_when_the_typing_pauses(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    page.goto("/library")
    search = page.get_by_label("Search agents")
    search.press_sequentially("harbour ")
    expect(page).to_have_url(re.compile(r"q=harbour$"))
    search.press_sequentially("tide")
    expect(search).to_have_value("harbour tide")
    expect(page).to_have_url(re.compile(r"q=harbour(\+|%20)tide$"))
    eyes.saw_nothing_wrong()
