"""What concerns every page: the way around, density, news for the ear, banners."""

import pytest
from playwright.sync_api import Browser, Page, StorageState, ViewportSize, expect

from tests.browser.agents import GREETING
from tests.browser.conftest import PHONE, WIDE, Visit, ask
from tests.browser.eyes import barriers, clipped
from tests.browser.house import House
from tests.browser.test_chat import begin_slow_turn, say

NO_MODEL = "No model is connected"
AWAY = "The server does not answer. This can be done when it is back."


PLACES = {"AutoPilot": "/", "Build": "/build", "Library": "/library", "Activity": "/activity", "Settings": "/settings"}
ROW = 33
LINES = "(banner) => Math.round(banner.getBoundingClientRect().height)"


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_n1_a_rail_beside_the_page_or_a_bar_below_it_leads_everywhere(
    size: ViewportSize, lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner, viewport=size)
    page.goto("/")
    rail = page.get_by_role("navigation", name="Main")
    links = rail.get_by_role("listitem").get_by_role("link")
    shown = list(PLACES)[: 4 if size == PHONE else None]  # the drawer has the rest
    expect(links).to_have_text(shown)
    for name in shown:
        links.get_by_text(name).click()
        expect(page).to_have_url(lived_in.url + PLACES[name])
        expect(rail.locator("li [aria-current=page]")).to_have_text(name)
    beside, main = rail.bounding_box(), page.locator("main").bounding_box()
    assert beside is not None
    assert main is not None
    if size == WIDE:
        assert beside["x"] + beside["width"] <= main["x"]
    else:
        assert beside["y"] >= main["y"] + main["height"]
        assert beside["y"] + beside["height"] == size["height"]
    eyes.saw_nothing_wrong()


def test_n1_on_a_phone_a_drawer_has_every_page(lived_in: House, owner: StorageState, visit: Visit) -> None:
    page, eyes = visit(lived_in, storage_state=owner, viewport=PHONE)
    page.goto("/library")
    opens = page.get_by_role("navigation", name="Main").get_by_role("button", name="Menu")
    pages = page.get_by_role("dialog").get_by_role("navigation", name="All pages").get_by_role("link")
    opens.click()
    expect(pages).to_have_text([*PLACES, "Credentials", "API keys"])
    expect(pages.and_(page.locator("[aria-current=page]"))).to_have_text("Library")
    for width in (390, 360):
        page.set_viewport_size({"width": width, "height": 800})
        assert clipped(page) == barriers(page) == []
    page.keyboard.press("Escape")
    expect(opens).to_be_focused()
    opens.click()
    pages.get_by_text("Settings").click()
    expect(page).to_have_url(f"{lived_in.url}/settings")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.locator("main")).to_be_focused()
    eyes.saw_nothing_wrong()


def test_n1_d4_on_a_phone_the_search_opens_by_touch(lived_in: House, owner: StorageState, browser: Browser) -> None:
    with browser.new_context(base_url=lived_in.url, storage_state=owner, viewport=PHONE, has_touch=True) as context:
        page = context.new_page()
        page.goto("/library")
        search = page.get_by_role("navigation", name="Main").get_by_role("button", name="Search")
        for width in (390, 360):
            page.set_viewport_size({"width": width, "height": 800})
            search.tap()
            expect(page.locator(".palette-input")).to_be_focused()
            assert clipped(page) == []
            assert barriers(page) == []
            page.touchscreen.tap(width / 2, 790)  # beside it
            expect(page.get_by_role("dialog")).to_have_count(0)
        search.tap()
        page.keyboard.type("activ")
        page.get_by_role("option", name="Activity").tap()
        expect(page.get_by_role("heading", name="Activity")).to_be_visible()


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


def test_n5_a_banner_is_one_line_on_a_phone(lived_in: House, owner: StorageState, visit: Visit) -> None:
    page, _ = visit(lived_in, storage_state=owner, viewport=PHONE)
    page.goto("/library")
    expect(page.locator(".banner")).to_contain_text(NO_MODEL)
    one_line(page)
    page.context.set_offline(True)
    expect(page.locator(".banner")).to_contain_text("You are offline")
    one_line(page)


def one_line(page: Page) -> None:
    """As high as a row, and nothing of it cut, also on the narrowest phone."""
    for width in (390, 360):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.locator(".banner").evaluate(LINES) <= ROW
        assert clipped(page) == []


def test_n6_without_a_server_writes_are_off_until_it_is_back(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, _ = visit(lived_in, storage_state=owner)
    page.goto("/build")
    blank = page.get_by_role("button", name="Blank agent")
    expect(blank).to_be_enabled()
    page.locator(".banner.info").wait_for()
    lived_in.kill()
    expect(page.locator(".banner")).to_contain_text("Reconnecting")
    expect(blank).to_have_accessible_description(AWAY)
    blank.focus()
    page.keyboard.press("Enter")
    expect(page.locator("body > [aria-live=polite]")).to_have_text(AWAY)
    lived_in.start()
    expect(blank).to_be_enabled()
    blank.click()
    page.locator(".builder").wait_for()


def test_n6_what_refuses_sockets_only_leaves_writes_on(lived_in: House, owner: StorageState, visit: Visit) -> None:
    page, _ = visit(lived_in, storage_state=owner)
    page.route_web_socket("**/api/ws", lambda socket: socket.close())
    with page.expect_response("**/health/live"):
        page.goto("/build")
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    expect(page.locator(".banner")).to_contain_text("Reconnecting")
    expect(page.get_by_role("button", name="Blank agent")).to_be_enabled()


def test_n5_a_server_with_another_build_offers_to_reload(lived_in: House, owner: StorageState, visit: Visit) -> None:
    page, _ = visit(lived_in, storage_state=owner)
    with page.expect_websocket() as opened:
        page.goto("/library")  # a page that follows nothing live
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
    expect(page.locator(".banner")).to_contain_text("The server runs a new version")
    expect(page.locator(".banner").get_by_role("button", name="Reload")).to_be_visible()


def test_d11_a_chat_without_messages_says_what_can_be_asked(lived_in: House, owner: StorageState, visit: Visit) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    page.goto("/")
    made = ask(page, "POST", "/api/chat/sessions", {"dry_run": False})
    page.goto(f"/chat/{made['id']}")
    expect(page.locator(".suggestion")).to_have_count(4)
    assert barriers(page) == clipped(page) == []
    page.locator(".suggestion").last.click()
    expect(page.locator(".turn-end")).to_be_visible()
    expect(page.locator(".suggestion")).to_have_count(0)
    eyes.saw_nothing_wrong()
