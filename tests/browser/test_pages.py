"""Every page in both themes, wide and narrow, empty and filled: nothing in anybody's way, nothing cut off."""

from collections.abc import Generator
from typing import Any, Literal, TypeAlias

import pytest
from playwright.sync_api import Browser, Page, StorageState, expect

from tests.browser.agents import ASKING, GREETING, delegating
from tests.browser.conftest import PHONE, WIDE, Visit, ask
from tests.browser.eyes import COLOURS, barriers, clipped, shifted
from tests.browser.house import House

MOST_SHIFT = 0.05
CREDENTIAL = {"type": "api_key", "provider": "github", "title": "Harbour key", "api_key": "ghp_0123456789abcd"}
Resident: TypeAlias = dict[str, Any]
Theme: TypeAlias = Literal["light", "dark"]
BOTH: tuple[Theme, ...] = ("light", "dark")
EMPTY = ["/", "/library", "/activity", "/build", "/settings", "/settings/credentials", "/settings/api-keys"]
SIZES = {"wide": WIDE, "phone": PHONE}


@pytest.fixture(scope="module")
def resident(lived_in: House, owner: StorageState, browser: Browser) -> Generator[Resident]:
    """The owner's cookies, and the things of a first day."""
    context = browser.new_context(base_url=lived_in.url, storage_state=owner)
    page = context.new_page()
    page.goto("/")
    found: dict[str, Any] = {"empty": check_all(page, EMPTY)}
    agent = ask(page, "POST", "/api/agents", {"graph": GREETING})
    run = ask(page, "POST", f"/api/agents/{agent['id']}/runs", {"inputs": {"name": "World"}})
    for nth, words in enumerate(("help", "find blocks for working with text"), 1):
        page.get_by_label("Message AutoPilot").fill(words)
        page.keyboard.press("Enter")
        expect(page.locator(".turn-end")).to_have_count(nth)
    chat = page.url.removeprefix(lived_in.url)
    ask(page, "POST", "/api/credentials", CREDENTIAL)
    ask(page, "POST", "/api/api-keys", {"name": "Harbour clock", "scopes": ["agents:read", "runs:read"]})
    found["paths"] = [
        "/",
        chat,
        "/library",
        f"/library/agents/{agent['id']}",
        f"/library/runs/{run['id']}",
        "/build",
        f"/build/{agent['id']}",
        f"/library/agents/{agent['id']}?tab=versions",
        f"/library/agents/{agent['id']}?tab=settings",
        "/activity",
        "/settings",
        "/settings/credentials",
        "/settings/api-keys",
        "/no/such/page",
    ]
    yield {**found, "state": context.storage_state()}
    context.close()


def settled(page: Page, path: str) -> None:
    page.goto(path)
    page.locator("main").wait_for()
    expect(page.get_by_label("Loading")).to_have_count(0)
    if path.startswith("/build/"):
        page.locator(".block-node").first.wait_for()


def barriers_in(page: Page) -> list[str]:
    """All rules in the first theme; in another the same page can differ in nothing but its colours."""
    wrong: list[str] = []
    for theme in BOTH:
        page.emulate_media(color_scheme=theme)
        rules = () if theme == BOTH[0] else COLOURS
        wrong += [f"{theme} {found}" for found in barriers(page, rules)]
    return wrong


def check_all(page: Page, paths: list[str]) -> list[str]:
    """What is wrong with these pages; colours depend on the theme, widths do not."""
    wrong: list[str] = []
    back = page.url
    for path in paths:
        settled(page, path)
        if (jump := shifted(page)) >= MOST_SHIFT:
            wrong.append(f"{path} jumps by {jump:.3f}")
        wrong += [f"{path} {found}" for found in clipped(page)]
        wrong += [f"{path} {found}" for found in barriers_in(page)]
    page.goto(back)
    return wrong


def test_d3_d6_d7_empty_pages_have_no_barrier_and_nothing_clipped(resident: Resident) -> None:
    assert resident["empty"] == []


@pytest.mark.parametrize("size", SIZES)
def test_d3_d6_d7_no_page_has_a_barrier_clips_its_text_or_jumps(
    size: str, lived_in: House, resident: Resident, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=resident["state"], viewport=SIZES[size])
    page.goto("/")
    assert check_all(page, resident["paths"]) == []
    eyes.saw_nothing_wrong()


def wrong_with(page: Page) -> list[str]:
    """What is wrong with the page as it stands, in both themes."""
    return clipped(page) + barriers_in(page)


@pytest.mark.parametrize("size", SIZES)
def test_d3_d6_what_a_run_waits_for_can_be_read_and_followed(
    size: str, lived_in: House, resident: Resident, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=resident["state"], viewport=SIZES[size])
    page.goto("/library")
    inner = ask(page, "POST", "/api/agents", {"graph": ASKING})
    outer = ask(page, "POST", "/api/agents", {"graph": delegating(inner["id"])})
    run = ask(page, "POST", f"/api/agents/{outer['id']}/runs", {"inputs": {}})
    page.goto(f"/library/runs/{run['id']}?view=list")
    page.locator("summary", has_text="waiting").click()
    expect(page.locator(".step-body")).to_contain_text("Waits for the agent inside")
    assert wrong_with(page) == []
    page.get_by_role("link", name="The run of the agent inside").click()
    page.get_by_role("button", name="Approve").wait_for()
    page.get_by_text("List", exact=True).click()
    page.locator("summary", has_text="waiting").click()
    assert wrong_with(page) == []
    page.get_by_role("link", name="part of another run").click()
    expect(page).to_have_url(f"{lived_in.url}/library/runs/{run['id']}")
    eyes.saw_nothing_wrong()


@pytest.mark.parametrize("size", SIZES)
def test_d3_d6_versions_and_their_differences_can_be_read(
    size: str, lived_in: House, resident: Resident, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=resident["state"], viewport=SIZES[size])
    page.goto("/library")
    agent = ask(page, "POST", "/api/agents", {"graph": GREETING})
    longer = [{"op": "set_name", "value": "Greeting for the captains of all ships " + "x" * 60}]
    note = "A longer name, which says who is greeted, and a note that is rather long as well."
    ask(page, "PATCH", f"/api/agents/{agent['id']}", {"base_version": 1, "ops": longer, "note": note})
    page.goto(f"/library/agents/{agent['id']}?tab=versions")
    compare = page.get_by_role("button", name="Compare version 1")
    compare.wait_for()
    assert wrong_with(page) == []
    compare.click()
    page.get_by_role("list", name="Changes").wait_for()
    assert wrong_with(page) == []
    eyes.saw_nothing_wrong()


def test_q1_the_first_load_is_small(lived_in: House, visit: Visit) -> None:
    """Scripts as they travel; what renders Markdown and the builder comes when it is needed."""
    page, _ = visit(lived_in)
    sizes: list[int] = []
    page.on("requestfinished", lambda request: sizes.append(request.sizes()["responseBodySize"]))
    page.goto("/login", wait_until="networkidle")
    assert 50_000 < sum(sizes) <= 250_000


def test_d2_a_chosen_theme_is_there_before_the_first_paint(lived_in: House, resident: Resident, visit: Visit) -> None:
    page, _ = visit(lived_in, storage_state=resident["state"], color_scheme="light")
    page.goto("/settings")
    page.get_by_role("radio", name="Dark").check(force=True)
    page.route("**/assets/*.js", lambda route: route.abort())
    page.reload(wait_until="commit")
    page.wait_for_load_state("domcontentloaded")
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "dark"


def test_d4_the_palette_goes_anywhere_and_esc_gives_the_focus_back(
    lived_in: House, resident: Resident, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=resident["state"])
    page.goto("/library")
    page.get_by_role("link", name="Harbour greeting").focus()
    page.keyboard.press("Control+k")
    expect(page.locator(".palette-input")).to_be_focused()
    assert barriers(page) == []
    page.keyboard.press("Escape")
    expect(page.get_by_role("link", name="Harbour greeting")).to_be_focused()
    page.keyboard.press("Control+k")
    page.keyboard.type("activ")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Activity")).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("Keyboard shortcuts")
    eyes.saw_nothing_wrong()


def test_d4_on_a_phone_too_the_focus_comes_along_to_a_new_page(
    lived_in: House, resident: Resident, visit: Visit
) -> None:
    page, _ = visit(lived_in, storage_state=resident["state"], viewport=PHONE)
    page.goto("/")
    page.get_by_label("Message AutoPilot").fill("build an agent that takes a name and greets it")
    page.keyboard.press("Enter")
    page.locator(".turn-end").wait_for()
    expect(page.locator("main")).to_be_focused()
    page.get_by_role("link", name="Open", exact=True).press("Enter")
    page.locator(".block-node").first.wait_for()
    expect(page.locator("main")).to_be_focused()
