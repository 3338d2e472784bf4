"""Trying a run without consequences, living one again from its records, and runs that take and give files."""

import base64
import re
from typing import Any, Final

from playwright.sync_api import StorageState, expect

from tests.browser.agents import GREETING, OUTPUT
from tests.browser.conftest import Visit, ask
from tests.browser.eyes import barriers, clipped
from tests.browser.house import House
from tests.browser.test_runs import PICTURE

NOTE: Final = "Dry run: nothing outside was touched."
FILE_INPUT: Final = "95ead23f-8283-4654-aef3-10c053b74a31"
HANDING_ON: Final[dict[str, Any]] = {
    "name": "Hands a picture on",
    "nodes": [
        {"id": "in", "block": FILE_INPUT, "inputs": {"name": "picture"}},
        {"id": "out", "block": OUTPUT, "inputs": {"name": "seen"}},
    ],
    "links": [{"from": "in", "out": "result", "to": "out", "in": "value"}],
}


def test_l4_r5_a_dry_run_is_started_marked_replayed_and_compared_with_its_origin(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    page.goto("/library")
    agent = ask(page, "POST", "/api/agents", {"graph": GREETING})
    page.goto(f"/library/agents/{agent['id']}")
    page.get_by_label("name").fill("World")
    page.get_by_label("Dry run").check()
    page.get_by_label("What stands in for the outside").select_option("simulate")
    page.get_by_role("button", name="Start dry run").click()
    expect(page.get_by_role("alert")).to_contain_text("model")
    eyes.allowed = ("409",)  # no model is connected here
    page.get_by_label("What stands in for the outside").select_option("stub")
    page.get_by_role("button", name="Start dry run").click()
    expect(page.get_by_role("note").filter(has_text=NOTE)).to_be_visible()
    expect(page.locator(".outputs")).to_contain_text("World")
    assert barriers(page) == clipped(page) == []
    tried = page.url
    page.get_by_role("button", name="More actions for this run").click()
    page.get_by_role("menuitem", name="Replay from records").click()
    expect(page.get_by_role("link", name="replay of another run")).to_be_visible()
    assert page.url != tried
    page.get_by_role("button", name="More actions for this run").click()
    page.get_by_role("menuitem", name="Compare with another run").click()
    compared = page.get_by_role("dialog").get_by_role("table")
    expect(compared).to_contain_text("the same")
    expect(compared.locator("mark")).to_have_count(0)
    assert barriers(page) == clipped(page) == []
    page.goto(f"/library/agents/{agent['id']}")
    expect(page.get_by_role("table").get_by_text("Dry run", exact=True)).to_have_count(2)
    eyes.saw_nothing_wrong()


def test_b3_r3_a_file_is_uploaded_into_a_field_and_shown_where_the_run_gives_it(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    page.goto("/library")
    agent = ask(page, "POST", "/api/agents", {"graph": HANDING_ON})
    page.goto(f"/library/agents/{agent['id']}")
    field = page.get_by_role("textbox", name="picture")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Upload a file picture").click()
    chooser.value.set_files({"name": "dot.png", "mimeType": "image/png", "buffer": base64.b64decode(PICTURE)})
    expect(field).to_have_value(re.compile(r"^workspace://[0-9a-f-]{36}#image/png$"))
    assert barriers(page) == clipped(page) == []
    page.get_by_role("button", name="Run", exact=True).click()
    seen = page.locator(".outputs").get_by_role("img", name="dot.png")
    expect(seen).to_be_visible()
    page.wait_for_function("(image) => image.naturalWidth === 1", arg=seen.element_handle())
    link = page.locator(".outputs").get_by_role("link", name="dot.png")
    expect(link).to_have_attribute("href", re.compile(r"^/api/workspace/files/[0-9a-f-]{36}/download"))
    assert barriers(page) == clipped(page) == []
    eyes.saw_nothing_wrong()
