"""Settings, Models: a provider is connected by keyboard, refused with its reason, tried again, used and removed."""

from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit, make_owner
from tests.browser.eyes import barriers
from tests.browser.house import House
from tests.browser.test_model import served
from tests.providers.script import Answer, Refusal, Script

KEY = "sk-canary-0123456789-last"


def test_f3_s1_a_model_is_tested_before_it_is_kept(house: House, visit: Visit) -> None:
    """Scenario 38: a bad key shows the reason; a local endpoint works; the offline pilot is left in mid-session."""
    script = Script([Refusal(401), Answer(text=("ok",))])
    with served(script) as url:
        page, eyes = visit(house, color_scheme="dark")
        make_owner(page, house)
        page.goto("/settings")
        panel = page.locator("section", has=page.get_by_role("heading", name="Models"))
        expect(panel).to_contain_text("offline pilot")
        assert barriers(page) == []
        connect(page, url)
        expect(panel.get_by_role("alert")).to_contain_text("refused the key")
        expect(page.get_by_role("table", name="Connections")).to_have_count(0)
        page.get_by_role("button", name="Test and connect").click()
        row = page.get_by_role("row").filter(has_text="mine/test")
        expect(row).to_contain_text("key ending in last")
        expect(panel).to_contain_text("mine/test answers")
        row.get_by_role("button", name="Test mine").click()
        expect(row).to_contain_text("Answered")
        assert barriers(page) == []
        assert KEY not in page.content()
        row.get_by_role("button", name="Remove mine").click()
        page.get_by_role("dialog").get_by_role("button", name="Remove", exact=True).click()
        expect(page.get_by_role("table", name="Connections")).to_have_count(0)
        expect(panel).to_contain_text("offline pilot")
        eyes.saw_nothing_wrong()


def connect(page: Page, url: str) -> None:
    page.get_by_label("Provider").select_option("Another server (OpenAI-compatible)")
    page.get_by_label("Address").fill(url)
    page.get_by_label("Name", exact=True).nth(0).fill("mine")
    page.get_by_label("Key").fill(KEY)
    page.get_by_label("Model", exact=True).fill("test")
    page.keyboard.press("Enter")
