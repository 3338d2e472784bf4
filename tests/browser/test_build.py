"""Changing an agent by hand: every step can be undone, nothing is overwritten unasked."""

from typing import Any

from playwright.sync_api import Page, StorageState, expect

from tests.browser.agents import GREETING
from tests.browser.conftest import Visit, ask
from tests.browser.eyes import barriers, clipped
from tests.browser.house import House


def new_agent(page: Page) -> dict[str, Any]:
    page.goto("/library")
    return ask(page, "POST", "/api/agents", {"graph": GREETING})


def open_block(page: Page, name: str) -> None:
    page.locator(".outline").get_by_role("button", name=name).click()


def test_b2_b5_b10_search_a_block_connect_it_undo_redo_and_save(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    """Scenario 20, as far as it goes."""
    page, eyes = visit(lived_in, storage_state=owner)
    agent = new_agent(page)
    page.goto(f"/build/{agent['id']}")
    page.locator(".block-node").first.wait_for()

    page.keyboard.press("/")
    page.get_by_role("combobox", name="Add a block").fill("text templ")
    page.keyboard.press("Enter")
    expect(page.locator(".block-node")).to_have_count(4)
    page.get_by_label("Connect format from").select_option(label="Fill text template (id greet), output")
    expect(page.locator(".react-flow__edge")).to_have_count(3)
    assert barriers(page) == []

    for _ in range(2):
        page.get_by_role("button", name="Undo").click()
    expect(page.locator(".block-node")).to_have_count(3)
    for _ in range(2):
        page.get_by_role("button", name="Redo").click()
    expect(page.locator(".react-flow__edge")).to_have_count(3)
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("button", name="Undo").click()

    open_block(page, "Fill text template")
    page.get_by_label("format", exact=True).fill("Good day {{ name }}!")
    page.get_by_role("heading", name="Fill text template").click()
    page.get_by_role("button", name="More for this agent").click()
    page.get_by_role("menuitem", name="Name and description").click()
    about = page.get_by_role("dialog", name="Name and description")
    about.get_by_label("Name").fill("Good day")
    about.get_by_label("Description").fill("Greets whoever is named.")
    assert barriers(page) == clipped(page) == []
    about.get_by_role("button", name="Done").click()
    expect(page.get_by_role("heading", name="Good day")).to_be_visible()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("version 2", exact=True)).to_be_visible()
    saved = ask(page, "GET", f"/api/agents/{agent['id']}")
    assert (saved["name"], saved["graph"]["description"]) == ("Good day", "Greets whoever is named.")
    assert [node["inputs"]["format"] for node in saved["graph"]["nodes"] if "format" in node["inputs"]] == [
        "Good day {{ name }}!"
    ]
    eyes.saw_nothing_wrong()


def test_b13_a_run_is_watched_on_the_canvas_and_what_was_typed_stays(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    agent = new_agent(page)
    page.goto(f"/build/{agent['id']}")
    page.get_by_role("button", name="Run").click()
    page.get_by_role("textbox", name="Name").fill("World")
    page.keyboard.press("Enter")
    expect(page.locator(".block-node .status")).to_have_text(["completed"] * 3)
    expect(page.locator(".outputs")).to_contain_text("Hello World")
    expect(page.get_by_role("textbox", name="Name")).to_have_value("World")
    assert "run=" in page.url, "the address holds the view"
    page.reload()
    expect(page.locator(".outputs")).to_contain_text("Hello World")
    eyes.saw_nothing_wrong()


def test_b11_versions_are_compared_and_an_old_one_is_brought_back(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    """Scenario 23, as far as it goes."""
    page, eyes = visit(lived_in, storage_state=owner)
    agent = new_agent(page)
    place = f"/api/agents/{agent['id']}"
    ask(page, "PATCH", place, {"base_version": 1, "ops": [{"op": "set_name", "value": "Renamed"}], "note": "Shorter"})
    page.goto(f"/library/agents/{agent['id']}?tab=versions")
    versions = page.get_by_role("region", name="Versions")
    expect(versions.get_by_role("listitem")).to_have_count(2)
    expect(versions).to_contain_text("Shorter")

    versions.get_by_role("button", name="Compare version 1").click()
    expect(page.get_by_role("list", name="Changes")).to_contain_text("Harbour greeting Renamed")
    assert barriers(page) == []
    page.get_by_role("button", name="Restore as newest").click()
    expect(page.get_by_role("heading", name="Harbour greeting")).to_be_visible()
    expect(versions.get_by_role("listitem")).to_have_count(3)
    assert ask(page, "GET", place)["content_hash"] == agent["content_hash"]

    versions.get_by_role("button", name="Compare version 2").click()
    page.get_by_role("button", name="Use version 2").click()
    expect(page.get_by_role("heading", name="Renamed")).to_be_visible()
    expect(versions.get_by_role("listitem")).to_have_count(3)
    eyes.saw_nothing_wrong()


def test_b11_unsaved_changes_survive_a_crash_and_are_offered(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    """B11: taken up they can be saved, and a version that came meanwhile is not overwritten unasked."""
    page, eyes = visit(lived_in, storage_state=owner, allowed=("412",))
    agent = new_agent(page)
    page.goto(f"/build/{agent['id']}")
    open_block(page, "Fill text template")
    page.get_by_label("format", exact=True).fill("Ahoy {{ name }}!")
    other = page.context.new_page()
    page.close()

    rename = [{"op": "set_name", "value": "Renamed elsewhere"}]
    other.goto("/library")
    ask(other, "PATCH", f"/api/agents/{agent['id']}", {"base_version": 1, "ops": rename})
    other.goto(f"/build/{agent['id']}")
    offer = other.get_by_role("region", name="Unsaved changes")
    expect(offer).to_contain_text("They were made to version 1.")
    assert barriers(other) == []
    offer.get_by_role("button", name="Take them up").click()
    expect(offer).to_have_count(0)
    open_block(other, "Fill text template")
    expect(other.get_by_label("format", exact=True)).to_have_value("Ahoy {{ name }}!")
    other.get_by_role("button", name="Save", exact=True).click()
    other.get_by_role("button", name="Save mine on top").click()
    expect(other.get_by_text("version 3", exact=True)).to_be_visible()
    other.reload()
    other.locator(".block-node").first.wait_for()
    expect(offer).to_have_count(0)
    eyes.saw_nothing_wrong()


def test_b11_unsaved_changes_that_are_dropped_do_not_come_back(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    agent = new_agent(page)
    page.goto(f"/build/{agent['id']}")
    open_block(page, "Fill text template")
    page.get_by_label("format", exact=True).fill("Ahoy {{ name }}!")
    other = page.context.new_page()
    page.close()
    for _ in range(2):  # looking at the offer is no decision
        other.goto(f"/build/{agent['id']}")
        expect(other.get_by_role("region", name="Unsaved changes")).to_be_visible()
    other.get_by_role("button", name="Drop them").click()
    other.reload()
    other.locator(".block-node").first.wait_for()
    expect(other.get_by_role("region", name="Unsaved changes")).to_have_count(0)
    eyes.saw_nothing_wrong()


def test_b17_an_agent_inside_is_opened_its_version_shown_and_a_newer_one_offered_with_what_it_breaks(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    inner = new_agent(page)
    outer = ask(page, "POST", "/api/agents", {"graph": around(page, inner)})["id"]
    rename = {"op": "set_input", "node": "who", "field": ["name"], "value": "person"}
    ask(page, "PATCH", f"/api/agents/{inner['id']}", {"base_version": 1, "ops": [rename]})

    page.goto(f"/build/{outer}")
    expect(page.locator('[data-id="sub"] .pinned')).to_have_text("version 1")
    page.locator('[data-id="sub"] .block-node-head').click()
    panel = page.get_by_role("region", name="Selected block")
    expect(panel.get_by_text("Runs version 1")).to_be_visible()
    expect(panel.locator(".sub-lost li")).to_have_text(["word result to sub name"])
    expect(panel.get_by_role("link", name="Open this agent")).to_have_attribute(
        "href", f"/build/{inner['id']}?version=1"
    )
    assert barriers(page) == []
    panel.get_by_role("button", name="Update to version 2").click()
    expect(panel.get_by_text("Runs version 2")).to_be_visible()
    expect(page.locator(".react-flow__edge")).to_have_count(1)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("version 2", exact=True).first).to_be_visible()
    panel.get_by_role("link", name="Open this agent").click()
    expect(page).to_have_url(f"{lived_in.url}/build/{inner['id']}")
    expect(page.locator('[data-id="greet"]')).to_be_visible()
    eyes.saw_nothing_wrong()


def around(page: Page, inner: dict[str, Any]) -> dict[str, Any]:
    """An agent that runs another in the version that it has now."""
    blocks = ask(page, "GET", "/api/blocks?limit=200")["items"]
    kinds = {block["name"]: block["id"] for block in blocks} | {
        "the agent": next(block["id"] for block in blocks if block["kind"] == "agent")
    }
    pinned: dict[str, Any] = {
        "graph_id": inner["id"],
        "graph_version": 1,
        "agent_name": inner["name"],
        "inputs": {},
        "input_schema": inner["input_schema"],
        "output_schema": inner["output_schema"],
    }
    nodes: list[dict[str, Any]] = [
        {"id": "word", "block": kinds["Agent short text input"], "inputs": {"name": "word"}, "position": [0, 0]},
        {"id": "sub", "block": kinds["the agent"], "inputs": pinned, "position": [400, 0]},
        {"id": "said", "block": kinds["Agent output"], "inputs": {"name": "said"}, "position": [800, 0]},
    ]
    given = next(iter(inner["output_schema"]["properties"]))
    links = [
        {"from": "word", "out": "result", "to": "sub", "in": "name"},
        {"from": "sub", "out": given, "to": "said", "in": "value"},
    ]
    return {"name": "Outside", "nodes": nodes, "links": links}
