"""H1, H10, H11: limits before parsing, and headers on everything."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.base.http.house import House, open_house
from tests.base.http.sample import sample_routes

JSON = {"content-type": "application/json"}


async def test_every_answer_carries_the_headers_of_the_house(small_house: House):
    await small_house.add_owner()
    for path in ("/api/setup/status", "/api/nothing", "/api/me", "/health/live"):
        headers = (await small_house.client().get(path)).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["cache-control"] == "no-store"
        assert len(headers["x-request-id"]) == 36


async def test_pages_may_run_our_scripts_and_no_others(small_house: House):
    policy = (await small_house.client().get("/some/page")).headers["content-security-policy"]
    for part in ("default-src 'self'", "script-src 'self'", "object-src 'none'", "base-uri 'none'", "frame-src 'self'"):
        assert part in policy
    assert "unsafe" not in policy


async def test_a_body_over_the_limit_is_refused_before_it_is_read(small_house: House):
    answer = await small_house.client().post("/api/setup/owner", content=b"x" * 1_000_001, headers=JSON)
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


async def test_agent_documents_may_be_larger(small_house: House):
    client = small_house.client()
    body = b"x" * 5_000_000
    assert (await client.post("/api/agents", content=body, headers=JSON)).status_code == 404
    assert (await client.post("/api/agents", content=body * 3, headers=JSON)).status_code == 413


async def test_a_streamed_body_is_counted_though_it_has_no_length(small_house: House):
    async def endless() -> AsyncIterator[bytes]:
        for _ in range(2000):
            yield b" " * 1000

    answer = await small_house.client().post("/api/setup/owner", content=endless(), headers=JSON)
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


@pytest.mark.security
@pytest.mark.parametrize(
    "media",
    ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "", "application/jsonx"],
)
async def test_other_media_types_are_refused_whatever_they_hold(small_house: House, media: str):
    browser = await small_house.add_owner()
    answer = await browser.post("/api/things", content=b'{"name": "x"}', headers={"content-type": media})
    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")
    assert (await browser.get("/api/things")).json() == {"count": 0}


async def test_json_may_name_its_charset(small_house: House):
    browser = await small_house.add_owner()
    headers = {"content-type": "Application/JSON; charset=utf-8"}
    assert (await browser.post("/api/things", content=b'{"name": "x"}', headers=headers)).status_code == 201


async def test_other_sites_get_no_cors_by_default(small_house: House):
    answer = await small_house.client(Origin="https://evil.example").get("/api/setup/status")
    assert "access-control-allow-origin" not in answer.headers


async def test_configured_origins_are_an_exact_list_without_cookies(sqlite_url: str, tmp_path: Path):
    origins = ("https://app.example",)
    async with open_house(sqlite_url, tmp_path, sample_routes(), cors_origins=origins) as house:
        asked = {"Access-Control-Request-Method": "GET"}
        allowed = await house.client(Origin="https://app.example").options("/api/v1/things", headers=asked)
        assert allowed.headers["access-control-allow-origin"] == "https://app.example"
        assert "access-control-allow-credentials" not in allowed.headers
        for origin in ("null", "https://app.example.evil", "http://app.example"):
            denied = await house.client(Origin=origin).options("/api/v1/things", headers=asked)
            assert "access-control-allow-origin" not in denied.headers


async def test_health_tells_what_is_wrong_and_nothing_else(small_house: House):
    client = small_house.client()
    assert (await client.get("/health/live")).json() == {"status": "ok"}
    assert (await client.get("/health")).status_code == 200
    small_house.door.stopping.set()
    answer = await client.get("/health/ready")
    assert (answer.status_code, answer.json()["code"]) == (503, "shutting_down")


async def test_readiness_names_the_check_that_fails(sqlite_url: str, tmp_path: Path):
    async def broken() -> None:
        raise OSError("db.internal:5432 refused")

    async with open_house(sqlite_url, tmp_path) as house:
        checks = house.door.checks
        assert isinstance(checks, dict)
        checks["database"] = broken
        answer = await house.client().get("/health")
        assert answer.status_code == 503
        assert answer.json()["detail"] == {"failing": ["database"]}
        assert "db.internal" not in answer.text


async def test_metrics_are_for_the_token_or_this_machine(small_house: House):
    await small_house.add_owner()
    token = small_house.door.keyring.metrics_token
    assert (await small_house.client().get("/metrics")).status_code == 401
    assert (await small_house.program(token).get("/metrics")).status_code == 200
    local = small_house.client("127.0.0.1")
    assert "pilothouse_http_requests_total" in (await local.get("/metrics")).text
    assert (await local.get("/metrics", headers={"X-Forwarded-For": "192.0.2.9"})).status_code == 401
