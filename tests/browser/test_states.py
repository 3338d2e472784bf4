"""The states that every page has, and what concerns all of them: density, news for the ear, banners."""

from playwright.sync_api import Route, StorageState, expect

from tests.browser.agents import GREETING
from tests.browser.conftest import Visit, ask
from tests.browser.eyes import barriers
from tests.browser.house import House
from tests.browser.test_chat import begin_slow_turn, say

NO_MODEL = "No model is connected"


def test_d1_a_wide_window_shows_at_least_fourteen_agents(lived_in: House, owner: StorageState, visit: Visit) -> None:
    page, _ = visit(lived_in, storage_state=owner)
    page.goto("/library")
    for nth in range(14):
        ask(page, "POST", "/api/agents", {"graph": {**GREETING, "name": f"Agent {nth}"}})
    page.reload()
    page.get_by_role("link", name="Agent 13").wait_for()
    rows = page.locator("tbody tr").evaluate_all("rows => rows.map((row) => row.getBoundingClientRect().bottom)")
    assert sum(bottom <= 900 for bottom in rows) >= 14
    assert page.evaluate("getComputedStyle(document.body).fontSize") == "14px"


def test_d5_the_end_of_a_turn_is_told_by_how_it_ended(lived_in: House, owner: StorageState, visit: Visit) -> None:
    page, _ = visit(lived_in, storage_state=owner)
    told = page.locator("body > [aria-live=polite]")
    page.goto("/")
    say(page, "help")
    expect(told).to_have_text("Answer complete")
    begin_slow_turn(page)
    page.keyboard.press("Control+.")
    expect(told).to_have_text("Stopped")


def test_n5_without_a_model_one_line_says_so_until_it_is_dismissed(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    page.goto("/library")
    banner = page.locator(".banner")
    expect(banner).to_contain_text(NO_MODEL)
    assert barriers(page) == []
    banner.get_by_role("link", name="Connect a model").click()
    expect(page.get_by_role("heading", name="Models")).to_be_visible()
    banner.get_by_role("button", name="Dismiss").click()
    expect(banner).to_have_count(0)
    page.reload()
    expect(page.get_by_role("heading", name="Models")).to_be_visible()
    expect(banner).to_have_count(0)
    eyes.saw_nothing_wrong()


def test_n5_a_server_with_another_build_offers_to_reload(lived_in: House, owner: StorageState, visit: Visit) -> None:
    page, _ = visit(lived_in, storage_state=owner)
    with page.expect_websocket() as opened:
        page.goto("/")
    opened.value.wait_for_event("framereceived")
    page.route(
        lived_in.url + "/",
        lambda route: route.fulfill(
            content_type="text/html", body='<!doctype html><script type="module" src="/assets/index-other.js"></script>'
        ),
    )
    page.context.set_offline(True)
    expect(page.locator(".banner")).to_contain_text("You are offline")
    lived_in.kill()
    page.context.set_offline(False)
    lived_in.start()
    expect(page.locator(".banner")).to_contain_text("The server runs a new version", timeout=20_000)
    expect(page.locator(".banner").get_by_role("button", name="Reload")).to_be_visible()


def test_n6_a_page_that_waits_shows_its_skeleton_at_once(lived_in: House, owner: StorageState, visit: Visit) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    held: list[Route] = []
    page.route("**/api/agents*", lambda route: held.append(route))
    page.goto("/library")
    expect(page.locator("main").get_by_label("Loading")).to_be_visible()
    assert barriers(page) == []
    for route in held:
        route.continue_()
    page.unroute_all()
    expect(page.get_by_role("link", name="Greeting", exact=True)).to_be_visible()
    expect(page.get_by_label("Loading")).to_have_count(0)
    eyes.saw_nothing_wrong()


def test_n6_what_is_absent_or_anothers_is_one_identical_page(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, _ = visit(lived_in, storage_state=owner)
    nobody = "01900000-0000-7000-8000-000000000000"
    paths = (f"/chat/{nobody}", f"/library/agents/{nobody}", f"/library/runs/{nobody}", "/no/such/page")
    for path in paths:
        page.goto(path)
        expect(page.get_by_role("heading", name="There is nothing here")).to_be_visible()
        expect(page.get_by_role("link", name="Go to AutoPilot")).to_be_visible()
