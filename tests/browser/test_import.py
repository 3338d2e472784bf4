"""An agent from a file: first seen, then stored, and handed on again."""

from pathlib import Path
from typing import cast

from playwright.sync_api import StorageState, expect

from pilothouse.kit.json import Json, dumps, loads
from tests.browser.agents import GREETING
from tests.browser.conftest import Visit, ask
from tests.browser.eyes import barriers
from tests.browser.house import House
from tests.graph.autogpt_files import MISSING, doubler, node


def test_b18_l3_an_import_says_what_it_adds_and_needs_before_it_stores(
    lived_in: House, owner: StorageState, visit: Visit, tmp_path: Path
) -> None:
    file = {**doubler(), "name": "Brought along", "user_id": "somebody"}
    file["nodes"] = [*cast(list[Json], file["nodes"]), node("odd", MISSING)]
    (tmp_path / "theirs.json").write_text(dumps(file))
    (tmp_path / "bad.json").write_text("{")
    page, eyes = visit(lived_in, storage_state=owner)
    page.goto("/library")
    page.get_by_role("button", name="Import").wait_for()
    before = len(ask(page, "GET", "/api/agents?limit=100")["items"])
    chooser = page.get_by_label("Agent file")

    chooser.set_input_files(tmp_path / "bad.json")
    expect(page.get_by_role("alert")).to_contain_text("not JSON")
    page.get_by_role("button", name="Close").click()

    chooser.set_input_files(tmp_path / "theirs.json")
    dialog = page.get_by_role("dialog", name="Import Brought along")
    expect(dialog).to_contain_text("3 of 4 steps can run here")
    expect(dialog).to_contain_text(f"odd: block {MISSING} is not installed")
    dialog.get_by_text("Left behind (1)").click()
    expect(dialog).to_contain_text("user_id. An agent belongs to whoever imports it.")
    assert barriers(page) == []
    dialog.get_by_role("button", name="Cancel").click()
    assert len(ask(page, "GET", "/api/agents?limit=100")["items"]) == before

    chooser.set_input_files(tmp_path / "theirs.json")
    dialog.get_by_role("button", name="Import agent").click()
    expect(page.get_by_role("heading", name="Brought along", level=1)).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="Actions for Brought along").click()
        page.get_by_role("menuitem", name="Export").click()
    exported = loads(Path(download.value.path()).read_bytes())
    assert isinstance(exported, dict)
    assert exported["name"] == "Brought along"
    eyes.saw_nothing_wrong()


def test_b18_an_agent_is_handed_on_and_another_brought_in_without_leaving_build(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    page.goto("/library")
    agent = ask(page, "POST", "/api/agents", {"graph": {**GREETING, "name": "On the bench"}})["id"]
    page.goto(f"/build/{agent}")
    page.locator(".outline").get_by_role("button", name="Fill text template").click()
    page.get_by_label("format", exact=True).fill("Not saved yet")
    more = page.get_by_role("button", name="More for this agent")
    with page.expect_download() as download:
        more.click()
        page.get_by_role("menuitem", name="Export").click()
    file = Path(download.value.path())
    assert "Not saved yet" not in file.read_text()
    expect(page.get_by_text("The file holds version 1. What is not saved is not in it.")).to_be_visible()

    page.get_by_role("button", name="Undo").click()
    more.click()
    with page.expect_file_chooser() as chooser:
        page.get_by_role("menuitem", name="Import").click()
    chooser.value.set_files({"name": "a.json", "mimeType": "application/json", "buffer": file.read_bytes()})
    dialog = page.get_by_role("dialog", name="Import On the bench")
    expect(dialog).to_contain_text("An import runs nothing")
    assert barriers(page) == []
    dialog.get_by_role("button", name="Import agent").click()
    expect(page).not_to_have_url(f"{lived_in.url}/build/{agent}")
    expect(page.locator(".block-node")).to_have_count(3)
    more.click()
    page.get_by_role("menuitem", name="New agent").click()
    expect(page.get_by_role("button", name="Import")).to_be_visible()
    eyes.saw_nothing_wrong()
