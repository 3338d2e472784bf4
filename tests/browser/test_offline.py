"""Without a network every page keeps what it has and what is typed, and writes nothing."""

import re

from playwright.sync_api import Locator, Page, Request, expect

from tests.browser.agents import ASKING
from tests.browser.conftest import Things, Visit, ask
from tests.browser.eyes import barriers
from tests.browser.house import House
from tests.browser.routes import PAGES, address, opened

# Press whatever can be pressed, in the topmost dialog first, and come back from wherever it led. Answers how much that
# was, and how much was held back at the most: what pressing leaves behind may have nothing to write.
PRESS_EVERYTHING = """async () => {
  const moment = () => new Promise((resolve) => setTimeout(resolve, 20));
  const home = location.href;
  const count = () => document.querySelectorAll('main [aria-disabled=true]').length;
  let held = count();
  for (var pressed = 0; pressed < 100; pressed++) {
    const dialog = [...document.querySelectorAll('dialog[open]')].at(-1);
    const free = 'button:not(:disabled, [aria-disabled=true], [data-pressed])';
    const button = [...(dialog ?? document.querySelector('main')).querySelectorAll(free)].at(-1);
    if (!button && !dialog) break;
    button?.setAttribute('data-pressed', '');
    if (button) button.click();
    else dialog.dispatchEvent(new Event('cancel', {cancelable: true}));
    await moment();
    held = Math.max(held, count());
    if (location.href !== home) history.replaceState({}, '', home);  // what was replaced has no way back
    while (location.href !== home) await moment();
  }
  return [pressed, held];
}"""
TYPED = "kept for later on"
TEXTS = "main :is(textarea, input:not([type=radio], [type=checkbox])):not([readonly]):visible"
HELD = "main [aria-disabled=true]:visible"
UNSAFE = {"POST", "PUT", "PATCH", "DELETE"}
NOTHING_TO_WRITE = {"/activity"}


def test_n6_every_page_without_a_network_writes_nothing_says_why_and_keeps_what_is_typed(
    lived_in: House, things: Things, visit: Visit
) -> None:
    """Pressing every button and Enter in every field sends nothing, and what would send can be reached and explains."""
    first, _ = visit(lived_in, storage_state=things.state)
    context, asking = first.context, ask_somebody(first)
    places = {route: address(route, things.ids) for route in PAGES} | {"a run that waits": f"/library/runs/{asking}"}
    tabs = opened(first, places)
    tabs["a run that waits"].get_by_role("button", name="Approve").wait_for()
    context.set_offline(True)
    written: list[str] = []

    def note(sent: Request) -> None:
        if sent.method in UNSAFE:
            written.append(f"{sent.method} {sent.url}")

    context.on("request", note)
    for route, page in tabs.items():
        page.bring_to_front()
        expect(page.locator(".banner")).to_contain_text("You are offline")
        for text in page.locator(TEXTS).all():
            text.fill(TYPED)
            text.press("Enter")
        if route == "/library":  # the address follows the search once the typing pauses
            expect(page).to_have_url(re.compile("q=kept"))
        pressed, held = page.evaluate(PRESS_EVERYTHING)
        assert pressed < 100, route
        assert (held == 0) == (route in NOTHING_TO_WRITE), route
        for control in page.locator(HELD).all():
            explains(control)
        assert barriers(page) == [], route
    assert written == []
    context.set_offline(False)
    for page in tabs.values():
        expect(page.locator(".banner.warn, [aria-disabled=true]")).to_have_count(0)
    for route in ("/", "/chat/$sessionId"):
        tabs[route].reload()
        expect(tabs[route].get_by_label("Message AutoPilot")).to_have_value(TYPED)
        expect(tabs[route].get_by_role("button", name="Send")).to_be_enabled()


def ask_somebody(page: Page) -> str:
    """The id of a run that waits until a person has decided."""
    page.goto("/library")
    agent = ask(page, "POST", "/api/agents", {"graph": ASKING})
    return ask(page, "POST", f"/api/agents/{agent['id']}/runs", {"inputs": {}})["id"]


def explains(control: Locator) -> None:
    """It can be reached, and says why it does nothing."""
    control.focus()
    expect(control).to_be_focused()
    expect(control).to_have_accessible_description(re.compile("You are offline"))


def test_n6_without_a_network_the_palette_goes_places_and_changes_nothing(
    lived_in: House, things: Things, visit: Visit
) -> None:
    page, _ = visit(lived_in, storage_state=things.state)
    page.goto("/library")
    page.locator("main h1").wait_for()
    page.context.set_offline(True)
    expect(page.locator(".banner")).to_contain_text("You are offline")
    page.keyboard.press("Control+k")
    page.keyboard.type("sign out")
    expect(page.get_by_role("option", name="Sign out")).to_be_disabled()
    page.keyboard.press("Enter")
    # All outside of an open dialog is neither seen nor heard, so what is said comes along into it.
    expect(page.locator("dialog[open] > .unseen[aria-live=polite]")).to_contain_text("You are offline")
    page.locator(".palette-input").fill("activity")
    page.keyboard.press("Enter")
    expect(page).to_have_url(lived_in.url + "/activity")
    expect(page.locator("body > .unseen[aria-live=polite]")).to_have_count(1)


def test_b9_n6_a_graph_is_checked_once_there_is_a_network_again(lived_in: House, things: Things, visit: Visit) -> None:
    page, _ = visit(lived_in, storage_state=things.state)
    page.goto(f"/build/{things.ids['agentId']}")
    with page.expect_response("**/api/agents/validate"):
        page.locator(".block-node").first.wait_for()
    asked: list[str] = []
    page.on("request", lambda sent: asked.append(sent.url) if "validate" in sent.url else None)
    page.context.set_offline(True)
    expect(page.locator(".banner")).to_contain_text("You are offline")
    page.locator(".outline").get_by_role("button", name="Fill text template").click()
    page.get_by_label("format", exact=True).fill("")
    expect(page.locator('.block-node[data-mark="error"]')).to_have_count(1)  # what can be seen here is seen
    page.wait_for_timeout(1_500)  # three times the pause before a check
    assert asked == []
    with page.expect_response("**/api/agents/validate") as answer:
        page.context.set_offline(False)
    assert [issue["field"] for issue in answer.value.json()["issues"]] == ["format"]
