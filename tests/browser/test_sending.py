"""What is sent arrives once, and what is refused comes back beside what was written meanwhile."""

from playwright.sync_api import Page, Route, StorageState, expect

from tests.browser.conftest import Visit, ask
from tests.browser.house import House

REFUSAL: dict[str, object] = {
    "code": "unavailable",
    "message": "The message was not kept.",
    "detail": {},
    "hint": None,
    "request_id": "r",
}

# The server hears the first message, and nobody hears its answer.
LOSE_ONE_ANSWER = """
const real = window.fetch;
let lost = false;
window.fetch = async (...asked) => {
  const answer = await real(...asked);
  if (lost || !answer.url.endsWith('/stream')) return answer;
  lost = true;
  throw new TypeError('the answer was lost');
};
"""


def say(page: Page, words: str) -> None:
    page.get_by_label("Message AutoPilot").fill(words)
    page.keyboard.press("Enter")


def test_ap5_a_refused_message_comes_back_above_what_was_typed_meanwhile(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, _ = visit(lived_in, storage_state=owner)
    page.goto("/")
    say(page, "help")
    page.locator(".turn-end").wait_for()
    held: list[Route] = []
    page.route("**/stream", lambda route: held.append(route))
    box = page.get_by_label("Message AutoPilot")
    with page.expect_request("**/stream"):
        say(page, "first thought")
    box.press_sequentially("second")
    held[0].fulfill(status=503, json=REFUSAL)
    expect(page.locator(".composer-refused")).to_contain_text("The message was not kept.")
    expect(box).to_have_value("first thought\n\nsecond")

    page.locator(".bubble-edit").first.click()  # what is written stays here, too
    expect(box).to_have_value("help\n\nfirst thought\n\nsecond")


def test_ap5_the_same_text_sent_again_after_a_lost_answer_is_one_message(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, _ = visit(lived_in, storage_state=owner)
    page.add_init_script(LOSE_ONE_ANSWER)
    page.goto("/")
    say(page, "help")
    expect(page.locator(".composer-refused")).to_contain_text("Not sent")
    expect(page.get_by_label("Message AutoPilot")).to_have_value("help")
    page.keyboard.press("Enter")
    page.locator(".turn-end").wait_for()
    say(page, "find blocks for working with text")
    said = page.locator('[data-kind="user"]')
    expect(said.last).to_contain_text("find blocks")
    expect(said).to_have_count(2)


def test_ap3_a_double_click_on_a_suggestion_makes_one_chat(lived_in: House, owner: StorageState, visit: Visit) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    page.goto("/")
    before = len(ask(page, "GET", "/api/chat/sessions")["sessions"])
    page.locator(".suggestion").last.dblclick()
    page.locator(".turn-end").wait_for()
    expect(page.locator('[data-kind="user"]')).to_have_count(1)
    assert len(ask(page, "GET", "/api/chat/sessions")["sessions"]) == before + 1
    eyes.saw_nothing_wrong()
