"""Every route of the app, as its router lists them: each has all the states of a page, and shows them in time."""

import re
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, Route, StorageState, expect

from tests.app.commands import ROOT
from tests.browser.agents import ASKING, GREETING
from tests.browser.conftest import Visit, ask, make_owner
from tests.browser.eyes import barriers
from tests.browser.house import House

ROUTER = (ROOT / "web/src/app/router.tsx").read_text()
ROUTES = re.findall(r"path: '([^']+)'", ROUTER)
DOORS = {"/setup", "/login"}  # F1 and F5 have tests of their own
REDIRECTS = {"/copilot"}  # N2
PAGES = [route for route in ROUTES if route not in DOORS | REDIRECTS]
NOBODY = "01900000-0000-7000-8000-000000000000"
DATA = re.compile(r"/api/(?!setup/status|auth/me|ws)")
CODE_AND_DATA = re.compile(rf"/assets/|{DATA.pattern}")
BROKEN = {"code": "internal", "message": "It broke.", "detail": None, "hint": "Try later.", "request_id": "r-1"}
MOST_MILLIS = 100
TRIES = 3

UNTIL_SKELETON = """(path) => new Promise((resolve) => {
  const start = performance.now();
  const look = () => {
    if (location.pathname === path && document.querySelector('main [aria-label=Loading]'))
      requestAnimationFrame(() => resolve(performance.now() - start));
    else if (performance.now() - start > 2000) resolve(Infinity);
    else requestAnimationFrame(look);
  };
  history.pushState({}, '', path);
  look();
})"""

RETRY_SHOWS_SKELETON = """() => new Promise((resolve) => {
  for (const button of document.querySelectorAll('main [role=alert] button')) button.click();
  requestAnimationFrame(() => requestAnimationFrame(() =>
    resolve(document.querySelector('main [aria-label=Loading]') && !document.querySelector('main [role=alert]'))));
})"""

# Press whatever can be pressed, in the topmost dialog first, and come back from wherever it led.
PRESS_EVERYTHING = """async () => {
  const moment = () => new Promise((resolve) => setTimeout(resolve, 20));
  const home = location.href;
  for (var pressed = 0; pressed < 100; pressed++) {
    const dialog = [...document.querySelectorAll('dialog[open]')].at(-1);
    const free = 'button:not(:disabled, [aria-disabled=true], [data-pressed])';
    const button = [...(dialog ?? document.querySelector('main')).querySelectorAll(free)].at(-1);
    if (!button && !dialog) break;
    button?.setAttribute('data-pressed', '');
    if (button) button.click();
    else dialog.dispatchEvent(new Event('cancel', {cancelable: true}));
    await moment();
    if (location.href !== home) history.back();
    while (location.href !== home) await moment();
  }
  return pressed;
}"""
TYPED = "kept for later on"
TEXTS = "main :is(textarea, input:not([type=radio], [type=checkbox])):not([readonly]):visible"
HELD = "main [aria-disabled=true]:visible"
UNSAFE = {"POST", "PUT", "PATCH", "DELETE"}
NOTHING_TO_WRITE = {"/library", "/library/runs/$runId", "/activity"}  # that run is over


@dataclass
class Wire:
    """What the pages ask for goes through here: it passes, waits, or fails."""

    mode: Literal["passes", "waits", "fails"] = "passes"
    held: list[Route] = field(default_factory=list[Route])

    def __call__(self, route: Route) -> None:
        if self.mode == "waits":
            self.held.append(route)
        elif self.mode == "fails":
            route.fulfill(status=500, json=BROKEN)
        else:
            route.continue_()

    def release(self) -> None:
        self.mode = "passes"
        while self.held:
            self.held.pop().continue_()


@dataclass(frozen=True)
class Things:
    """One of each thing that a route may name, and the cookies of their owner."""

    ids: dict[str, str]
    state: StorageState


@pytest.fixture(scope="module")
def things(lived_in: House, browser: Browser) -> Generator[Things]:
    context = browser.new_context(base_url=lived_in.url)
    page = context.new_page()
    make_owner(page, lived_in)
    agent = ask(page, "POST", "/api/agents", {"graph": GREETING})
    run = ask(page, "POST", f"/api/agents/{agent['id']}/runs", {"inputs": {"name": "World"}})
    rename = [{"op": "set_name", "value": "Port greeting"}]  # a second version, so that there is one to bring back
    ask(page, "PATCH", f"/api/agents/{agent['id']}", {"base_version": 1, "ops": rename})
    chat = ask(page, "POST", "/api/chat/sessions", {"dry_run": False})
    ids = {"agentId": agent["id"], "runId": run["id"], "sessionId": chat["id"]}
    yield Things(ids, context.storage_state())
    context.close()


def ask_somebody(page: Page) -> str:
    """The id of a run that waits until a person has decided."""
    page.goto("/library")
    agent = ask(page, "POST", "/api/agents", {"graph": ASKING})
    return ask(page, "POST", f"/api/agents/{agent['id']}/runs", {"inputs": {}})["id"]


def address(route: str, ids: dict[str, str]) -> str:
    return re.sub(r"\$(\w+)", lambda name: ids[name[1]], route)


def settled(page: Page) -> None:
    page.locator("main").wait_for()
    expect(page.get_by_label("Loading")).to_have_count(0)
    expect(page.get_by_role("alert")).to_have_count(0)


def test_n6_the_router_has_no_route_that_these_tests_do_not_read() -> None:
    assert len(PAGES) >= 9
    assert len(ROUTES) == len(re.findall(r"\bcreateRoute\(", ROUTER))
    assert set(ROUTES) >= DOORS | REDIRECTS


def test_n6_every_page_that_waits_shows_its_skeleton_and_then_what_came(
    lived_in: House, things: Things, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=things.state)
    wire = Wire()
    page.route(DATA, lambda asked: wire(asked))
    silent: list[str] = []
    for route in PAGES:
        wire.mode = "waits"
        page.goto(address(route, things.ids))
        page.locator("main h1, main [aria-label=Loading]").first.wait_for()
        if not wire.held:
            silent.append(route)  # it needs no more than who is here
        else:
            expect(page.locator("main").get_by_label("Loading").first).to_be_visible()
            assert barriers(page) == [], route
        wire.release()
        settled(page)
    assert silent == ["/settings"]
    eyes.saw_nothing_wrong()


def test_d7_every_page_shows_a_skeleton_within_100_ms(lived_in: House, things: Things, visit: Visit) -> None:
    """Code and data are both held back; the best of a few tries, for a busy machine is not the page's fault."""
    page, _ = visit(lived_in, storage_state=things.state)
    page.goto("/settings")
    settled(page)
    page.route(CODE_AND_DATA, lambda held: None)
    slow: dict[str, float] = {}
    for route in (route for route in PAGES if route != "/settings"):
        took: list[float] = []
        for _ in range(TRIES):
            took.append(page.evaluate(UNTIL_SKELETON, address(route, things.ids)))
            page.evaluate("history.pushState({}, '', '/settings')")
            page.get_by_role("heading", name="Settings").wait_for()
        if min(took) > MOST_MILLIS:
            slow[route] = min(took)
    assert slow == {}


def test_n6_every_page_that_fails_says_so_and_recovers_without_a_reload(
    lived_in: House, things: Things, visit: Visit
) -> None:
    """All in tabs at once: what the server failed at is tried again a few times before anybody is told."""
    first, _ = visit(lived_in, storage_state=things.state)
    context = first.context
    wire = Wire("fails")
    context.route(DATA, lambda asked: wire(asked))
    tabs = {route: context.new_page() for route in PAGES if route != "/settings"}
    for route, page in tabs.items():
        page.goto(address(route, things.ids))
    for route, page in tabs.items():
        panel = page.get_by_role("alert").first
        expect(panel).to_contain_text("It broke.")
        for words in ("internal", "Try later.", "r-1"):
            expect(panel).to_contain_text(words)
        assert barriers(page) == [], route
    wire.mode = "waits"
    for route, page in tabs.items():
        page.bring_to_front()  # a tab in the back paints one frame a second
        assert page.evaluate(RETRY_SHOWS_SKELETON), route
    wire.release()
    for page in tabs.values():
        settled(page)


def test_n5_n6_every_page_goes_on_showing_what_it_had_when_the_network_is_gone(
    lived_in: House, things: Things, visit: Visit
) -> None:
    first, _ = visit(lived_in, storage_state=things.state)
    tabs = {route: first.context.new_page() for route in PAGES}
    shown: dict[str, str] = {}
    for route, page in tabs.items():
        page.goto(address(route, things.ids))
        settled(page)
        page.locator("main h1, main textarea").first.wait_for()
    for route, page in tabs.items():
        page.wait_for_load_state("networkidle")
        shown[route] = page.locator("main").inner_text()
    first.context.set_offline(True)
    for route, page in tabs.items():
        expect(page.locator(".banner")).to_contain_text("You are offline")
        assert page.locator("main").inner_text() == shown[route], route
    first.context.set_offline(False)
    for page in tabs.values():
        expect(page.locator(".banner.warn")).to_have_count(0)


def test_n6_every_page_without_a_network_writes_nothing_says_why_and_keeps_what_is_typed(
    lived_in: House, things: Things, visit: Visit
) -> None:
    """Pressing every button and Enter in every field sends nothing, and what would send can be reached and explains."""
    first, _ = visit(lived_in, storage_state=things.state)
    context = first.context
    asking = ask_somebody(first)
    places = {route: address(route, things.ids) for route in PAGES} | {"a run that waits": f"/library/runs/{asking}"}
    tabs = {route: context.new_page() for route in places}
    for route, page in tabs.items():
        page.goto(places[route])
        settled(page)
        page.locator("main h1, main textarea").first.wait_for()
    tabs["a run that waits"].get_by_role("button", name="Approve").wait_for()
    context.set_offline(True)
    written: list[str] = []
    context.on("request", lambda sent: written.append(f"{sent.method} {sent.url}") if sent.method in UNSAFE else None)
    for route, page in tabs.items():
        page.bring_to_front()
        expect(page.locator(".banner")).to_contain_text("You are offline")
        for text in page.locator(TEXTS).all():
            text.fill(TYPED)
            text.press("Enter")
        assert page.evaluate(PRESS_EVERYTHING) < 100, route
        held = page.locator(HELD)
        assert (held.count() == 0) == (route in NOTHING_TO_WRITE), route
        for control in held.all():
            expect(control).to_have_accessible_description(re.compile("You are offline"))
            control.focus()
            expect(control).to_be_focused()
        assert barriers(page) == [], route
    assert written == []
    context.set_offline(False)
    for page in tabs.values():
        expect(page.locator(".banner.warn, [aria-disabled=true]")).to_have_count(0)
    for route in ("/", "/chat/$sessionId"):
        tabs[route].reload()
        expect(tabs[route].get_by_label("Message AutoPilot")).to_have_value(TYPED)
        expect(tabs[route].get_by_role("button", name="Send")).to_be_enabled()


def test_n6_every_page_of_a_thing_that_is_absent_is_one_identical_page(
    lived_in: House, things: Things, visit: Visit
) -> None:
    page, _ = visit(lived_in, storage_state=things.state)
    seen: set[str] = set()
    for route in [route for route in PAGES if "$" in route] + ["/no/such/page", "/admin"]:
        page.goto(address(route, dict.fromkeys(things.ids, NOBODY)))
        absent = page.locator(".empty", has_text="There is nothing here")
        expect(absent).to_be_visible()
        seen.add(absent.inner_html())
    assert len(seen) == 1


def emptied(route: Route) -> None:
    """The server's own answer, with nothing in its lists."""
    answer = route.fetch()
    body: dict[str, object] = answer.json()
    nothing: list[object] = []
    route.fulfill(
        response=answer, json={key: nothing if isinstance(value, list) else value for key, value in body.items()}
    )


def test_d11_every_page_of_an_empty_account_has_something_to_do(lived_in: House, things: Things, visit: Visit) -> None:
    page, eyes = visit(lived_in, storage_state=things.state)
    page.route(DATA, emptied)
    for route in [route for route in PAGES if "$" not in route]:
        page.goto(route)
        settled(page)
        expect(page.locator("main :is(a.button, button:enabled)").first).to_be_visible()
        assert barriers(page) == [], route
    page.unroute_all()
    eyes.saw_nothing_wrong()
