"""H1 to H4: one body for whatever goes wrong, and nothing in it that helps an attacker."""

from typing import Any

from tests.base.http.house import House


def is_problem(body: dict[str, Any]) -> bool:
    return set(body) == {"code", "message", "detail", "hint", "request_id"}


async def test_an_unknown_path_is_not_found(small_house: House):
    await small_house.add_owner()
    answer = await small_house.client().get("/api/nothing")
    assert answer.status_code == 404
    assert is_problem(answer.json())
    assert answer.json()["code"] == "not_found"
    assert answer.json()["request_id"] == answer.headers["x-request-id"]


async def test_another_method_is_not_allowed(small_house: House):
    answer = await small_house.client().put("/api/setup/status")
    assert (answer.status_code, answer.json()["code"]) == (405, "method_not_allowed")
    assert answer.headers["allow"] == "GET"


async def test_a_refused_value_is_named_but_not_repeated(small_house: House):
    browser = await small_house.add_owner()
    answer = await browser.post("/api/things", json={"name": "x", "size": "hunter2", "extra": 1})
    assert answer.status_code == 422
    found = {(item["path"], item["code"]) for item in answer.json()["detail"]["errors"]}
    assert found == {("body.size", "int_parsing"), ("body.extra", "extra_forbidden")}
    assert "hunter2" not in answer.text


async def test_broken_json_is_a_refused_value(small_house: House):
    browser = await small_house.add_owner()
    for body in (b"{", b'{"name": NaN}', b"[" * 5000):
        answer = await browser.post("/api/things", content=body, headers={"content-type": "application/json"})
        assert (answer.status_code, answer.json()["code"]) == (422, "validation_failed"), body[:20]


async def test_a_bug_says_nothing_of_itself_and_writes_nothing(house: House):
    browser = await house.add_owner()
    answer = await browser.post("/api/things", json={"name": "bug"})
    assert (answer.status_code, answer.json()["code"]) == (500, "internal")
    assert is_problem(answer.json())
    assert "secret detail" not in answer.text
    assert (await browser.get("/api/things")).json() == {"count": 0}


async def test_an_error_after_a_write_takes_the_write_back(house: House):
    browser = await house.add_owner()
    answer = await browser.post("/api/things", json={"name": "bad"})
    assert answer.status_code == 409
    assert (await browser.get("/api/things")).json() == {"count": 0}


async def test_a_text_that_cannot_be_stored_is_refused(house: House):
    browser = await house.add_owner()
    answer = await browser.patch("/api/me", json={"name": "a\u0000b"})
    assert answer.status_code == 422


async def test_a_database_that_is_away_is_unavailable(house: House):
    browser = await house.add_owner()
    await house.units.database.close()
    house.units.database.engine.sync_engine.pool = _refusing_pool(house)
    answer = await browser.get("/api/things")
    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
    assert int(answer.headers["retry-after"]) >= 1


def _refusing_pool(house: House) -> Any:
    """The real pool, connecting to where no database is."""

    def refuse() -> Any:
        raise ConnectionRefusedError(111, "refused")

    pool: Any = house.units.database.engine.sync_engine.pool.recreate()
    pool._creator = refuse
    return pool


async def test_the_codes_are_a_closed_list_in_openapi(small_house: House):
    await small_house.add_owner()
    document = (await small_house.client().get("/api/openapi.json")).json()
    codes = document["components"]["schemas"]["Problem"]["properties"]["code"]["enum"]
    needed = """
        bad_request unauthenticated forbidden csrf_failed scope_missing origin_denied not_found method_not_allowed
        request_timeout conflict already_exists idempotency_conflict idempotency_in_progress version_conflict gone
        setup_done expired too_large unsupported_media_type validation_failed precondition_required rate_limited
        internal upstream_failed upstream_timeout unavailable shutting_down
    """
    assert set(needed.split()) <= set(codes)
    assert codes == sorted(set(codes))


async def test_every_operation_says_its_name_its_policy_and_our_error(small_house: House):
    await small_house.add_owner()
    document = (await small_house.client().get("/api/openapi.json")).json()
    operations = [(path, verb, op) for path, verbs in document["paths"].items() for verb, op in verbs.items()]
    names = [op["operationId"] for _, _, op in operations]
    assert len(names) == len(set(names))
    assert all("x-policy" in op and "security" in op and "default" in op["responses"] for _, _, op in operations)
    by_path = {(path, verb): op for path, verb, op in operations}
    assert by_path["/api/v1/things", "post"]["security"] == [{"api_key": ["agents:write"]}]
    assert by_path["/api/things", "post"]["security"] == [{"session": []}]
    assert by_path["/api/v1/things", "post"]["operationId"] == "v1_create_thing"
    assert "HTTPValidationError" not in str(document)
