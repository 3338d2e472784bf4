"""A run's page: its steps in time, its outputs as they are best read, and what can be done with it afterwards."""

import json
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, StorageState, ViewportSize, expect

from tests.browser.agents import ASKING, GREETING, delegating, many_steps, showing
from tests.browser.conftest import PHONE, WIDE, Visit, ask, make_owner, ran
from tests.browser.eyes import barriers, clipped
from tests.browser.house import House

PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
VALUES = {
    "letter": "# Arrival\n\nWe arrive at **noon**.",
    "crew": 'name,rank\nAda,captain\n"Byron, Lord",mate',
    "facts": {"ships": [1, 2]},
    "picture": f"data:image/png;base64,{PICTURE}",
    "words": "Hello, World!",
}
KINDS = {"letter": "markdown", "crew": "table", "facts": "json", "picture": "image", "words": "text"}
MANY = 2_000


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_r1_r2_n3_steps_are_shown_in_time_or_as_a_list_and_the_address_holds_which(
    size: ViewportSize, lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner, viewport=size)
    run = ran(page, GREETING, name="World")
    page.goto(f"/library/runs/{run['id']}")
    rows = page.locator(".gantt-row")
    expect(rows.first).to_be_visible()
    count = rows.count()
    assert count == len(GREETING["nodes"])
    for words in ("completed", "version 1", "started by hand or over the API", "took"):
        expect(page.locator("main")).to_contain_text(words)
    expect(page.get_by_text("at work")).to_be_visible()
    rows.last.click()
    expect(rows.last).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".step-body")).to_be_visible()
    assert barriers(page) == clipped(page) == []
    page.reload()
    expect(rows.last).to_have_attribute("aria-pressed", "true")
    page.get_by_text("List", exact=True).click()
    expect(page.locator("details.step")).to_have_count(count)
    expect(page.locator("details.step[open]")).to_have_count(1)
    page.set_viewport_size({"width": 360, "height": 800})
    assert barriers(page) == clipped(page) == []
    eyes.saw_nothing_wrong()


def test_n3_a_pasted_link_and_back_restore_the_step_and_the_title_names_agent_and_run(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    run = ran(page, GREETING, name="World")
    title = f"Harbour greeting, run {run['id'][-6:]}"
    page.goto(f"/library/runs/{run['id']}?step=2")
    expect(page.get_by_role("heading", name=title, exact=True)).to_be_visible()
    expect(page).to_have_title(f"{title} · Pilothouse")
    picked = page.locator(".gantt-row[aria-pressed=true]")
    expect(picked).to_contain_text("Fill text template")  # a node without a name has its block's
    second = picked.inner_text()
    assert second == page.locator(".gantt-row").nth(1).inner_text()
    page.get_by_role("link", name="Harbour greeting", exact=True).click()
    expect(page).to_have_url(f"{lived_in.url}/library/agents/{run['agent_id']}")
    page.go_back()
    expect(page).to_have_url(f"{lived_in.url}/library/runs/{run['id']}?step=2")
    expect(picked).to_have_text(second, use_inner_text=True)
    page.get_by_role("link", name="on the canvas").click()
    expect(page).to_have_url(f"{lived_in.url}/build/{run['agent_id']}?run={run['id']}")
    expect(page.locator(".block-node").first).to_contain_text("completed")
    eyes.saw_nothing_wrong()


def test_r2_of_two_thousand_steps_only_those_in_sight_are_rendered(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, _ = visit(lived_in, storage_state=owner)
    run = ran(page, many_steps(MANY))
    page.goto(f"/library/runs/{run['id']}")
    steps = page.get_by_role("list", name=f"{MANY + 1} steps")
    expect(steps).to_be_visible()
    assert page.locator(".gantt-row").count() < 60
    page.locator(".gantt").evaluate("(frame) => frame.scrollTo(0, frame.scrollHeight)")
    expect(page.locator(".gantt-row").last).to_be_in_viewport()
    last = page.locator(".gantt-rows > li").last
    bottom = "(row) => Math.round(row.offsetTop + row.offsetHeight - row.parentElement.offsetHeight)"
    assert last.evaluate(bottom) == 0
    assert page.locator(".gantt-row").count() < 60


def test_r3_every_output_is_shown_as_it_is_best_read_and_copied_singly_or_all(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    run = ran(page, showing(VALUES))
    page.goto(f"/library/runs/{run['id']}")
    outputs = page.locator(".outputs > div")
    expect(outputs).to_have_count(len(VALUES))
    for name, kind in KINDS.items():
        one = outputs.filter(has=page.locator("dt", has_text=name))
        expect(one.locator(".rendered")).to_have_attribute("data-kind", kind)
    expect(page.get_by_role("heading", name="Arrival")).to_be_visible()
    expect(page.get_by_role("cell", name="Byron, Lord")).to_be_visible()
    page.get_by_role("button", name="Copy letter").click()
    copied = "navigator.clipboard.readText()"
    assert page.evaluate(copied) == VALUES["letter"]
    page.get_by_role("button", name="Copy all").click()
    assert json.loads(page.evaluate(copied)) == {name: [value] for name, value in VALUES.items()}
    outputs.filter(has_text="letter").get_by_role("button", name="Source").click()
    expect(outputs.filter(has_text="letter")).to_contain_text("# Arrival")
    assert barriers(page) == clipped(page) == []
    eyes.saw_nothing_wrong()


def downloaded(page: Page, press: Locator, folder: Path) -> Path:
    with page.expect_download() as coming:
        press.click()
    coming.value.save_as(folder / coming.value.suggested_filename)
    return folder / coming.value.suggested_filename


def test_r4_outputs_are_saved_as_a_zip_and_what_is_left_out_is_told_before(tmp_path: Path, visit: Visit) -> None:
    house = House(tmp_path / "house", variables={"PILOTHOUSE_ZIP_FILE_BYTES": "1000"})
    house.start()
    try:
        page, eyes = visit(house)
        make_owner(page, house)
        download = page.get_by_role("button", name="Download")
        one = ran(page, showing({"words": VALUES["words"]}))
        page.goto(f"/library/runs/{one['id']}")
        assert downloaded(page, download, tmp_path).read_text() == VALUES["words"]
        several = ran(page, showing(VALUES))
        page.goto(f"/library/runs/{several['id']}")
        with zipfile.ZipFile(downloaded(page, download, tmp_path)) as found:
            assert {*found.namelist()} == {"letter.md", "crew.txt", "facts.json", "picture.png", "words.txt"}
        large = ran(page, showing({"words": "short", "tome": "x" * 2_000}))
        page.goto(f"/library/runs/{large['id']}")
        download.click()
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text("tome.txt 2 KB, too large for a zip")
        assert barriers(page) == clipped(page) == []
        with zipfile.ZipFile(downloaded(page, dialog.get_by_role("button", name="Download"), tmp_path)) as found:
            assert {*found.namelist()} == {"words.txt", "SKIPPED.txt"}
        expect(dialog).to_have_count(0)
        eyes.saw_nothing_wrong()
    finally:
        house.kill()


def test_r5_a_run_is_done_again_changed_compared_and_deleted(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    run = ran(page, GREETING, name="World")
    page.goto(f"/library/runs/{run['id']}")
    page.get_by_role("button", name="Run again", exact=True).click()
    expect(page).not_to_have_url(f"{lived_in.url}/library/runs/{run['id']}")
    expect(page.locator(".outputs")).to_contain_text("World")
    page.get_by_role("button", name="More actions for this run").click()
    page.get_by_role("menuitem", name="Run again with changes").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("name")).to_have_value("World")
    dialog.get_by_label("name").fill("Harbour")
    dialog.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator(".outputs")).to_contain_text("Harbour")
    page.get_by_role("button", name="More actions for this run").click()
    page.get_by_role("menuitem", name="Compare with another run").click()
    expect(dialog.locator("mark").first).to_contain_text("World")
    assert barriers(page) == clipped(page) == []
    page.keyboard.press("Escape")
    page.get_by_role("button", name="More actions for this run").click()
    page.get_by_role("menuitem", name="Delete").click()
    runs = page.get_by_role("table").get_by_role("link")
    expect(runs).to_have_count(2)
    page.get_by_role("button", name="Undo").click()
    expect(runs).to_have_count(3)
    eyes.saw_nothing_wrong()


def test_r5_stopping_a_run_names_the_runs_inside_that_stop_too(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    page.goto("/library")
    inner = ask(page, "POST", "/api/agents", {"graph": ASKING})
    outer = ask(page, "POST", "/api/agents", {"graph": delegating(inner["id"])})
    run = ask(page, "POST", f"/api/agents/{outer['id']}/runs", {"inputs": {}})
    page.goto(f"/library/runs/{run['id']}")
    expect(page.get_by_text("Waits for the agent inside").first).to_be_visible()
    page.get_by_role("button", name="Stop", exact=True).click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("link")).to_have_count(1)
    assert barriers(page) == clipped(page) == []
    dialog.get_by_role("button", name="Stop").click()
    expect(page.locator("header [data-status=cancelled]")).to_be_visible()
    eyes.saw_nothing_wrong()


def test_r5_a_run_goes_on_from_a_step_after_its_plan_was_told(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    run = ran(page, GREETING, name="World")
    page.goto(f"/library/runs/{run['id']}")
    page.locator(".gantt-row").nth(1).click()
    page.get_by_role("button", name="Run again from here").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("list", name="Taken over as it was")).to_contain_text("Agent short text input")
    expect(dialog.get_by_role("list", name="Run again")).to_contain_text("Fill text template")
    assert barriers(page) == clipped(page) == []
    dialog.get_by_role("button", name="Start").click()
    page.get_by_role("link", name="begun from a step of another run").wait_for()
    expect(page.locator(".outputs")).to_contain_text("World")
    page.locator(".gantt-row").first.click()
    expect(page.get_by_text("taken over, not executed")).to_be_visible()
    page.get_by_role("link", name="begun from a step of another run").click()
    expect(page.locator(".gantt-row[aria-pressed=true]")).to_have_count(1)
    eyes.saw_nothing_wrong()
