"""A run's page where it is not simple: values too large for the log, a refused log, steps far down, old runs."""

import json
from typing import Any

import pytest
from playwright.sync_api import Page, StorageState, WebSocketRoute, expect

from tests.base.waiting import stay_until
from tests.browser.agents import GREETING, reading, showing
from tests.browser.conftest import Visit, ask, ran
from tests.browser.eyes import barriers, clipped
from tests.browser.house import House

COPIED = "navigator.clipboard.readText()"


def test_b14_r3_what_is_too_large_for_the_log_opens_whole_and_is_copied_whole(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner, allowed=("503",))
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    tome = "Call me Ishmael. " * 4_000
    values: dict[str, Any] = {"tome": tome, "letter": {"to": "Ada", "body": tome}}
    run = ran(page, showing(values))
    page.goto(f"/library/runs/{run['id']}")
    outputs = page.locator(".outputs")
    expect(outputs).to_contain_text("Call me Ishmael.")
    expect(outputs).not_to_contain_text("$value")
    with page.context.expect_page() as opened:
        outputs.get_by_role("link", name="Open the whole of body").click()
    opened.value.wait_for_load_state()
    assert tome in opened.value.content()
    opened.value.close()
    page.bring_to_front()  # only a page that has the focus may copy
    expect(outputs.get_by_role("link", name="Open the whole value")).to_have_count(1)
    page.get_by_role("button", name="Copy tome").click()
    stay_until(lambda: page.evaluate(COPIED) == tome or None)
    page.get_by_role("button", name="Copy all").click()
    everything = stay_until(lambda: None if (copied := page.evaluate(COPIED)) == tome else copied)
    assert json.loads(everything) == {name: [value] for name, value in values.items()}
    assert barriers(page) == clipped(page) == []

    page.get_by_text("List", exact=True).click()
    step = page.locator("details.step").first
    step.locator("summary").click()
    expect(step.get_by_role("link", name="Open the whole")).to_have_count(1)
    expect(step).not_to_contain_text("$value")
    page.route("**/values/*", lambda route: route.fulfill(status=503, json={"code": "busy", "message": "Too busy."}))
    page.get_by_role("button", name="Copy all").click()
    expect(page.get_by_text("the whole value could not be fetched. Too busy.").first).to_be_visible()
    eyes.saw_nothing_wrong()


def refuse_logs_once(page: Page) -> None:
    """From its next load on, the page is refused the log of a run the first time that it asks."""
    refused: set[str] = set()

    def between(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()

        def pass_on(words: str | bytes) -> None:
            asked = json.loads(words)
            channel = asked.get("channel", "")
            if asked["op"] == "subscribe" and channel.startswith("run:") and channel not in refused:
                refused.add(channel)
                socket.send(json.dumps({"type": "error", "channel": channel, "code": "rate_limited"}))
            else:
                server.send(words)

        socket.on_message(pass_on)

    page.route_web_socket("**/api/ws", between)


@pytest.mark.parametrize("place", ["/library/runs/{id}", "/build/{agent_id}?run={id}"], ids=["run", "builder"])
def test_n6_a_run_whose_log_is_refused_says_so_and_is_asked_for_again(
    place: str, lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    run = ran(page, GREETING, name="World")
    refuse_logs_once(page)
    page.goto(place.format(**run))
    panel = page.get_by_role("alert").filter(has_text="rate_limited")
    expect(panel).to_contain_text("What this run has done cannot be shown right now.")
    expect(page.locator(".status[data-status=completed]").first).to_be_visible()  # the run itself is known
    for wrong in ("No step has started yet.", "None yet"):
        expect(page.get_by_text(wrong)).to_have_count(0)
    panel.get_by_role("button", name="Retry").click()
    expect(page.locator(".outputs")).to_contain_text("World")
    expect(panel).to_have_count(0)
    eyes.saw_nothing_wrong()


def test_r1_r5_the_failed_step_is_gone_to_wherever_it_stands_and_done_again_from_the_list(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    run = ran(page, reading(["[1]"] * 300 + ["{not json"]))
    jump = page.get_by_role("button", name="Go to the failed step")
    gone_to = page.locator("[data-step]:focus")
    page.goto(f"/library/runs/{run['id']}")
    jump.click()
    expect(gone_to).to_be_in_viewport()
    expect(gone_to).to_contain_text("failed")
    assert page.locator(".gantt-row").count() < 60

    page.goto(f"/library/runs/{run['id']}?view=list")
    expect(page.locator("details.step")).to_have_count(200)
    jump.click()
    expect(gone_to).to_be_in_viewport()
    expect(gone_to).to_contain_text("failed")
    step = page.locator("details.step[open]")
    expect(step.locator(".bad").first).to_be_visible()
    gone_to.press("Enter")
    expect(step).to_have_count(0)
    jump.click()
    expect(gone_to).to_be_in_viewport()
    expect(step).to_have_count(1)
    assert barriers(page) == clipped(page) == []
    page.reload()
    expect(step.locator("summary")).to_be_in_viewport()

    step.get_by_role("button", name="Fork with other inputs").click()
    fork = page.get_by_role("dialog", name="Fork with other inputs")
    fork.get_by_label("json_str", exact=True).fill("[2]")
    fork.get_by_role("button", name="Start").click()
    page.get_by_role("link", name="begun from a step of another run").wait_for()
    eyes.saw_nothing_wrong()


def test_r5_a_run_is_compared_with_its_origin_however_many_came_after(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    first = ran(page, GREETING, name="World")
    runs = f"/api/agents/{first['agent_id']}/runs"
    for _ in range(55):  # more than a page of them
        ask(page, "POST", runs, {"inputs": {"name": "Harbour"}})
    again = ask(page, "POST", f"/api/runs/{first['id']}/rerun")
    page.goto(f"/library/runs/{again['id']}")
    page.get_by_role("button", name="More actions for this run").click()
    page.get_by_role("menuitem", name="Compare with another run").click()
    dialog = page.get_by_role("dialog")
    other = dialog.get_by_label("Compare with")
    expect(other).to_have_value(first["id"])
    expect(dialog.get_by_role("columnheader", name=f"Run {first['id'][-6:]}")).to_be_visible()
    ran_since = ask(page, "POST", runs, {"inputs": {"name": "Harbour"}})
    expect(other.locator(f"option[value='{ran_since['id']}']")).to_have_count(1)
    expect(other).to_have_value(first["id"])
    eyes.saw_nothing_wrong()
