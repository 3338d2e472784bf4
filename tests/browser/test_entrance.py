"""Who may come in, and where they come out."""

from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit, make_owner
from tests.browser.house import EMAIL, PASSWORD, House


def test_f1_without_an_owner_every_path_explains_how_to_begin(unowned: House, visit: Visit) -> None:
    page, eyes = visit(unowned)
    page.goto("/library")
    expect(page).to_have_url(f"{unowned.url}/setup")
    expect(page.locator("main")).to_contain_text("pilothouse owner-link")
    eyes.saw_nothing_wrong()


def test_f1_a_wrong_link_explains_how_to_print_a_new_one(unowned: House, visit: Visit) -> None:
    page, _ = visit(unowned)
    page.goto("/setup#token=wrong")
    page.get_by_label("Name").fill("Eve")
    page.get_by_label("E-mail").fill("eve@example.com")
    page.get_by_label("Password").fill("twelve characters")
    page.get_by_role("button", name="Create the owner").click()
    expect(page.get_by_role("alert")).to_contain_text("owner-link")


def test_f1_a_link_pasted_into_the_open_page_is_read_and_leaves_the_address(house: House, visit: Visit) -> None:
    page, eyes = visit(house)
    page.goto("/setup")
    expect(page.locator("main")).to_contain_text("pilothouse owner-link")
    page.evaluate("(link) => { location.href = link }", house.link)  # only what stands after the # differs
    page.get_by_label("Name").fill("Ada Lovelace")
    expect(page).to_have_url(f"{house.url}/setup")
    page.get_by_label("E-mail").fill(EMAIL)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Create the owner").click()
    page.get_by_label("Message AutoPilot").wait_for()
    eyes.saw_nothing_wrong()


def test_f5_signing_in_returns_to_the_asked_page_and_too_many_attempts_name_the_wait(
    house: House, visit: Visit
) -> None:
    """Scenario 2."""
    owner, owners_eyes = visit(house)
    make_owner(owner, house)
    sign_out(owner)
    owner.goto("/library")
    expect(owner.get_by_role("heading", name="Sign in")).to_be_visible()
    owners_eyes.saw_nothing_wrong()  # being nobody is no error

    page, eyes = visit(house, allowed=("401", "429"))
    page.goto("/activity?from=mail")
    page.get_by_label("E-mail").fill(EMAIL)
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Activity")).to_be_visible()
    assert page.url == f"{house.url}/activity?from=mail"

    page.context.clear_cookies()
    page.goto("/")
    page.get_by_label("E-mail").fill(EMAIL)
    page.get_by_label("Password").fill("not the password")
    for _ in range(12):  # six, unless a new minute begins among them
        with page.expect_response("**/api/auth/login") as answer:
            page.get_by_role("button", name="Sign in").click()
        if answer.value.status == 429:
            break
    expect(page.get_by_role("alert")).to_contain_text("Too many attempts. Try again in")
    eyes.saw_nothing_wrong()


def sign_out(page: Page) -> None:
    page.goto("/settings")
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
