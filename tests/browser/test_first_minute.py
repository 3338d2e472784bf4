"""From the printed link to the first output: by keyboard, within a minute, with nothing from elsewhere."""

import time

from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.house import EMAIL, PASSWORD, House
from tests.browser.keyboard import focused, tab_to

WISH = "build an agent that takes a name and greets it"


def test_f1_f2_the_first_minute_by_keyboard_alone(house: House, visit: Visit) -> None:
    """Scenarios 1 and 3: the link, the owner, an agent asked for, opened, run, and its output read."""
    page, eyes = visit(house)
    start = time.monotonic()

    page.goto(house.link)
    become_owner(page)
    ask_for_an_agent(page)
    open_and_run(page)

    assert time.monotonic() - start <= 60
    eyes.saw_nothing_wrong()
    the_link_is_dead(house, visit)


def become_owner(page: Page) -> None:
    page.get_by_role("heading", name="Welcome aboard").wait_for()
    assert "token" not in page.url, "the token leaves the address bar at once"
    assert "offline pilot" in page.locator("form").inner_text(), "it is said who answers until a model is connected"
    assert focused(page) == "Name"
    for words in ("Ada Lovelace", EMAIL, PASSWORD):
        page.keyboard.type(words)
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.get_by_label("Message AutoPilot").wait_for()


def ask_for_an_agent(page: Page) -> None:
    expect(page.get_by_label("Message AutoPilot")).to_be_focused()
    page.keyboard.type(WISH)
    page.keyboard.press("Enter")
    page.locator(".turn-end").wait_for()
    expect(page.locator(".composer")).to_contain_text("Offline pilot")
    assert page.locator('[data-kind="user"]').count() == 1


def open_and_run(page: Page) -> None:
    tab_to(page, "Open", backwards=True)
    page.keyboard.press("Enter")
    page.locator(".block-node").first.wait_for()
    tab_to(page, "Run")
    page.keyboard.press("Enter")
    field = page.locator(".builder-panel form input, .builder-panel form textarea").first
    field.wait_for()
    tab_to(page, field.evaluate("(input) => input.labels[0].textContent.trim()"))
    page.keyboard.type("World")
    page.keyboard.press("Enter")
    expect(page.locator(".builder-panel .outputs")).to_contain_text("World")
    expect(page.locator(".builder-panel .status").first).to_have_text("completed")
    tab_to(page, "Versions", backwards=True)
    page.keyboard.press("Enter")
    expect(page.locator(".version-row")).to_contain_text("AutoPilot")  # B11: who wrote it


def the_link_is_dead(house: House, visit: Visit) -> None:
    stranger, _ = visit(house)
    stranger.goto(house.link)
    expect(stranger.get_by_role("heading", name="Sign in")).to_be_visible()
