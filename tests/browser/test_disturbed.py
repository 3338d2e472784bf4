"""A turn that is watched by three tabs, two of them much disturbed: all end with the same page."""

from playwright.sync_api import Page, StorageState, expect

from tests.browser.agents import slow_greeting
from tests.browser.conftest import Visit, ask, make_owner
from tests.browser.house import House

SECONDS = 9
RELOADS = 20

SHOWN = """() => [...document.querySelectorAll('[data-event-id]')].map((item) => {
  const copy = item.cloneNode(true);
  copy.querySelectorAll('time').forEach((moment) => moment.remove());
  return `${item.dataset.eventId} ${item.dataset.kind} ${copy.textContent}`;
})"""


def test_ap21_reloads_a_second_tab_and_a_killed_server_change_nothing(house: House, visit: Visit) -> None:
    """Scenarios 5, 6 and 10."""
    calm, _ = visit(house)
    make_owner(calm, house)
    ask(calm, "POST", "/api/agents", {"graph": slow_greeting(SECONDS)})
    begin_the_turn(calm)

    hasty = calm.context.new_page()
    reload_often(hasty, calm.url)
    second = calm.context.new_page()
    second.goto(calm.url)
    expect(second.locator(".progress")).to_be_visible()
    house.kill()
    house.start()

    pages = [calm, hasty, second]
    for page in pages:
        await_the_end(page)
    shown = [page.evaluate(SHOWN) for page in pages]
    fresh = calm.context.new_page()
    fresh.goto(calm.url)
    await_the_end(fresh)
    shown.append(fresh.evaluate(SHOWN))

    assert shown[0], "there is something to compare"
    for other in shown[1:]:
        assert other == shown[0]
    ids = [int(line.split(" ")[0]) for line in shown[0]]
    assert ids == sorted(set(ids)), "in the order of the log, each once"


def test_c2_eight_tabs_of_one_session_are_all_live(lived_in: House, owner: StorageState, visit: Visit) -> None:
    """Scenario 12: browsers allow six connections to a host, and a socket is none of them."""
    first, eyes = visit(lived_in, storage_state=owner)
    first.goto("/")
    say(first, "help")
    first.locator(".turn-end").wait_for()
    others = [first.context.new_page() for _ in range(7)]
    for page in others:
        page.goto(first.url)
        page.locator(".turn-end").wait_for()
    say(others[-1], "find blocks for working with text")
    for page in [first, *others]:
        expect(page.locator(".turn-end")).to_have_count(2)
    eyes.saw_nothing_wrong()


def test_n5_offline_is_said_and_what_is_typed_stays(lived_in: House, owner: StorageState, visit: Visit) -> None:
    """Scenario 11, in short."""
    page, _ = visit(lived_in, storage_state=owner)
    page.goto("/")
    box = page.get_by_label("Message AutoPilot")
    box.fill("help")
    page.context.set_offline(True)
    expect(page.locator(".banner")).to_contain_text("You are offline")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("Not sent")
    expect(box).to_have_value("help")
    page.context.set_offline(False)
    expect(page.locator(".banner.warn")).to_have_count(0)
    page.keyboard.press("Enter")
    page.locator(".turn-end").wait_for()


def say(page: Page, words: str) -> None:
    page.get_by_label("Message AutoPilot").fill(words)
    page.keyboard.press("Enter")


def begin_the_turn(page: Page) -> None:
    say(page, "run Slow greeting with name=World")
    expect(page.locator(".progress")).to_be_visible()
    expect(page.locator('[data-kind="user"]')).to_have_count(1)


def reload_often(page: Page, url: str) -> None:
    page.goto(url)
    for _ in range(RELOADS):
        page.reload(wait_until="domcontentloaded")
    expect(page.locator('[data-kind="user"]')).to_have_count(1)


def await_the_end(page: Page) -> None:
    page.locator(".turn-end").wait_for(timeout=40_000)
    expect(page.get_by_role("region", name="Run", exact=True)).to_contain_text("World")
    expect(page.locator(".banner.warn")).to_have_count(0)  # it is connected again, and to the same build
    expect(page.locator(".prose.value")).to_have_count(0)  # Markdown has come to render it
