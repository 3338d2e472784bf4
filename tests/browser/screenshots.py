"""Pictures of every page in both themes, wide and narrow: `python -m tests.browser.screenshots FOLDER`.

They are made to be looked at by a person; what a program can see is in the tests.
"""

import re
import sys
import tempfile
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Page, expect, sync_playwright

from scripts import chromium
from tests.browser.agents import ASKING, GREETING
from tests.browser.conftest import FLAGS, PHONE, WIDE, ask, make_owner
from tests.browser.house import House
from tests.browser.routes import PAGES, address

SIZES = {"1440": WIDE, "390": PHONE}
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
KEY = {"type": "api_key", "provider": "github", "title": "Harbour key", "api_key": "ghp_0123456789abcd"}


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        house = House(Path(place) / "house")
        house.start()
        browser = playwright.chromium.launch(executable_path=chromium.find(), args=FLAGS)
        try:
            take_all(browser, house, folder)
        finally:
            browser.close()
            house.kill()


def take_all(browser: Browser, house: House, folder: Path) -> None:
    context = browser.new_context(base_url=house.url)
    page = context.new_page()
    make_owner(page, house)
    places = furnished(page)
    state = context.storage_state()
    for width, size in SIZES.items():
        for theme in THEMES:
            context = browser.new_context(base_url=house.url, storage_state=state, viewport=size, color_scheme=theme)
            page = context.new_page()
            for name, path in places.items():
                take(page, path, folder / f"{name}-{width}-{theme}.png")
            if size == PHONE:
                page.get_by_role("button", name="Menu").click()
                page.screenshot(path=folder / f"drawer-{width}-{theme}.png")
            context.close()


def furnished(page: Page) -> dict[str, str]:
    """The things of a first day, and where they are to be seen."""
    agent = ask(page, "POST", "/api/agents", {"graph": GREETING})
    run = ask(page, "POST", f"/api/agents/{agent['id']}/runs", {"inputs": {"name": "World"}})
    asking = ask(page, "POST", "/api/agents", {"graph": ASKING})
    waiting = ask(page, "POST", f"/api/agents/{asking['id']}/runs", {"inputs": {}})
    chat = ask(page, "POST", "/api/chat/sessions", {"dry_run": False})
    ask(page, "POST", "/api/credentials", KEY)
    ask(page, "POST", "/api/api-keys", {"name": "Harbour clock", "scopes": ["agents:read", "runs:read"]})
    talked = talk(page)
    ids = {"agentId": agent["id"], "runId": run["id"], "sessionId": chat["id"]}
    places = {_named(route): address(route, ids) for route in PAGES if set(re.findall(r"\$(\w+)", route)) <= set(ids)}
    of_agent, of_run = f"/library/agents/{agent['id']}", f"/library/runs/{run['id']}"
    return places | {
        "agent-versions": f"{of_agent}?tab=versions",
        "agent-settings": f"{of_agent}?tab=settings",
        "run-list": f"{of_run}?view=list",
        "run-step": f"{of_run}?step=1",
        "run-waiting": f"/library/runs/{waiting['id']}",
        "chat-talked": talked,
        "absent": "/no/such/page",
    }


def talk(page: Page) -> str:
    """Where a chat is to be read that has an answer, calls and cards."""
    page.goto("/")
    for nth, words in enumerate(("find blocks for working with text", "run Harbour greeting with name=World"), 1):
        page.get_by_label("Message AutoPilot").fill(words)
        page.keyboard.press("Enter")
        expect(page.locator(".turn-end")).to_have_count(nth, timeout=60_000)
    return page.url.partition("/chat/")[1] + page.url.partition("/chat/")[2]


def _named(route: str) -> str:
    return re.sub(r"\W+", "-", route).strip("-") or "home"


def take(page: Page, path: str, file: Path) -> None:
    page.goto(path)
    page.locator("main").wait_for()
    expect(page.get_by_label("Loading")).to_have_count(0)
    page.wait_for_load_state("networkidle")
    page.screenshot(path=file)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
