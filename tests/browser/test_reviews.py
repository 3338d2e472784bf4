"""What a run asks a person is decided where the run is looked at, by mouse or by keyboard (engine:W2, engine:W3)."""

import pytest
from playwright.sync_api import Page, StorageState, ViewportSize, expect

from tests.browser.agents import ASKING, delegating
from tests.browser.conftest import PHONE, WIDE, Visit, ask
from tests.browser.eyes import barriers, clipped
from tests.browser.house import House
from tests.browser.keyboard import tab_to

ASKED = "What is asked; you may change it"


def asking(page: Page) -> str:
    """Open the page of a run that waits until a person has decided."""
    page.goto("/library")
    agent = ask(page, "POST", "/api/agents", {"graph": ASKING})
    run = ask(page, "POST", f"/api/agents/{agent['id']}/runs", {"inputs": {}})
    page.goto(f"/library/runs/{run['id']}")
    expect(page.get_by_role("heading", name="Waiting for you")).to_be_visible()
    return run["id"]


def decision(page: Page, run_id: str) -> dict[str, object]:
    (review,) = ask(page, "GET", f"/api/runs/{run_id}/reviews")["items"]
    return review["decision"]


@pytest.mark.parametrize("hands", ["mouse", "keyboard"])
def test_w2_approved_with_an_edited_value_the_run_goes_on_with_that(
    hands: str, lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    run_id = asking(page)
    expect(page.get_by_label(ASKED)).to_have_value("We arrive at noon.")
    assert barriers(page) == []
    if hands == "mouse":
        page.get_by_label(ASKED).fill("We arrive at dusk.")
        page.get_by_label("Message").fill("Later")
        page.get_by_role("button", name="Approve").click()
    else:
        tab_to(page, ASKED)
        page.keyboard.press("Control+a")
        page.keyboard.type("We arrive at dusk.")
        page.keyboard.press("Tab")
        page.keyboard.type("Later")
        tab_to(page, "Approve")
        page.keyboard.press("Enter")
    expect(page.locator(".outputs")).to_contain_text("We arrive at dusk.")
    expect(page.locator("main header .status")).to_have_text("completed")
    expect(page.get_by_role("heading", name="Waiting for you")).to_have_count(0)
    said = decision(page, run_id)
    assert (said["approved"], said["data"], said["message"]) == (True, "We arrive at dusk.", "Later")
    eyes.saw_nothing_wrong()


@pytest.mark.parametrize("hands", ["mouse", "keyboard"])
def test_w2_rejected_nothing_is_approved_whatever_was_typed(
    hands: str, lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    run_id = asking(page)
    page.get_by_label(ASKED).fill("We never arrive.")
    if hands == "mouse":
        page.get_by_role("button", name="Reject").click()
    else:
        tab_to(page, "Reject")
        page.keyboard.press("Space")
    expect(page.locator("main header .status")).to_have_text("completed")
    expect(page.locator("main")).not_to_contain_text("We never arrive.")
    said = decision(page, run_id)
    assert (said["approved"], said["data"]) == (False, "We arrive at noon.")
    eyes.saw_nothing_wrong()


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_n4_the_badge_counts_what_needs_the_user_and_equals_the_list(
    size: ViewportSize, lived_in: House, owner: StorageState, visit: Visit
) -> None:
    """It follows by itself: no page is loaded anew, and what another tab decides goes away here too."""
    page, eyes = visit(lived_in, storage_state=owner, viewport=size)
    page.goto("/activity")
    badge = page.get_by_role("navigation", name="Main").locator(".count")
    listed = page.get_by_role("region", name="Needs you").get_by_role("listitem")
    before = len(ask(page, "GET", "/api/reviews?state=waiting")["items"])
    agent = ask(page, "POST", "/api/agents", {"graph": ASKING})
    ids = [ask(page, "POST", f"/api/agents/{agent['id']}/runs", {"inputs": {}})["id"] for _ in range(2)]
    expect(badge).to_have_text(f"{before + 2} waiting for you")
    expect(listed).to_have_count(before + 2)
    assert barriers(page) == clipped(page) == []
    listed.locator(f'a[href="/library/runs/{ids[0]}"]').click()
    page.get_by_role("button", name="Approve").click()
    expect(badge).to_have_text(f"{before + 1} waiting for you")
    other, _ = visit(lived_in, storage_state=owner)
    other.goto(f"/library/runs/{ids[1]}")
    other.get_by_role("button", name="Reject").click()
    expect(badge).to_have_text([f"{before} waiting for you"] if before else [])
    page.goto("/activity")
    expect(listed).to_have_count(before)
    eyes.saw_nothing_wrong()


def test_w4_what_an_agent_inside_asks_is_decided_on_the_page_of_its_parent(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    page.goto("/library")
    inner = ask(page, "POST", "/api/agents", {"graph": ASKING})
    outer = ask(page, "POST", "/api/agents", {"graph": delegating(inner["id"])})
    run = ask(page, "POST", f"/api/agents/{outer['id']}/runs", {"inputs": {}})
    page.goto(f"/library/runs/{run['id']}")
    expect(page.get_by_role("heading", name="Waiting for you")).to_be_visible()
    expect(page.get_by_role("link", name="the run of an agent inside")).to_be_visible()
    assert barriers(page) == []
    page.get_by_role("button", name="Approve").click()
    expect(page.locator("main header .status")).to_have_text("completed")
    expect(page.get_by_role("heading", name="Waiting for you")).to_have_count(0)
    eyes.saw_nothing_wrong()
