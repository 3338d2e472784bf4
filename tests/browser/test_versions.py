"""Saving: nobody overwrites anybody unasked, and every version can be looked at, compared and brought back."""

from typing import Any

import pytest
from playwright.sync_api import Page, StorageState, expect

from tests.browser.agents import EXAMPLE, GREETING
from tests.browser.conftest import PHONE, Visit, ask
from tests.browser.eyes import barriers, clipped
from tests.browser.house import House

THEIRS = {**GREETING, "description": "Changed by somebody else."}


def new_agent(page: Page) -> dict[str, Any]:
    page.goto("/library")
    return ask(page, "POST", "/api/agents", {"graph": GREETING})


def type_format(page: Page, words: str) -> None:
    page.locator(".outline").get_by_role("button", name="Fill text template").click()
    page.get_by_label("format", exact=True).fill(words)


def save(page: Page) -> None:
    page.get_by_role("button", name="Save", exact=True).click()


@pytest.fixture
def contested(lived_in: House, owner: StorageState, visit: Visit) -> tuple[Page, str]:
    """Two editors of one agent: the other one has saved, and this one is asked."""
    page, _ = visit(lived_in, storage_state=owner, allowed=("412",))
    agent = new_agent(page)["id"]
    page.goto(f"/build/{agent}")
    type_format(page, "Mine {{ name }}")
    ask(page, "PUT", f"/api/agents/{agent}", {"graph": THEIRS, "base_version": 1})
    save(page)
    dialog = page.get_by_role("dialog", name="This agent was changed meanwhile")
    expect(dialog.get_by_role("list", name="Changes")).to_contain_text("Changed by somebody else.")
    expect(dialog.get_by_role("list", name="What you changed")).to_contain_text("Mine {{ name }}")
    return page, agent


def test_b10_scenario_22_mine_goes_on_top_and_theirs_stays_a_version(contested: tuple[Page, str]) -> None:
    page, agent = contested
    assert barriers(page) == []
    page.get_by_role("button", name="Save mine on top").click()
    expect(page.get_by_text("version 3", exact=True)).to_be_visible()
    versions = ask(page, "GET", f"/api/agents/{agent}/versions")["items"]
    assert [one["description"] for one in versions[:2]] == [GREETING["description"], THEIRS["description"]]
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_label("format", exact=True)).to_have_value("Hello {{ name }}, welcome aboard!")


def test_b10_scenario_22_theirs_is_loaded_and_mine_is_still_offered(contested: tuple[Page, str]) -> None:
    page, agent = contested
    page.get_by_role("button", name="Load theirs").click()
    expect(page.get_by_text("version 2", exact=True)).to_be_visible()
    expect(page.get_by_role("region", name="Unsaved changes")).to_be_visible()
    assert ask(page, "GET", f"/api/agents/{agent}")["version"] == 2


def test_b10_scenario_22_mine_becomes_an_agent_of_its_own(contested: tuple[Page, str]) -> None:
    page, agent = contested
    page.get_by_role("button", name="Save as a copy").click()
    expect(page.get_by_role("heading", name="Harbour greeting (copy)")).to_be_visible()
    copy = page.url.partition("/build/")[2]
    assert copy != agent
    made = ask(page, "GET", f"/api/agents/{copy}/versions")["items"][0]
    assert made["forked_from"] == {"agent_id": agent, "version": 1}
    page.goto(f"/build/{agent}")
    page.locator(".block-node").first.wait_for()
    expect(page.get_by_role("region", name="Unsaved changes")).to_have_count(0)


def test_b10_a_note_is_kept_and_what_is_unchanged_makes_no_version(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    agent = new_agent(page)["id"]
    page.goto(f"/build/{agent}")
    type_format(page, "Ahoy {{ name }}")
    page.get_by_role("button", name="Save with a note").click()
    page.get_by_role("textbox", name="Note").fill("For sailors")
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    expect(page.get_by_text("version 2", exact=True)).to_be_visible()
    page.get_by_role("button", name="Versions").click()
    expect(page.get_by_role("region", name="Versions")).to_contain_text("For sailors")
    expect(page.get_by_role("region", name="Versions")).to_contain_text("you")
    page.keyboard.press("Control+s")
    expect(page.get_by_text("there is no new one")).to_be_visible()
    assert ask(page, "GET", f"/api/agents/{agent}")["newest_version"] == 2
    eyes.saw_nothing_wrong()


def test_b11_b12_scenario_23_versions_are_compared_looked_at_and_brought_back(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    agent = new_agent(page)["id"]
    silent = {**GREETING, "nodes": EXAMPLE["nodes"][:2], "links": EXAMPLE["links"][:1]}
    ask(page, "PUT", f"/api/agents/{agent}", {"graph": silent, "base_version": 1})
    page.goto(f"/build/{agent}")
    page.get_by_role("button", name="Versions").click()
    page.get_by_role("button", name="Compare version 1").click()
    dialog = page.get_by_role("dialog", name="Compare versions")
    expect(dialog.locator('.diff-node[data-mark="removed"]')).to_have_count(1)
    expect(dialog.locator('.diff-node[data-mark="same"]')).to_have_count(2)
    expect(dialog.get_by_role("list", name="Changes")).to_contain_text("Removed block")
    assert barriers(page) == []
    dialog.get_by_label("From", exact=True).select_option("2")
    dialog.get_by_label("To", exact=True).select_option("1")
    expect(dialog.locator('.diff-node[data-mark="added"]')).to_have_count(1)
    page.keyboard.press("Escape")

    page.get_by_role("link", name="Version 1").click()
    banner = page.get_by_role("region", name="Read only")
    expect(banner).to_contain_text("Version 1 is shown as it was saved.")
    expect(page.locator(".block-node")).to_have_count(3)
    expect(page.get_by_role("button", name="Save", exact=True)).to_have_count(0)
    assert barriers(page) == []
    page.reload()
    expect(banner).to_be_visible()
    banner.get_by_role("button", name="Latest").click()
    expect(page.locator(".block-node")).to_have_count(2)
    page.go_back()
    banner.get_by_role("button", name="Restore").click()
    expect(page.get_by_text("version 3", exact=True)).to_be_visible()
    expect(page.locator(".block-node")).to_have_count(3)
    eyes.saw_nothing_wrong()


def test_b11_versions_that_are_not_listed_yet_are_compared_and_chosen(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    agent = new_agent(page)["id"]
    for version in range(1, 25):
        graph = {**GREETING, "description": f"Changed {version} times."}
        ask(page, "PUT", f"/api/agents/{agent}", {"graph": graph, "base_version": version})
    ask(page, "PUT", f"/api/agents/{agent}/active-version", {"version": 1, "base_version": 25})
    page.goto(f"/build/{agent}")
    page.get_by_role("button", name="Versions").click()
    page.get_by_role("button", name="Compare version 25").click()
    dialog = page.get_by_role("dialog", name="Compare versions")
    before, after = dialog.get_by_label("From", exact=True), dialog.get_by_label("To", exact=True)
    expect(before).to_have_value("25")
    expect(after).to_have_value("1")
    expect(dialog.get_by_role("list", name="Changes")).to_contain_text("Changed 24 times.")
    more = dialog.get_by_role("button", name="List earlier versions")
    expect(before.get_by_role("option", name="12", exact=True)).to_have_count(0)
    more.click()
    before.select_option("12")
    expect(dialog.get_by_role("list", name="Changes")).to_contain_text("Changed 11 times.")
    expect(after).to_have_value("1")
    more.click()
    expect(more).to_have_count(0)
    expect(before.locator("option")).to_have_count(25)
    assert barriers(page) == []
    eyes.saw_nothing_wrong()


def test_b12_a_runs_own_version_is_shown_as_it_ran_and_can_be_duplicated(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner, viewport=PHONE)
    agent = new_agent(page)["id"]
    run = ask(page, "POST", f"/api/agents/{agent}/runs", {"inputs": {"name": "World"}})["id"]
    ask(page, "PUT", f"/api/agents/{agent}", {"graph": THEIRS, "base_version": 1})
    page.goto(f"/build/{agent}?run={run}")
    banner = page.get_by_role("region", name="Read only")
    expect(banner).to_contain_text("This is version 1, which this run used.")
    expect(page.locator('.node-foot[data-status="completed"]')).to_have_count(3)
    assert clipped(page) == []
    assert barriers(page) == []
    banner.get_by_role("button", name="Duplicate").click()
    expect(page.get_by_role("heading", name="Harbour greeting (copy)")).to_be_visible()
    expect(banner).to_have_count(0)
    eyes.saw_nothing_wrong()
