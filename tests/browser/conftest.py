"""A browser for all tests, and houses to visit."""

import os
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from pathlib import Path
from shutil import copytree
from typing import Any, Literal, Protocol

import pytest
from playwright.sync_api import Browser, Page, StorageState, ViewportSize, expect, sync_playwright

from scripts import chromium
from tests.base.waiting import stay_until
from tests.browser.agents import GREETING
from tests.browser.eyes import Eyes
from tests.browser.house import EMAIL, PASSWORD, House

HERE = Path(__file__).parent
WIDE, PHONE = ViewportSize(width=1440, height=900), ViewportSize(width=390, height=844)
PATIENCE = 30_000  # milliseconds: the first turn of a process loads the agent library, on a machine that may be busy
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--force-prefers-reduced-motion"]


class Visit(Protocol):
    """Opens a page of a house in a context of its own, with eyes on it."""

    def __call__(
        self,
        house: House,
        *,
        allowed: tuple[str, ...] = (),
        viewport: ViewportSize = WIDE,
        storage_state: StorageState | None = None,
        color_scheme: Literal["light", "dark"] = "light",
    ) -> tuple[Page, Eyes]: ...


@dataclass(frozen=True)
class Things:
    """One of each thing that a route may name, and the cookies of their owner."""

    ids: dict[str, str]
    state: StorageState


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser() -> Generator[Browser]:
    program = chromium.find()
    if program is None and not os.environ.get("CI"):
        pytest.skip(chromium.MISSING)
    assert program is not None, chromium.MISSING
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield found
        found.close()


@pytest.fixture
def house(tmp_path: Path) -> Generator[House]:
    """An empty house that nobody owns yet."""
    made = House(tmp_path / "house")
    made.start()
    yield made
    made.kill()


@dataclass(frozen=True)
class Left:
    """A house as its owner left it, and the owner's cookies, which open every copy of it."""

    folder: Path
    state: StorageState


@pytest.fixture(scope="session")
def left(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Left:
    """Going through the set-up takes longer than copying a folder."""
    made = House(tmp_path_factory.mktemp("house"))
    made.start()
    context = browser.new_context(base_url=made.url)
    make_owner(context.new_page(), made)
    state = context.storage_state()
    context.close()
    made.kill()
    return Left(made.folder, state)


@pytest.fixture(scope="module")
def lived_in(left: Left, tmp_path_factory: pytest.TempPathFactory) -> Generator[House]:
    """A house for a whole module; it has an owner."""
    made = House(tmp_path_factory.mktemp("house") / "copy")
    copytree(left.folder, made.folder)
    made.start()
    yield made
    made.kill()


@pytest.fixture(scope="module")
def unowned(tmp_path_factory: pytest.TempPathFactory) -> Generator[House]:
    """A house for a whole module that nobody owns."""
    made = House(tmp_path_factory.mktemp("house"))
    made.start()
    yield made
    made.kill()


@pytest.fixture(scope="session")
def owner(left: Left) -> StorageState:
    """The cookies of the owner of `lived_in`."""
    return left.state


@pytest.fixture(scope="module")
def things(lived_in: House, owner: StorageState, browser: Browser) -> Generator[Things]:
    context = browser.new_context(base_url=lived_in.url, storage_state=owner)
    page = context.new_page()
    page.goto("/library")
    agent = ask(page, "POST", "/api/agents", {"graph": GREETING})
    run = ask(page, "POST", f"/api/agents/{agent['id']}/runs", {"inputs": {"name": "World"}})
    rename = [{"op": "set_name", "value": "Port greeting"}]  # a second version, so that there is one to bring back
    ask(page, "PATCH", f"/api/agents/{agent['id']}", {"base_version": 1, "ops": rename})
    chat = ask(page, "POST", "/api/chat/sessions", {"dry_run": False})
    ids = {"agentId": agent["id"], "runId": run["id"], "sessionId": chat["id"]}
    yield Things(ids, context.storage_state())
    context.close()


@pytest.fixture
def visit(browser: Browser) -> Generator[Visit]:
    opened: list[Eyes] = []

    def open_page(
        house: House,
        *,
        allowed: tuple[str, ...] = (),
        viewport: ViewportSize = WIDE,
        storage_state: StorageState | None = None,
        color_scheme: Literal["light", "dark"] = "light",
    ) -> tuple[Page, Eyes]:
        context = browser.new_context(
            base_url=house.url, viewport=viewport, storage_state=storage_state, color_scheme=color_scheme
        )
        context.set_default_timeout(PATIENCE)
        eyes = Eyes(context, house.url, allowed)
        opened.append(eyes)
        return context.new_page(), eyes

    yield open_page
    for eyes in opened:
        eyes.context.close()


def make_owner(page: Page, house: House) -> None:
    """Go through the set-up as anybody would."""
    page.goto(house.link)
    page.get_by_label("Name").fill("Ada Lovelace")
    page.get_by_label("E-mail").fill(EMAIL)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Create the owner").click()
    page.get_by_label("Message AutoPilot").wait_for()


def ask(page: Page, method: str, path: str, body: Any = None) -> Any:
    """Speak to the API as the page's own user."""
    return page.evaluate(
        """async ([method, path, body]) => {
          const me = await (await fetch('/api/auth/me')).json();
          const answer = await fetch(path, {
            method, headers: {'Content-Type': 'application/json', 'X-CSRF-Token': me.csrf_token},
            body: body === null ? undefined : JSON.stringify(body),
          });
          const text = await answer.text();
          if (!answer.ok) throw new Error(`${answer.status} ${text}`);
          return text === '' ? null : JSON.parse(text);
        }""",
        [method, path, body],
    )


def ran(page: Page, graph: Mapping[str, object], **inputs: object) -> dict[str, Any]:
    """A run of a new agent that has ended."""
    page.goto("/library")
    agent = ask(page, "POST", "/api/agents", {"graph": graph})
    run = ask(page, "POST", f"/api/agents/{agent['id']}/runs", {"inputs": inputs})
    stay_until(lambda: page.request.get(f"/api/runs/{run['id']}").json()["ended_at"])
    return run
