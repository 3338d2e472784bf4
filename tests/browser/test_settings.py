"""Settings: what agents sign in with, and what programs come in with."""

from playwright.sync_api import Page, StorageState, expect

from tests.browser.conftest import Visit, ask
from tests.browser.eyes import barriers, clipped
from tests.browser.house import House

SEND = "6595ae1f-b924-42cb-9a41-551a0611c4b4"
IS_REFUSED = """async (key) => {
  const ask = {credentials: 'omit', headers: {Authorization: `Bearer ${key}`}};
  return (await fetch('/api/v1/agents', ask)).status === 401;
}"""
SECRET = "canary-0123456789-zyxw"


def add(page: Page, kind: str, fields: dict[str, str]) -> None:
    page.get_by_role("button", name="Add a credential").click()
    page.get_by_label("Kind").select_option(kind)
    for label, value in fields.items():
        page.get_by_label(label, exact=True).fill(value)
    assert barriers(page) == clipped(page) == []
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_s2_credentials_are_added_never_shown_and_deleted_with_a_word_on_who_uses_them(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    page.goto("/settings/credentials")
    expect(page.get_by_text("No credentials yet")).to_be_visible()
    add(page, "API key", {"Title": "Work", "Provider": "github", "Key": SECRET})
    add(page, "User name and password", {"Title": "Mail", "Provider": "smtp", "User name": "ada", "Password": SECRET})
    headers = {"Title": "Tide tables", "Host": "tides.example.com", "Header": "X-Key", "Value of the header": SECRET}
    add(page, "Headers for a host", headers)
    rows = page.get_by_role("table").get_by_role("row")
    expect(rows).to_have_count(4)
    expect(rows.filter(has_text="Work")).to_contain_text("key ending in zyxw")
    expect(rows.filter(has_text="Tide tables")).to_contain_text("tides.example.com")
    assert SECRET not in page.content()
    assert SECRET not in str(ask(page, "GET", "/api/credentials"))
    tides = next(one for one in ask(page, "GET", "/api/credentials")["items"] if one["title"] == "Tide tables")
    given = {name: tides[name] for name in ("id", "provider", "type", "title")}
    inputs = {"url": "https://tides.example.com", "method": "GET", "credentials": given}
    graph = {"name": "Tide reader", "nodes": [{"id": "send", "block": SEND, "inputs": inputs}], "links": []}
    ask(page, "POST", "/api/agents", {"graph": graph})
    page.reload()
    expect(rows.filter(has_text="Tide tables").get_by_role("link", name="Tide reader")).to_be_visible()
    page.get_by_role("button", name="Delete Tide tables?").click()
    expect(page.get_by_role("dialog")).to_contain_text("Tide reader")
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(rows).to_have_count(3)
    eyes.saw_nothing_wrong()


def test_s3_scenario_34_a_key_is_made_calls_v1_and_is_refused_once_suspended(
    lived_in: House, owner: StorageState, visit: Visit
) -> None:
    page, eyes = visit(lived_in, storage_state=owner)
    page.goto("/settings/api-keys")
    page.get_by_role("button", name="Create a key").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("Harbour clock")
    dialog.get_by_role("button", name="Create a key").click()
    expect(dialog).to_contain_text("Choose at least one")
    dialog.get_by_role("checkbox", name="agents:read").check()
    dialog.get_by_role("button", name="Create a key").click()
    key = dialog.get_by_label("Your new key").inner_text()
    assert barriers(page) == clipped(page) == []
    dialog.get_by_role("button", name="Close").click()
    assert key not in page.content()

    def status() -> int:
        """As a program would, without the browser's cookies."""
        bare = {"Authorization": f"Bearer {key}", "Cookie": ""}
        return page.context.request.get("/api/v1/agents", headers=bare).status

    assert status() == 200
    expect(page.get_by_role("row", name="Harbour clock")).to_contain_text("active")
    page.get_by_role("button", name="Suspend Harbour clock").click()
    expect(page.get_by_role("row", name="Harbour clock")).to_contain_text("suspended")
    page.wait_for_function(IS_REFUSED, arg=key)
    eyes.faults = [fault for fault in eyes.faults if "401" not in fault]
    page.get_by_role("button", name="Resume Harbour clock").click()
    expect(page.get_by_role("row", name="Harbour clock")).to_contain_text("active")
    page.reload()
    page.get_by_role("button", name="Revoke Harbour clock").click()
    page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    expect(page.get_by_text("No API keys yet")).to_be_visible()
    eyes.saw_nothing_wrong()
