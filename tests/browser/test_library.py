"""The library: agents found, ordered, exported, imported, copied, deleted and brought back."""

import json
import re
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, Route, StorageState, expect

from tests.base.waiting import stay_until
from tests.browser.agents import GREETING
from tests.browser.conftest import PHONE, Visit, ask
from tests.browser.eyes import barriers, clipped
from tests.browser.house import House


def make(page: Page, name: str, description: str = "") -> dict[str, Any]:
    return ask(page, "POST", "/api/agents", {"graph": {**GREETING, "name": name, "description": description}})


def row(page: Page, name: str) -> Locator:
    return page.get_by_role("row").filter(has=page.get_by_role("link", name=name, exact=True))


def act(page: Page, name: str, verb: str) -> None:
    page.get_by_role("button", name=f"Actions for {name}", exact=True).click()
    page.get_by_role("menuitem", name=verb, exact=True).click()


def is_there(page: Page, agent_id: str) -> bool:
    return page.request.get(f"/api/agents/{agent_id}").status == 200


def gone(page: Page, agent_id: str) -> None:
    stay_until(lambda: page.request.get(f"/api/agents/{agent_id}").status == 404 or None)


def test_l1_n3_the_address_holds_what_is_searched_filtered_and_sorted(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    page.goto("/library")
    ran, _ = make(page, "Zebra boat", "A lantern"), make(page, "Apple boat")
    run = ask(page, "POST", f"/api/agents/{ran['id']}/runs", {"inputs": {"name": "World"}})
    links = page.get_by_role("row").get_by_role("link", name=re.compile("boat$"))
    page.get_by_label("Search agents").fill("boat")
    expect(page).to_have_url(re.compile("q=boat"))
    expect(links).to_have_text(["Apple boat", "Zebra boat"])
    expect(row(page, "Apple boat")).to_contain_text("never run")
    expect(row(page, "Zebra boat")).to_contain_text("idle")
    page.get_by_role("button", name="Agent", exact=True).click()
    page.get_by_role("button", name="Agent", exact=True).click()
    expect(page.get_by_role("columnheader", name="Agent", exact=True)).to_have_attribute("aria-sort", "descending")
    expect(links).to_have_text(["Zebra boat", "Apple boat"])
    page.get_by_label("Status").select_option("idle")
    expect(links).to_have_text(["Zebra boat"])
    page.reload()
    expect(links).to_have_text(["Zebra boat"])
    expect(page.get_by_label("Search agents")).to_have_value("boat")
    expect(page.get_by_label("Status")).to_have_value("idle")
    links.click()
    page.get_by_role("link", name=re.compile(run["id"][-6:])).wait_for()
    page.go_back()
    expect(links).to_have_text(["Zebra boat"])
    page.get_by_label("Search agents").fill("no agent is called so")
    page.get_by_role("button", name="Clear filters").click()
    expect(links).to_have_count(2)
    eyes.saw_nothing_wrong()


def test_l1_d8_a_favourite_shows_at_once_stays_and_is_taken_back_with_the_reason(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner, allowed=("409",))
    page.goto("/library")
    make(page, "Liked boat")
    make(page, "Other boat")
    page.goto("/library?q=boat")
    star = page.get_by_role("button", name="Favourite Liked boat")
    held: list[Route] = []
    page.route(CHANGES, lambda route: held.append(route))
    star.click()
    expect(star).to_have_attribute("aria-pressed", "true")  # though nobody has answered
    assert barriers(page) == []
    held.pop().fulfill(status=409, json=REFUSED)
    expect(page.locator(".toast.bad")).to_contain_text("Not now.")
    expect(star).to_have_attribute("aria-pressed", "false")
    page.unroute_all()
    with page.expect_response(CHANGES):
        star.click()
    only = page.get_by_role("checkbox", name="Favourites only")
    only.click()  # the address changes first, then the box
    expect(only).to_be_checked()
    expect(page).to_have_url(re.compile("favourite=true"))
    page.reload()
    expect(page.get_by_role("row").get_by_role("link", name=re.compile("boat$"))).to_have_text(["Liked boat"])
    star.click()
    expect(page.get_by_text("No agent fits")).to_be_visible()
    page.get_by_role("button", name="Clear filters").click()
    expect(row(page, "Other boat")).to_be_visible()
    eyes.saw_nothing_wrong()


def test_d8_a_deletion_is_shown_at_once_can_be_taken_back_and_outlives_the_page(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, _ = visit(lived_in, storage_state=owner)
    page.goto("/library")
    agent, other = make(page, "Sinking ship"), make(page, "Sinking raft")
    page.reload()
    act(page, "Sinking ship", "Delete")
    expect(row(page, "Sinking ship")).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(row(page, "Sinking ship")).to_be_visible()
    assert is_there(page, agent["id"])
    for name in ("Sinking ship", "Sinking raft"):
        page.get_by_role("checkbox", name=f"Select {name}").check()
    expect(page.get_by_text("2 selected")).to_be_visible()
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_text("Deleted 2 agents.")).to_be_visible()
    assert is_there(page, agent["id"])
    page.reload()  # whoever leaves has made up their mind
    for made in (agent, other):
        gone(page, made["id"])


def test_d8_what_the_server_refuses_to_delete_comes_back_with_the_reason(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, _ = visit(lived_in, storage_state=owner, allowed=("412",))
    page.clock.install()
    page.goto("/library")
    agent = make(page, "Stubborn")
    page.reload()
    row(page, "Stubborn").wait_for()
    ask(page, "PATCH", f"/api/agents/{agent['id']}", {"base_version": 1, "ops": [{"op": "set_name", "value": "Newer"}]})
    act(page, "Stubborn", "Delete")
    expect(row(page, "Stubborn")).to_have_count(0)
    page.clock.fast_forward(8_500)
    expect(page.locator(".toast.bad")).to_be_visible()
    expect(row(page, "Newer")).to_be_visible()


def test_l3_an_agent_is_exported_imported_and_copied(
    lived_in: House, owner: StorageState, visit: Visit, tmp_path: Path
) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    page.goto("/library")
    agent = make(page, "Travelling chart")
    page.reload()
    with page.expect_download() as download:
        act(page, "Travelling chart", "Export")
    file = tmp_path / "agent.json"
    download.value.save_as(file)
    assert json.loads(file.read_text())["name"] == "Travelling chart"
    page.get_by_label("Agent file").set_input_files(file)
    page.get_by_role("dialog").get_by_role("button", name="Import agent").click()
    expect(page).to_have_url(re.compile("/library/agents/"))
    expect(page).not_to_have_url(re.compile(agent["id"]))
    act(page, "Travelling chart", "Duplicate")
    expect(page.get_by_text("Travelling chart (copy) was made.")).to_be_visible()
    eyes.saw_nothing_wrong()


def test_l4_an_agent_has_its_runs_versions_and_settings_on_tabs_with_addresses(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    page.goto("/library")
    agent = make(page, "Tabbed")
    page.goto(f"/library/agents/{agent['id']}")
    tabs = page.get_by_role("navigation", name="Parts of the agent")
    expect(tabs.locator("[aria-current=page]")).to_have_text("Runs")
    tabs.get_by_role("link", name="Settings").click()
    sensitive = page.get_by_role("checkbox", name="Ask me before every sensitive action")
    expect(sensitive).not_to_be_checked()
    with page.expect_response(lambda answer: answer.request.method == "PATCH"):
        sensitive.check()
    page.reload()
    expect(tabs.locator("[aria-current=page]")).to_have_text("Settings")
    expect(sensitive).to_be_checked()
    page.route("**/settings", refuse_changes)
    eyes.allowed = ("409",)
    sensitive.click()
    expect(page.locator(".toast.bad")).to_contain_text("Not now.")
    expect(sensitive).to_be_checked()
    tabs.get_by_role("link", name="Versions").click()
    expect(page.get_by_text("Version 1", exact=True).last).to_be_visible()
    eyes.saw_nothing_wrong()


REFUSED = {"code": "conflict", "message": "Not now.", "detail": None, "hint": None, "request_id": "r-2"}


CHANGES = re.compile(r"/api/library/agents/[^/]+$")


def refuse_changes(route: Route) -> None:
    if route.request.method == "PATCH":
        route.fulfill(status=409, json=REFUSED)
    else:
        route.continue_()


def test_d12_the_exact_time_is_told_on_hover_and_focus_in_the_profiles_zone(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, _ = visit(lived_in, storage_state=owner)
    page.goto("/library")
    make(page, "Timely")
    wanted = page.evaluate(
        """async () => {
          const entry = (await (await fetch('/api/library/agents?q=Timely')).json()).items[0];
          const zone = (await (await fetch('/api/me')).json()).timezone;
          const style = {dateStyle: 'medium', timeStyle: 'medium', timeZone: zone};
          return new Date(entry.updated_at).toLocaleString(undefined, style);
        }"""
    )
    page.goto("/library?q=Timely")
    time = row(page, "Timely").locator("time").last
    expect(time).to_have_text("now")
    expect(time).to_have_attribute("title", wanted)
    page.get_by_role("button", name="Actions for Timely").focus()
    page.keyboard.press("Shift+Tab")
    expect(time).to_be_focused()
    assert wanted in time.evaluate("(element) => getComputedStyle(element, '::after').content")
    assert barriers(page) == []


def test_d6_on_a_phone_the_table_is_a_list_of_cards_that_says_all_the_same(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, _ = visit(lived_in, storage_state=owner, viewport=PHONE)
    page.goto("/library")
    make(page, "Pocket boat")
    page.goto("/library?q=Pocket")
    card = page.get_by_role("listitem").filter(has=page.get_by_role("link", name="Pocket boat"))
    for words in ("Status", "never run", "Version", "Changed"):
        expect(card).to_contain_text(words)
    page.set_viewport_size({"width": 360, "height": 800})
    assert clipped(page) == []
