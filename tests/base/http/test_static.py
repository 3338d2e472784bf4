"""The web app is there before anything else is, and never stands in the API's way."""

from pathlib import Path

import pytest

from pilothouse.base.http import WebApp, check_policies
from tests.base.http.house import House


@pytest.fixture
def web(small_house: House, tmp_path: Path) -> House:
    folder = tmp_path / "web"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("<!doctype html>page")
    (folder / "assets" / "index-Ab12Cd34.js").write_text("1")
    (folder / "icon.svg").write_text("<svg/>")
    (tmp_path / "outside.txt").write_text("secret")
    small_house.app.mount("/", WebApp(folder))
    check_policies(small_house.app)
    return small_house


async def test_every_page_of_the_app_is_its_index(web: House):
    for path in ("/", "/setup", "/agents/0190/runs"):
        answer = await web.client().get(path)
        assert (answer.status_code, answer.text) == (200, "<!doctype html>page"), path
        assert answer.headers["cache-control"] == "no-store"
        assert "script-src 'self'" in answer.headers["content-security-policy"]


async def test_hashed_files_are_kept_for_ever_and_others_are_not(web: House):
    hashed = await web.client().get("/assets/index-Ab12Cd34.js")
    assert (hashed.status_code, hashed.headers["cache-control"]) == (200, "public, max-age=31536000, immutable")
    assert (await web.client().get("/icon.svg")).headers["cache-control"] == "no-store"
    assert (await web.client().get("/assets/gone-Ab12Cd34.js")).status_code == 404


async def test_unknown_api_paths_are_errors_and_not_pages(web: House):
    await web.add_owner()
    for path in ("/api/nothing", "/api", "/health/nothing"):
        answer = await web.client().get(path)
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert (await web.client().post("/setup")).json()["code"] == "method_not_allowed"


@pytest.mark.security
@pytest.mark.parametrize("path", ["/..%2foutside.txt", "/%2e%2e/outside.txt", "/assets/..%2f..%2foutside.txt"])
async def test_nothing_outside_the_folder_is_served(web: House, path: str):
    answer = await web.client().get(path)
    assert "secret" not in answer.text
