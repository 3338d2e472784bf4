"""A run on the canvas: every node follows it by itself, and every step can be looked into and begun again from."""

from typing import Any

from playwright.sync_api import Page, StorageState, expect

from tests.browser.agents import GREETING, slow_greeting
from tests.browser.conftest import Visit, ask
from tests.browser.eyes import barriers
from tests.browser.house import House
from tests.browser.test_canvas import drag, handle, middle

TEXT, SAY, DECODE, OUT = (
    "7fcd3bcb-8e1b-4e69-903d-32d3d4a92158",
    "db7d8f02-2f44-4c55-ab7a-eae0941f0c30",
    "2b935639-65bc-48fd-9f88-823cd706fcd9",
    "363ae599-353e-4804-937e-b2ee3cef3da4",
)
# What cannot be read fails its step; what was greeted before does not depend on it.
FAILING: dict[str, Any] = {
    "name": "Reads a manifest",
    "nodes": [
        {"id": "who", "block": TEXT, "inputs": {"name": "name", "title": "Name"}},
        {"id": "greet", "name": "Greet", "block": SAY, "inputs": {"format": "Hello {{ name }}"}},
        {"id": "read", "name": "Read the manifest", "block": DECODE, "inputs": {"json_str": "{not json"}},
        {"id": "greeting", "block": OUT, "inputs": {"name": "greeting"}},
        {"id": "manifest", "block": OUT, "inputs": {"name": "manifest"}},
    ],
    "links": [
        {"from": "who", "out": "result", "to": "greet", "in": "values_#_name"},
        {"from": "greet", "out": "output", "to": "greeting", "in": "value"},
        {"from": "read", "out": "data", "to": "manifest", "in": "value"},
    ],
}


def new_agent(page: Page, graph: dict[str, Any]) -> str:
    page.goto("/library")
    return ask(page, "POST", "/api/agents", {"graph": graph})["id"]


def ended_run(page: Page, agent: str, inputs: dict[str, Any]) -> str:
    """A run that was awaited, so that what is looked at has happened."""
    run = ask(page, "POST", f"/api/agents/{agent}/runs", {"inputs": inputs})["id"]
    page.goto(f"/build/{agent}?run={run}")
    expect(page.locator(".run-result .status").first).to_have_attribute("data-tone", "bad")
    return run


def pick(page: Page, name: str) -> None:
    page.locator(".react-flow__node", has_text=name).locator(".block-node-head").click()


def test_b13_a_run_is_stopped_and_its_nodes_say_how_far_it_came(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    agent = new_agent(page, slow_greeting(600))
    page.goto(f"/build/{agent}")
    page.get_by_role("button", name="Run").click()
    page.get_by_role("textbox", name="name").fill("World")
    page.keyboard.press("Enter")
    expect(page.locator('[data-id="who"] .node-foot')).to_have_attribute("data-status", "completed")
    expect(page.locator('[data-id="wait"] .node-foot')).to_have_attribute("data-status", "waiting")
    expect(page.locator('[data-id="said"] .node-foot')).to_have_attribute("data-status", "open")
    page.get_by_role("button", name="Stop").click()
    expect(page.locator('[data-id="wait"] .node-foot')).to_have_attribute("data-status", "cancelled")
    expect(page.locator(".run-result .status").first).to_have_text("cancelled")
    eyes.saw_nothing_wrong()


def test_b13_what_a_block_gave_can_be_read_where_the_next_one_stands_right_below(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    agent = new_agent(page, GREETING)
    page.goto(f"/build/{agent}")
    high = page.locator('[data-id="who"]').evaluate("(node) => node.offsetHeight")
    below = {"op": "move_node", "node": "greet", "position": [0, high + 2]}
    start = {"op": "move_node", "node": "who", "position": [0, 0]}
    ask(page, "PATCH", f"/api/agents/{agent}", {"base_version": 1, "ops": [start, below]})
    run = ask(page, "POST", f"/api/agents/{agent}/runs", {"inputs": {"name": "World"}})["id"]
    page.goto(f"/build/{agent}?run={run}")
    value = page.locator('[data-id="who"] .node-foot-value')
    expect(value).to_contain_text("World")
    on_top = """(value) => {
      const { left, right, top, bottom } = value.getBoundingClientRect();
      return value.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
    }"""
    assert value.evaluate(on_top)
    assert page.locator('[data-id="greet"] .block-node-head .clip').evaluate(on_top)
    eyes.saw_nothing_wrong()


def test_b13_b14_outputs_turn_on_the_node_and_a_step_is_looked_into(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    agent = new_agent(page, GREETING)
    page.goto(f"/build/{agent}")
    page.get_by_role("button", name="Run").click()
    page.get_by_role("textbox", name="Name").fill("World" * 8_000)  # more than a log keeps
    page.keyboard.press("Enter")
    expect(page.locator('[data-id="said"] .node-foot')).to_have_attribute("data-status", "completed")
    page.get_by_role("button", name="Later output of Agent output").wait_for()
    expect(page.locator('[data-id="said"] .node-foot')).to_contain_text("2/2")
    page.get_by_role("button", name="Earlier output of Agent output").click()
    expect(page.locator('[data-id="said"] .node-foot')).to_contain_text("1/2")

    pick(page, "Fill text template")
    step = page.get_by_role("region", name="Result")
    expect(step).to_contain_text("Attempt 1")
    expect(step).to_contain_text("World")
    with page.context.expect_page() as opened:
        step.get_by_role("link", name="Open the whole value").first.click()
    opened.value.wait_for_load_state()
    assert "WorldWorld" in opened.value.content()
    opened.value.close()
    step.get_by_text("Log").click()
    expect(step.locator(".moments")).to_contain_text("Step finished completed")
    assert barriers(page) == []
    eyes.saw_nothing_wrong()


def test_b15_scenario_25_a_failed_step_is_run_again_and_forked_with_another_input(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    agent = new_agent(page, FAILING)
    first = ended_run(page, agent, {"name": "World"})
    pick(page, "Read the manifest")
    step = page.get_by_role("region", name="Result")
    expect(step.locator(".bad").first).to_be_visible()

    step.get_by_role("button", name="Run again from here").click()
    plan = page.get_by_role("dialog", name="Run again from here")
    expect(plan.get_by_role("list", name="Taken over as it was")).to_contain_text("Greet")
    expect(plan.get_by_role("list", name="Run again")).to_contain_text("Read the manifest")
    assert barriers(page) == []
    plan.get_by_role("button", name="Start").click()
    expect(page.locator('[data-id="greet"] .node-foot')).to_have_attribute("data-status", "recorded")
    expect(page.locator('[data-id="read"] .node-foot')).to_have_attribute("data-status", "failed")
    second = page.url.partition("run=")[2]
    assert second != first

    step.get_by_role("button", name="Fork with other inputs").click()
    fork = page.get_by_role("dialog", name="Fork with other inputs")
    fork.get_by_label("json_str", exact=True).fill('{"crates": 3}')
    fork.get_by_role("button", name="Start").click()
    expect(page.locator('[data-id="manifest"] .node-foot')).to_have_attribute("data-status", "completed")
    expect(page.locator('[data-id="greet"] .node-foot')).to_have_attribute("data-status", "recorded")
    third = page.url.partition("run=")[2]
    made = ask(page, "GET", f"/api/runs/{third}")
    assert made["outputs"] == {"greeting": ["Hello World"], "manifest": [{"crates": 3}]}
    assert (made["origin"]["kind"], made["origin"]["run_id"]) == ("fork", second)
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("link", name="goes back to another run").click()
    expect(page.locator('[data-id="read"] .node-foot')).to_have_attribute("data-status", "failed")
    eyes.saw_nothing_wrong()


def test_b9_b13_while_a_run_is_followed_a_problem_and_a_toast_lead_to_their_field(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    template: dict[str, object] = {"format": "Hello", "values": {}}
    greet = {"id": "greet", "block": SAY, "inputs": template, "position": [400, 0]}
    who = FAILING["nodes"][0] | {"position": [0, 0]}
    agent = new_agent(page, {"name": "Followed", "nodes": [who, greet], "links": []})
    run = ask(page, "POST", f"/api/agents/{agent}/runs", {"inputs": {"name": "World"}})["id"]
    page.goto(f"/build/{agent}?run={run}")
    expect(page.locator('[data-id="greet"] .node-foot')).to_have_attribute("data-status", "completed")
    pick(page, "Fill text template")
    page.get_by_role("region", name="Result").wait_for()
    drag(page, handle(page, "who", "result", "source"), *middle(handle(page, "greet", "values", "target")))
    page.mouse.up()
    page.get_by_role("button", name="Choose a key").click()  # with the block chosen, and its result beside it
    expect(page.get_by_role("form", name="Part of the link to values").get_by_label("Put it into")).to_be_focused()

    words = page.get_by_label("format", exact=True)
    words.fill("")
    page.get_by_role("button", name="All blocks").click()
    page.get_by_role("region", name="Problems").get_by_role("button").filter(has_text="format").first.click()
    expect(words).to_be_focused()
    eyes.saw_nothing_wrong()
