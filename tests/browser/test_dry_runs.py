"""Trying a run without consequences, living one again from its records, and telling the two apart."""

from playwright.sync_api import StorageState, expect

from tests.browser.agents import GREETING
from tests.browser.conftest import Visit, ask
from tests.browser.eyes import barriers, clipped
from tests.browser.house import House

NOTE = "Dry run: nothing outside was touched."


def test_l4_r5_a_dry_run_is_started_marked_replayed_and_compared_with_its_origin(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    page.goto("/library")
    agent = ask(page, "POST", "/api/agents", {"graph": GREETING})
    page.goto(f"/library/agents/{agent['id']}")
    page.get_by_label("name").fill("World")
    page.get_by_label("Dry run").check()
    page.get_by_role("button", name="Start dry run").click()
    expect(page.get_by_role("note").filter(has_text=NOTE)).to_be_visible()
    expect(page.locator(".outputs")).to_contain_text("World")
    assert barriers(page) == clipped(page) == []
    tried = page.url
    page.get_by_role("button", name="More actions for this run").click()
    page.get_by_role("menuitem", name="Replay from records").click()
    expect(page.get_by_role("link", name="replay of another run")).to_be_visible()
    assert page.url != tried
    page.get_by_role("button", name="More actions for this run").click()
    page.get_by_role("menuitem", name="Compare with another run").click()
    compared = page.get_by_role("dialog").get_by_role("table")
    expect(compared).to_contain_text("the same")
    expect(compared.locator("mark")).to_have_count(0)
    assert barriers(page) == clipped(page) == []
    page.goto(f"/library/agents/{agent['id']}")
    expect(page.get_by_role("table").get_by_text("Dry run", exact=True)).to_have_count(2)
    eyes.saw_nothing_wrong()
