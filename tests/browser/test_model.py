"""A connected model: it thinks, calls tools, and streams Markdown that neither flickers nor does harm."""

import asyncio
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit, make_owner
from tests.browser.eyes import barriers
from tests.browser.house import House
from tests.browser.test_chat import say
from tests.providers.script import Answer, Script, Tool
from tests.providers.server import provider

TEXT = """## What I found

The **first** paragraph with `code` and a [page](https://example.com).

- one
- two

| pin | type |
|---|---|
| name | text |

```python
print("hello")
```

<script>alert(1)</script>

Pictures: ![far](https://evil.example/x.png) [bad](javascript:alert(1))

The end of it.
"""
PIECES = tuple(TEXT[start : start + 12] for start in range(0, len(TEXT), 12))
CALLS = Answer(
    thinking=("Let me ", "look for ", "blocks."),
    tools=(
        Tool("call-1", "find_block", '{"query": "text"}'),
        Tool("call-2", "find_library_agent", '{"query": "greeting"}'),
    ),
)
SHOWN = "() => document.querySelector('.thread').innerHTML.replaceAll(/<time.*?<.time>|id=\"[^\"]*\"/g, '')"


@contextmanager
def served(script: Script) -> Generator[str]:
    """The provider in a thread of its own; the browser has this one."""
    loop, ready, over = asyncio.new_event_loop(), threading.Event(), asyncio.Event()
    found: list[str] = []

    async def serve() -> None:
        async with provider(script, "openai") as url:
            found.append(url)
            ready.set()
            await over.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),), daemon=True)
    thread.start()
    assert ready.wait(10)
    try:
        yield found[0]
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join(10)
        loop.close()


@contextmanager
def modelled(folder: Path, script: Script) -> Generator[House]:
    """A server whose only model is the one that the script plays."""
    with served(script) as url:
        model = {"PILOTHOUSE_CHAT_MODEL": "openai/test", "PILOTHOUSE_CHAT_TITLE_MODEL": "offline"}
        house = House(folder, variables={"PILOTHOUSE_OPENAI_BASE_URL": url, **model})
        house.start()
        try:
            yield house
        finally:
            house.kill()


def test_ap7_ap10_ap12_ap14_a_streamed_answer_with_thoughts_and_tools(tmp_path: Path, visit: Visit) -> None:
    """Scenarios 4 and 36."""
    script = Script([CALLS, Answer(text=PIECES, pause=0.03)])
    with modelled(tmp_path / "house", script) as house:
        page, eyes = visit(house)
        make_owner(page, house)
        watch_the_answer(page)
        eyes.saw_nothing_wrong()


def test_ap4_ap20_a_waiting_message_is_a_chip_until_it_is_taken_back_or_the_turn_is_stopped(
    tmp_path: Path, visit: Visit
) -> None:
    """Scenarios 8 and 9. The model does not answer at first, so nothing takes the messages up meanwhile."""
    script = Script([Answer(text=("Never said.",), delay=600), Answer(text=("Here they are.",))])
    with modelled(tmp_path / "house", script) as house:
        page, eyes = visit(house)
        make_owner(page, house)
        say(page, "what is there?")
        expect(page.get_by_role("button", name="Stop")).to_be_visible()
        until_asked(page, script)
        chips = page.locator(".chip .clip")
        for words in ("one", "two", "three", "four"):
            say(page, words)
        expect(chips).to_have_text(["one", "two", "three", "four"])
        page.get_by_role("button", name="Take back: four").click()
        expect(chips).to_have_text(["one", "two", "three"])
        page.reload()
        expect(chips).to_have_text(["one", "two", "three"])
        page.get_by_role("button", name="Take back: two").click()
        expect(chips).to_have_text(["one", "three"])

        page.keyboard.press("Control+.")
        expect(page.locator(".turn-end")).to_contain_text("Stopped")
        expect(chips).to_have_text(["one", "three"])
        say(page, "five")
        expect(page.locator(".thread")).to_contain_text("Here they are.")
        expect(chips).to_have_count(0)
        expect(page.locator('[data-kind="user"]')).to_contain_text(["what is there?", "one", "three", "five"])
        eyes.saw_nothing_wrong()


def until_asked(page: Page, script: Script) -> None:
    """Until the model holds the question: a turn that is stopped before asks it nothing."""
    for _ in range(600):
        if script.requests:
            return
        page.wait_for_timeout(50)
    raise AssertionError("the model was not asked")


def watch_the_answer(page: Page) -> None:
    page.on("dialog", lambda dialog: (_ for _ in ()).throw(AssertionError(f"a script ran: {dialog.message}")))
    page.get_by_label("Message AutoPilot").fill("what is there for text?")
    page.keyboard.press("Enter")
    heading = page.get_by_role("heading", name="What I found")
    heading.wait_for()
    page.locator(".prose table").wait_for()
    heading.evaluate("(element) => { element.seenBefore = true }")
    page.locator(".turn-end").wait_for()
    assert heading.evaluate("(element) => element.seenBefore"), "a finished block keeps its element"

    thought = page.get_by_role("button", name="Thought for")
    expect(thought).to_have_attribute("aria-expanded", "false")
    expect(page.locator(".tool-row")).to_have_count(2)
    expect(page.locator(".composer")).to_contain_text("openai/test")
    assert page.locator(".thread img, .thread script").count() == 0
    assert page.locator('.thread a[href^="javascript"]').count() == 0
    expect(page.get_by_text("not loaded, from evil.example")).to_be_visible()
    assert barriers(page) == []

    before = page.evaluate(SHOWN)
    page.reload()
    page.locator(".turn-end").wait_for()
    expect(page.locator(".prose.value")).to_have_count(0)
    assert page.evaluate(SHOWN) == before
    thought.click()
    expect(page.locator(".reasoning-text")).to_contain_text("Let me look for blocks.")
