"""Talking to AutoPilot: what is typed is never lost, what waits can be taken back, what runs can be stopped."""

import json

import pytest
from playwright.sync_api import Page, StorageState, ViewportSize, WebSocketRoute, expect

from tests.base.waiting import stay_until
from tests.browser.agents import slow_greeting
from tests.browser.conftest import PHONE, WIDE, Visit, ask
from tests.browser.house import House

HOSTILE = '<img src=x onerror="alert(1)"> [x](javascript:alert(1)) ![y](https://evil.example/y.png) **bold**'


def say(page: Page, words: str) -> None:
    page.get_by_label("Message AutoPilot").fill(words)
    page.keyboard.press("Enter")


def begin_slow_turn(page: Page) -> None:
    """A turn that waits for a run that will not end by itself."""
    page.goto("/")
    agents = ask(page, "GET", "/api/agents")["items"]
    if not any(agent["name"] == "Slow greeting" for agent in agents):
        ask(page, "POST", "/api/agents", {"graph": slow_greeting(600)})
    say(page, "run Slow greeting with name=World")
    expect(page.locator(".tool-row").last).to_contain_text("Agent")
    expect(page.locator(".tool-row").last).to_contain_text("waiting")
    expect(page.get_by_role("button", name="Stop")).to_be_visible()


def test_ap4_a_stopped_turn_says_so_and_its_open_tools_end_as_cancelled(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    """Scenario 8."""
    page, eyes = visit(lived_in, storage_state=owner)
    begin_slow_turn(page)
    page.keyboard.press("Control+.")
    expect(page.locator(".turn-end")).to_contain_text("Stopped")
    expect(page.locator('[data-kind="tool"]').last).to_contain_text("cancelled")
    say(page, "help")
    expect(page.locator(".turn-end")).to_have_count(2)
    eyes.saw_nothing_wrong()


def test_ap3_two_enters_send_once_and_shift_enter_breaks_the_line(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    page.goto("/")
    box = page.get_by_label("Message AutoPilot")
    box.press_sequentially("help")
    page.keyboard.press("Shift+Enter")
    box.press_sequentially("please")
    assert box.input_value() == "help\nplease"
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    page.locator(".turn-end").wait_for()
    expect(page.locator('[data-kind="user"]')).to_have_count(1)
    eyes.saw_nothing_wrong()


def test_ap5_a_draft_survives_a_reload_and_a_refusal_gives_the_text_back(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, _ = visit(lived_in, storage_state=owner)
    page.goto("/")
    box = page.get_by_label("Message AutoPilot")
    box.fill("half a thought")
    page.reload()
    expect(box).to_have_value("half a thought")

    refusal = {
        "code": "budget_exceeded",
        "message": "The daily allowance is used up.",
        "detail": {"resets_at": "2030-01-01T00:00:00Z"},
        "hint": None,
        "request_id": "r",
    }
    page.route("**/stream", lambda route: route.fulfill(status=429, json=refusal))
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("The daily allowance is used up. It resets")
    expect(box).to_have_value("half a thought")
    page.unroute_all()
    box.fill("help")
    page.keyboard.press("Enter")
    page.locator(".turn-end").wait_for()


def test_ap1_a_session_is_renamed_pinned_and_deleted_from_its_menu(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    other, _ = visit(lived_in, storage_state=owner)
    other.goto("/")
    page.goto("/")
    say(page, "help")
    page.locator(".turn-end").wait_for()
    row = page.locator(".session.current")

    row.get_by_role("button", name="Actions").click()
    page.get_by_role("menuitem", name="Rename").click()
    page.get_by_label("Title").fill("What it can do")
    page.keyboard.press("Enter")
    expect(row).to_contain_text("What it can do")
    row.get_by_role("button", name="Actions").click()
    page.get_by_role("menuitem", name="Pin").click()
    expect(page.get_by_role("region", name="Pinned")).to_contain_text("What it can do")
    expect(other.get_by_role("region", name="Pinned")).to_contain_text("What it can do")

    row.get_by_role("button", name="Actions").click()
    page.get_by_role("menuitem", name="Delete").click()
    expect(page.locator(".session", has_text="What it can do")).to_have_count(0)
    expect(other.get_by_text("What it can do")).to_have_count(0)
    eyes.saw_nothing_wrong()


def test_d8_d10_a_deleted_chat_can_be_taken_back_and_else_is_gone_for_good(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    page.goto("/")
    say(page, "help")
    page.locator(".turn-end").wait_for()
    chat = page.url.removeprefix(f"{lived_in.url}/chat/")
    row = page.locator(f'.session:has(a[href="/chat/{chat}"])')

    def delete() -> None:
        row.get_by_role("button", name="Actions").click()
        page.get_by_role("menuitem", name="Delete").click()
        expect(row).to_have_count(0)
        expect(page).to_have_url(f"{lived_in.url}/")  # nobody goes on reading what is deleted

    delete()
    page.keyboard.press("Control+k")  # a dialog over the page leaves in reach what is said in the corner
    page.get_by_role("dialog").get_by_role("button", name="Undo").click()
    page.keyboard.press("Escape")
    row.get_by_role("link").click()
    expect(page.locator(".turn-end")).to_have_count(1)
    delete()
    assert page.request.get(f"/api/chat/sessions/{chat}").status == 200
    page.goto("/library")  # whoever leaves has made up their mind
    stay_until(lambda: page.request.get(f"/api/chat/sessions/{chat}").status == 404 or None)
    eyes.saw_nothing_wrong()


def test_ap10_hostile_text_does_nothing_and_fetches_nothing(lived_in: House, owner: StorageState, visit: Visit) -> None:
    """Scenario 36."""
    page, eyes = visit(lived_in, storage_state=owner)
    page.on("dialog", lambda dialog: eyes.faults.append(f"a script ran: {dialog.message}"))
    page.goto("/")
    graph = slow_greeting(1) | {"name": f"Evil {HOSTILE}", "description": HOSTILE}
    agent = ask(page, "POST", "/api/agents", {"graph": graph})
    say(page, "search my library for evil")
    page.locator(".turn-end").wait_for()
    assert page.locator(".thread img").count() == 0
    assert page.locator('a[href^="javascript"]').count() == 0
    for path in ("/library", f"/library/agents/{agent['id']}", f"/build/{agent['id']}"):
        page.goto(path)
        page.get_by_text("Evil").first.wait_for()
        assert page.locator("main img").count() == 0
    eyes.saw_nothing_wrong()


def test_ap11_a_reader_who_scrolled_up_is_left_alone_and_told_of_what_is_new(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner, viewport={"width": 900, "height": 420})
    page.goto("/")
    say(page, "help")
    page.locator(".turn-end").wait_for()
    frame = page.get_by_role("region", name="Conversation")
    frame.evaluate("(element) => element.scrollTo(0, 0)")
    page.locator(".tool-row, .item").first.click()
    expect(page.get_by_role("button", name="New messages")).to_have_count(0)
    other = page.context.new_page()
    other.goto(page.url)
    say(other, "find blocks for working with text")
    expect(page.get_by_role("button", name="New messages")).to_be_visible()
    assert frame.evaluate("(element) => element.scrollTop") == 0
    page.get_by_role("button", name="New messages").click()
    expect(page.locator(".turn-end").nth(1)).to_be_in_viewport()
    eyes.saw_nothing_wrong()


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_ap11_who_sends_is_taken_to_the_end_and_stays_there(
    size: ViewportSize, lived_in: House, owner: StorageState, visit: Visit
) -> None:
    """Also from far above: the message itself makes the thread longer before the news of our scrolling arrives."""
    page, eyes = visit(lived_in, storage_state=owner, viewport=size)
    page.goto("/")
    frame = page.get_by_role("region", name="Conversation")
    for nth, words in enumerate(("build an agent that takes a name and greets it", "help", "help", "help"), 1):
        say(page, words)
        expect(page.locator(".turn-end")).to_have_count(nth)
        expect(page.locator(".turn-end").last).to_be_in_viewport()
        expect(page.get_by_role("button", name="New messages")).to_have_count(0)
        frame.evaluate("(element) => element.scrollTo(0, 0)")
        page.wait_for_function("document.querySelector('.thread-frame').scrollTop === 0")
    eyes.saw_nothing_wrong()


def test_n6_a_conversation_that_is_refused_says_so_and_is_asked_for_again(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    page.goto("/")
    say(page, "help")
    page.locator(".turn-end").wait_for()
    refusals: list[str] = []

    def between(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()

        def pass_on(words: str | bytes) -> None:
            asked = json.loads(words)
            if asked["op"] == "subscribe" and asked["channel"].startswith("session:") and not refusals:
                refusals.append(asked["channel"])
                socket.send(json.dumps({"type": "error", "channel": asked["channel"], "code": "rate_limited"}))
            else:
                server.send(words)

        socket.on_message(pass_on)

    page.route_web_socket("**/api/ws", between)
    page.reload()
    panel = page.get_by_role("region", name="Conversation").get_by_role("alert")
    expect(panel).to_contain_text("rate_limited")
    panel.get_by_role("button", name="Retry").click()
    page.locator(".turn-end").wait_for()
    expect(panel).to_have_count(0)
    eyes.saw_nothing_wrong()
