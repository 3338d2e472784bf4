"""In the pseudo-language every text of ours wears accents, so whatever wears none did not come from the catalogue."""

from playwright.sync_api import StorageState, expect

from tests.browser.agents import GREETING
from tests.browser.conftest import Visit, ask
from tests.browser.house import House

# Times come from the browser, code and keys are no words, and names of providers are theirs.
BARE = """async ([paths]) => {
  const told = [];
  for (const path of paths) told.push(await (await fetch(path)).text());
  const data = told.join(' ').toLowerCase();
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  const OTHERS = 'script, style, time, code, kbd, [name=kind] option, datalist';
  while (walk.nextNode()) {
    const text = walk.currentNode.textContent.trim();
    const inside = walk.currentNode.parentElement;
    if (!/[aeiou]/i.test(text) || /[áéíóú]/i.test(text) || inside.closest(OTHERS)) continue;
    if (!data.includes(JSON.stringify(text).slice(1, -1).toLowerCase())) found.push(text);
  }
  for (const element of document.querySelectorAll('[aria-label], [placeholder]')) {
    const label = element.getAttribute('aria-label') ?? element.getAttribute('placeholder');
    if (!/[áéíóú]/i.test(label) && /[aeiou]/i.test(label) && !data.includes(label.toLowerCase())) found.push(label);
  }
  return found;
}"""
DATA = ["/api/library/agents", "/api/runs", "/api/credentials", "/api/api-keys", "/api/me"]
KEY = {"type": "api_key", "provider": "github", "title": "Work", "api_key": "canary-0123456789"}


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
    bare: dict[str, list[str]] = {}
    for place in places:
        page.goto(place)
        page.locator("main").wait_for()
        expect(page.get_by_label("Lóádíng")).to_have_count(0)
        if place.startswith("/library/runs"):
            page.locator(".outputs").wait_for()
        if found := page.evaluate(BARE, [[*DATA, *things]]):
            bare[place] = found
    assert bare == {}
    eyes.saw_nothing_wrong()
