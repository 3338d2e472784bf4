"""The app's routes, as its router lists them, and tabs that show them."""

import re

from playwright.sync_api import Page, expect

from tests.app.commands import ROOT

ROUTER = (ROOT / "web/src/app/router.tsx").read_text()
ROUTES = re.findall(r"path: '([^']+)'", ROUTER)
DOORS = {"/setup", "/login"}  # F1 and F5 have tests of their own
REDIRECTS = {"/copilot"}  # N2
PAGES = [route for route in ROUTES if route not in DOORS | REDIRECTS]
TABS = [
    "/library/agents/$agentId?tab=versions",
    "/library/agents/$agentId?tab=settings",
    "/library/runs/$runId?view=list",
]
VIEWS = PAGES + TABS  # the tabs of a page load things of their own, which can be late, missing or broken too


def address(route: str, ids: dict[str, str]) -> str:
    return re.sub(r"\$(\w+)", lambda name: ids[name[1]], route)


def settled(page: Page) -> None:
    page.locator("main").wait_for()
    expect(page.get_by_label("Loading")).to_have_count(0)
    expect(page.get_by_role("alert")).to_have_count(0)


def opened(first: Page, places: dict[str, str]) -> dict[str, Page]:
    """A tab beside the first for each place, filled."""
    tabs = {name: first.context.new_page() for name in places}
    for name, page in tabs.items():
        page.goto(places[name])
        settled(page)
        page.locator("main h1, main textarea").first.wait_for()
    return tabs
