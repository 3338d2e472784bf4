"""In the pseudo-language every text of ours wears accents, so whatever wears none did not come from the catalogue."""

from playwright.sync_api import Page, StorageState, expect

from tests.browser.agents import EXAMPLE, GREETING
from tests.browser.conftest import Visit, ask
from tests.browser.house import House

# Times come from the browser, values from runs; code, keys and arguments are no words, names of providers are theirs.
BARE = """async ([paths]) => {
  const told = [];
  for (const path of paths) told.push(await (await fetch(path)).text());
  const data = told.join(' ').toLowerCase();
  const isData = (words) => data.includes(JSON.stringify(words).slice(1, -1).toLowerCase());
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  const OTHERS = 'script, style, time, code, kbd, [name=kind] option, datalist, .tool-details .value, '
    + '.inspector .values dd';
  while (walk.nextNode()) {
    const text = walk.currentNode.textContent.trim();
    const inside = walk.currentNode.parentElement;
    if (!/[aeiou]/i.test(text) || /[áéíóú]/i.test(text) || inside.closest(OTHERS)) continue;
    if (!isData(text) && !text.split(', ').every(isData)) found.push(text);
  }
  for (const element of document.querySelectorAll('[aria-label], [placeholder]')) {
    const label = element.getAttribute('aria-label') ?? element.getAttribute('placeholder');
    if (!/[áéíóú]/i.test(label) && /[aeiou]/i.test(label) && !data.includes(label.toLowerCase())) found.push(label);
  }
  return found;
}"""
MESSAGE = "Mésságé ÁútóPílót"
DATA = ["/api/chat/sessions", "/api/library/agents", "/api/runs", "/api/credentials", "/api/api-keys", "/api/me"]
KEY = {"type": "api_key", "provider": "github", "title": "Work", "api_key": "canary-0123456789"}

TALKS = ["help", "find blocks for working with text", "build an agent that takes a name and greets it"]


def talked(page: Page, words: str) -> str:
    """The id of a chat in which this was asked and answered."""
    page.get_by_label(MESSAGE).fill(words)
    page.keyboard.press("Enter")
    page.locator(".turn-end").wait_for()
    chat = page.url.rpartition("/")[2]
    page.goto("/")
    return chat


def bare_in(page: Page, place: str, data: list[str]) -> list[str]:
    """What wears no accents there, and is nobody's data."""
    page.goto(place)
    page.locator("main").wait_for()
    expect(page.get_by_label("Lóádíng")).to_have_count(0)
    if place.startswith("/library/runs"):
        page.locator(".outputs").wait_for()
    if place.startswith("/chat"):
        page.locator(".turn-end").wait_for()
        for row in page.locator(".tool-row").all():
            row.click()
    return page.evaluate(BARE, [data])


def test_d13_every_text_of_the_pages_comes_from_the_catalogue(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    page.goto("/library")
    agent = ask(page, "POST", "/api/agents", {"graph": GREETING})
    run = ask(page, "POST", f"/api/agents/{agent['id']}/runs", {"inputs": {"name": "World"}})
    ask(page, "POST", "/api/credentials", KEY)
    ask(page, "POST", "/api/api-keys", {"name": "Clock", "scopes": ["agents:read"]})
    page.add_init_script("localStorage.setItem('pilothouse.language', 'pseudo')")
    things = [f"/api/agents/{agent['id']}", f"/api/runs/{run['id']}", f"/api/runs/{run['id']}/steps"]
    places = [
        "/library",
        f"/library/agents/{agent['id']}",
        f"/library/agents/{agent['id']}?tab=versions",
        f"/library/agents/{agent['id']}?tab=settings",
        f"/library/runs/{run['id']}?step=1",
        f"/library/runs/{run['id']}?view=list",
        "/activity",
        "/build",
        "/settings",
        "/settings/credentials",
        "/settings/api-keys",
        "/no/such/page",
    ]
    page.goto("/")
    chats = [talked(page, words) for words in TALKS]
    things += [f"/api/chat/sessions/{chat}/events?follow=false&limit=500" for chat in chats]
    places += ["/", *(f"/chat/{chat}" for chat in chats)]
    bare = {place: found for place in places if (found := bare_in(page, place, [*DATA, *things]))}
    assert bare == {}
    eyes.saw_nothing_wrong()


def test_d13_every_text_of_the_builder_comes_from_the_catalogue(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    """Its panels, its menu of blocks and a run on its canvas; what blocks call themselves and their pins is theirs."""
    page, eyes = visit(lived_in, storage_state=owner)
    page.goto("/library")
    loose = {"id": "loose", "block": "db7d8f02-2f44-4c55-ab7a-eae0941f0c30"}  # with a problem of its own
    nodes = [*EXAMPLE["nodes"], loose]
    agent = ask(page, "POST", "/api/agents", {"graph": {**GREETING, "nodes": nodes}})["id"]
    whole = ask(page, "POST", "/api/agents", {"graph": GREETING})["id"]
    run = ask(page, "POST", f"/api/agents/{whole}/runs", {"inputs": {"name": "World"}})["id"]
    page.add_init_script("localStorage.setItem('pilothouse.language', 'pseudo')")
    told = [*DATA, "/api/blocks?limit=200", f"/api/agents/{agent}", f"/api/runs/{run}", f"/api/runs/{run}/steps"]
    bare: dict[str, list[str]] = {}

    def look(at: str) -> None:
        if found := page.evaluate(BARE, [told]):
            bare[at] = found

    page.goto(f"/build/{agent}")
    page.locator('.block-node[data-mark="error"]').wait_for()
    look("the outline and the problems")
    page.keyboard.press("/")
    page.get_by_role("listbox").wait_for()
    look("the menu of blocks")
    page.keyboard.press("Escape")
    page.locator('[data-id="greet"] .block-node-head').click()
    page.locator(".pin-field").first.wait_for()
    look("a chosen block")
    page.locator(".builder-edit [aria-haspopup=menu]").click()
    look("the menu of the agent")
    page.keyboard.press("Escape")
    page.locator(".builder-edit").get_by_role("button", name="Vérsíóns").click()
    page.locator(".builder-panel time").first.wait_for()
    look("the versions")
    page.goto(f"/build/{whole}?run={run}")
    page.locator(".run-result .outputs").wait_for()
    look("a run")
    page.locator('[data-id="greet"] .block-node-head').click()
    page.locator(".inspector").wait_for()
    look("a step")
    assert bare == {}
    eyes.saw_nothing_wrong()
