"""Scenario 35: every page on the narrowest phone and at 200 % zoom, in both themes; and links of other systems."""

import re
from typing import Literal

import pytest
from playwright.sync_api import ViewportSize, expect

from tests.browser.conftest import Things, Visit
from tests.browser.eyes import clipped
from tests.browser.house import House
from tests.browser.routes import PAGES, address, settled

SMALL = {
    "phone": (ViewportSize(width=360, height=740), "light"),
    "zoomed": (ViewportSize(width=720, height=450), "dark"),  # what is left of 1440 x 900 at 200 %
}


@pytest.mark.parametrize("kind", SMALL)
def test_d6_scenario_35_no_page_scrolls_sideways_or_clips_its_text(
    kind: Literal["phone", "zoomed"], lived_in: House, things: Things, visit: Visit
) -> None:
    size, theme = SMALL[kind]
    page, eyes = visit(
        lived_in, storage_state=things.state, viewport=size, color_scheme="dark" if theme == "dark" else "light"
    )
    wrong: dict[str, list[str]] = {}
    for route in PAGES:
        page.goto(address(route, things.ids))
        settled(page)
        if found := clipped(page):
            wrong[route] = found
    assert wrong == {}
    eyes.saw_nothing_wrong()


def test_n2_links_of_other_systems_lead_to_the_same_things(lived_in: House, things: Things, visit: Visit) -> None:
    page, _ = visit(lived_in, storage_state=things.state)
    agent, run = things.ids["agentId"], things.ids["runId"]
    page.goto(f"/build?flowID={agent}&flowVersion=1&flowExecutionID={run}")
    expect(page).to_have_url(re.compile(rf"/build/{agent}\?version=1&run={run}$"))
    page.goto(f"/copilot?sessionId={things.ids['sessionId']}")
    expect(page).to_have_url(f"{lived_in.url}/chat/{things.ids['sessionId']}")
