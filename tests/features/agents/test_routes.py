"""Agents by HTTP: status, shape, who may, and what the headers promise."""

from typing import Any

import httpx2
import pytest

from pilothouse.base.actor import Actor
from pilothouse.base.http import describe, policies
from pilothouse.kit.ids import new_id
from tests.features.agents.front import Front
from tests.features.agents.graphs import broken, greeter

AGENTS = "/api/agents"
ABSENT = "01900000-0000-7000-8000-000000000000"


async def created(browser: httpx2.AsyncClient, **graph: Any) -> dict[str, Any]:
    answer = await browser.post(AGENTS, json={"graph": greeter(**graph)})
    assert answer.status_code == 201, answer.text
    return answer.json()


async def test_an_agent_is_made_read_saved_and_deleted(front: Front, alice: Actor):
    browser = front.browser(alice)
    made = await browser.post(AGENTS, json={"graph": greeter(), "note": "first"})
    assert (made.status_code, made.headers["etag"]) == (201, '"v1"')
    path = f"{AGENTS}/{made.json()['id']}"

    got = await browser.get(path)
    assert (got.status_code, got.headers["etag"]) == (200, '"v1"')
    assert got.json() == made.json()
    assert got.json()["created_at"].endswith("Z")

    saved = await browser.put(path, json={"graph": greeter("Bye"), "base_version": 1})
    assert (saved.status_code, saved.headers["etag"], saved.json()["version"]) == (200, '"v2"', 2)
    assert (await browser.delete(path, headers={"If-Match": '"v2"'})).status_code == 204
    assert (await browser.get(path)).status_code == 404


async def test_a_reader_that_has_the_version_gets_no_body(front: Front, alice: Actor):
    browser = front.browser(alice)
    path = f"{AGENTS}/{(await created(browser))['id']}"
    for place in (path, f"{path}/versions/1"):
        same = await browser.get(place, headers={"If-None-Match": '"v1"'})
        assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", '"v1"')
        assert (await browser.get(place, headers={"If-None-Match": '"v9"'})).status_code == 200


async def test_a_change_must_say_what_it_is_based_on(front: Front, alice: Actor):
    browser = front.browser(alice)
    path = f"{AGENTS}/{(await created(browser))['id']}"
    blind = [
        await browser.put(path, json={"graph": greeter()}),
        await browser.put(f"{path}/active-version", json={"version": 1}),
        await browser.delete(path),
    ]
    assert [(answer.status_code, answer.json()["code"]) for answer in blind] == [(428, "precondition_required")] * 3


async def test_a_stale_change_is_told_the_difference_by_412_or_409(front: Front, alice: Actor):
    browser = front.browser(alice)
    path = f"{AGENTS}/{(await created(browser))['id']}"
    await browser.put(path, json={"graph": greeter(name="Other"), "base_version": 1})

    by_header = await browser.put(path, json={"graph": greeter("Mine")}, headers={"If-Match": '"v1"'})
    by_body = await browser.put(path, json={"graph": greeter("Mine"), "base_version": 1})
    assert (by_header.status_code, by_body.status_code) == (412, 409)
    for answer in (by_header, by_body):
        assert answer.json()["code"] == "version_conflict"
        assert answer.json()["detail"] == {
            "current_version": 2,
            "diff": {"metadata": {"name": {"from": "Greeter", "to": "Other"}}},
        }
    assert (await browser.delete(path, headers={"If-Match": '"v1"'})).status_code == 412


async def test_faults_come_as_one_report(front: Front, alice: Actor):
    browser = front.browser(alice)
    path = f"{AGENTS}/{(await created(browser))['id']}"
    for answer in (
        await browser.post(AGENTS, json={"graph": broken()}),
        await browser.put(path, json={"graph": broken(), "base_version": 1}),
    ):
        assert (answer.status_code, answer.json()["code"]) == (422, "agent_invalid")
        assert {"a", "b"} <= answer.json()["detail"]["errors"].keys()
    assert (await browser.get(path)).json()["version"] == 1
    file = {"format": "pilothouse.agent/1", **broken()}
    answer = await browser.post(f"{AGENTS}/import", json={"document": file})  # what is not installed, an import keeps
    assert (answer.status_code, answer.json()["code"]) == (422, "agent_invalid")
    assert answer.json()["detail"]["errors"].keys() == {"b", "$agent"}


async def test_validation_answers_whatever_the_graph_is_and_stores_nothing(front: Front, alice: Actor):
    browser = front.browser(alice)
    for graph, level, valid in ((greeter(), "run", True), (broken(), "save", False), ({"nodes": 1}, "save", False)):
        answer = await browser.post(f"{AGENTS}/validate", json={"graph": graph, "level": level})
        assert (answer.status_code, answer.json()["valid"]) == (200, valid)
    assert (await browser.get(AGENTS)).json() == {"items": [], "next_cursor": None}

    path = f"{AGENTS}/{(await created(browser))['id']}/validate"
    asked = await browser.post(path, json={"inputs": {"whom": "x"}})
    assert {issue["code"] for issue in asked.json()["issues"]} == {"input_unknown", "input_missing"}
    assert (await browser.post(path, json={})).json() == {"valid": True, "errors": {}, "issues": []}


async def test_versions_are_listed_compared_moved_and_rolled_back(front: Front, alice: Actor):
    browser = front.browser(alice)
    path = f"{AGENTS}/{(await created(browser))['id']}"
    await browser.put(path, json={"graph": greeter("Bye"), "base_version": 1, "note": "shorter"})

    listed = (await browser.get(f"{path}/versions", params={"limit": 1})).json()
    rest = (await browser.get(f"{path}/versions", params={"cursor": listed["next_cursor"]})).json()
    assert [(item["version"], item["note"]) for item in listed["items"] + rest["items"]] == [(2, "shorter"), (1, None)]
    assert rest["next_cursor"] is None
    assert (await browser.get(f"{path}/versions/1")).json()["graph"] == (
        await browser.get(path, params={"version": 1})
    ).json()["graph"]

    diff = (await browser.get(f"{path}/diff", params={"from": 1, "to": 2})).json()
    assert diff["diff"]["nodes"]["changed"].keys() == {"fill"}
    moved = await browser.put(f"{path}/active-version", json={"version": 1}, headers={"If-Match": '"v2"'})
    assert (moved.headers["etag"], moved.json()["active_version"], moved.json()["newest_version"]) == ('"v1"', 1, 2)
    back = await browser.post(f"{path}/rollback", json={"version": 2})
    assert (back.status_code, back.json()["version"]) == (200, 2)


async def test_an_edit_answers_for_each_operation(front: Front, alice: Actor):
    """engine:P4, http-api: PATCH /agents/{id}"""
    browser = front.browser(alice)
    path = f"{AGENTS}/{(await created(browser))['id']}"
    ops = [{"op": "add_node", "block": "note", "id": "why"}, {"op": "set_name", "value": "Edited"}]
    shown = await browser.patch(path, json={"base_version": 1, "ops": ops, "save": False})
    assert (shown.status_code, shown.json()["saved"], shown.json()["agent"]["name"]) == (200, False, "Edited")
    assert (await browser.get(path)).json()["version"] == 1

    done = await browser.patch(path, json={"base_version": 1, "ops": ops, "note": "why"})
    body = done.json()
    assert (done.status_code, done.headers["etag"], body["agent"]["version"], body["saved"]) == (200, '"v2"', 2, True)
    assert (body["nodes"], body["report"]["valid"]) == ({"@0": "why"}, True)
    assert body["ops"][0] == {
        **{"index": 0, "ok": True, "code": None, "message": None, "node_id": "why"},
        **{"allowed": [], "dropped": {}},
    }
    failed = await browser.patch(path, json={"base_version": 2, "ops": [{"op": "remove_node", "node": "whyy"}, *ops]})
    assert (failed.status_code, failed.json()["code"]) == (422, "operation_failed")
    assert [(op["ok"], op["code"]) for op in failed.json()["detail"]["ops"]] == [
        (False, "unknown_node"),
        (False, "node_exists"),
        (True, None),
    ]
    assert failed.json()["detail"]["ops"][0]["allowed"][0] == "why"


async def test_a_stale_edit_gets_409_unless_it_can_be_rebased(front: Front, alice: Actor):
    """engine:P5"""
    browser = front.browser(alice)
    path = f"{AGENTS}/{(await created(browser))['id']}"
    await browser.patch(path, json={"base_version": 1, "ops": [{"op": "set_name", "value": "Other"}]})
    stale = {"base_version": 1, "ops": [{"op": "set_description", "value": "Mine"}]}
    assert (await browser.patch(path, json={"ops": []})).status_code == 428
    refused = await browser.patch(path, json=stale)
    assert (refused.status_code, refused.json()["code"]) == (409, "version_conflict")
    assert refused.json()["detail"]["diff"] == {"metadata": {"name": {"from": "Greeter", "to": "Other"}}}
    rebased = await browser.patch(path, json={**stale, "rebase": True})
    assert (rebased.status_code, rebased.json()["agent"]["version"]) == (200, 3)


async def test_a_difference_is_told_as_operations_too(front: Front, alice: Actor):
    """engine:R3"""
    browser = front.browser(alice)
    path = f"{AGENTS}/{(await created(browser))['id']}"
    await browser.put(path, json={"graph": greeter("Bye"), "base_version": 1})
    diff = (await browser.get(f"{path}/diff", params={"from": 1, "to": 2})).json()
    assert diff["operations"] == [{"op": "set_input", "node": "fill", "field": ["format"], "value": "Bye"}]
    back = (await browser.get(f"{path}/diff", params={"from": 2, "to": 1})).json()["operations"]
    done = await browser.patch(path, json={"base_version": 2, "ops": back})
    first = (await browser.get(f"{path}/versions/1")).json()
    assert done.json()["agent"]["content_hash"] == first["content_hash"]


async def test_an_export_is_a_file_that_imports(front: Front, alice: Actor):
    browser = front.browser(alice)
    made = await created(browser, name='Ünï "quoted"\r\nname')
    file = await browser.get(f"{AGENTS}/{made['id']}/export")
    assert file.headers["content-type"] == "application/json"
    assert file.headers["content-disposition"] == 'attachment; filename="n-quoted-name.json"'
    assert file.text.endswith("}\n")

    answer = await browser.post(f"{AGENTS}/import", json={"document": file.json()})
    assert (answer.status_code, answer.json()["report"]["runnable"]) == (201, True)
    copy = await browser.get(f"{AGENTS}/{answer.json()['agent_id']}")
    assert copy.json()["content_hash"] == made["content_hash"]
    other = await browser.post(f"{AGENTS}/import", json={"document": {"nodes": [{"block": "x"}]}})
    assert (other.status_code, other.json()["code"]) == (422, "format_unsupported")


async def test_a_repeated_create_makes_one_agent(front: Front, alice: Actor):
    browser = front.browser(alice)
    key = {"Idempotency-Key": "one"}
    first = await browser.post(AGENTS, json={"graph": greeter()}, headers=key)
    again = await browser.post(AGENTS, json={"graph": greeter()}, headers=key)
    other = await browser.post(AGENTS, json={"graph": greeter("x")}, headers=key)

    assert (again.status_code, again.json(), again.headers["idempotent-replay"]) == (201, first.json(), "true")
    assert (other.status_code, other.json()["code"]) == (409, "idempotency_conflict")
    assert len((await browser.get(AGENTS)).json()["items"]) == 1


async def test_lists_go_on_behind_a_cursor(front: Front, alice: Actor):
    browser = front.browser(alice)
    ids = {(await created(browser, name=str(number)))["id"] for number in range(3)}
    page = (await browser.get(AGENTS, params={"limit": 2})).json()
    rest = (await browser.get(AGENTS, params={"limit": 2, "cursor": page["next_cursor"]})).json()
    assert [len(page["items"]), len(rest["items"]), rest["next_cursor"]] == [2, 1, None]
    assert {item["id"] for item in page["items"] + rest["items"]} == ids
    assert "graph" not in page["items"][0]


async def test_what_is_foreign_or_absent_answers_alike(front: Front, alice: Actor, bob: Actor):
    mine = (await created(front.browser(alice)))["id"]
    other = front.browser(bob)
    body = {"graph": greeter(), "base_version": 1}
    for method, rest, content in (
        ("GET", "", None),
        ("PUT", "", body),
        ("PATCH", "", {"ops": [{"op": "set_name", "value": "x"}], "base_version": 1}),
        ("DELETE", "", None),
        ("GET", "/versions", None),
        ("GET", "/versions/1", None),
        ("GET", "/diff?from=1&to=1", None),
        ("GET", "/export", None),
        ("POST", "/validate", {}),
        ("PUT", "/active-version", {"version": 1, "base_version": 1}),
        ("POST", "/rollback", {"version": 1}),
    ):
        told: list[dict[str, Any]] = []
        for agent_id in (mine, new_id()):
            answer = await other.request(
                method, f"{AGENTS}/{agent_id}{rest}", json=content, headers={"If-Match": '"v1"'}
            )
            assert answer.status_code == 404, (method, rest)
            told.append({**answer.json(), "request_id": None})
        assert told[0] == told[1]
        assert told[0]["code"] == "not_found"


async def test_a_key_needs_its_scope_and_its_own_door(front: Front, alice: Actor):
    made = await created(front.browser(alice))
    reads = front.program(alice, "agents:read")
    path = f"/api/v1/agents/{made['id']}"

    assert (await reads.get(path)).json() == made
    assert (await reads.get("/api/v1/agents")).json()["items"][0]["id"] == made["id"]
    refused = await reads.put(path, json={"graph": greeter("x"), "base_version": 1})
    assert (refused.status_code, refused.json()["code"]) == (403, "scope_missing")
    saved = await front.program(alice, "agents:write").put(path, json={"graph": greeter("x"), "base_version": 1})
    assert saved.json()["version"] == 2
    assert (await reads.get(f"{AGENTS}/{made['id']}")).status_code == 401
    assert (await front.stranger().get(AGENTS)).status_code == 401


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", f"{AGENTS}/not-an-id", None),
        ("GET", f"{AGENTS}/{ABSENT}?version=0", None),
        ("GET", f"{AGENTS}/{ABSENT}/versions/{2**40}", None),
        ("GET", f"{AGENTS}/{ABSENT}/diff?from=1", None),
        ("POST", AGENTS, {"graph": greeter(), "surprise": 1}),
        ("POST", AGENTS, {"graph": []}),
        ("POST", AGENTS, {"graph": greeter(), "note": "\x00"}),
        ("POST", f"{AGENTS}/validate", {"graph": {}, "level": "walk"}),
    ],
)
async def test_malformed_requests_are_refused_with_a_place(
    small_front: Front, alice: Actor, method: str, path: str, body: object
):
    answer = await small_front.browser(alice).request(method, path, json=body)
    assert (answer.status_code, answer.json()["code"]) == (422, "validation_failed")
    assert answer.json()["detail"]["errors"]


async def test_both_doors_serve_the_same_operations(small_front: Front):
    declared = {(method, path): str(policy) for method, path, policy in policies(small_front.app)}
    app = {(method, path) for method, path in declared if path.startswith(("/api/agents", "/api/blocks"))}
    assert len(app) >= 17
    for method, path in app:
        assert declared[method, path] == "user"
        assert declared[method, path.replace("/api/", "/api/v1/")].startswith("scope:")
    document = describe(small_front.app)
    assert document["paths"]["/api/v1/agents"]["get"]["operationId"] == "v1_list_agents"
    detail = document["components"]["schemas"]["AgentDetail"]
    assert set(detail["required"]) == set(detail["properties"])
