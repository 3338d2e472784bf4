"""Credentials by HTTP: what goes in never comes out, and nobody else's is there."""

from typing import Any

import pytest

from pilothouse.graph.json_schema import as_list, as_object
from tests.features.credentials.conftest import Bank
from tests.features.runs import graphs
from tests.features.runs.graphs import graph, link, node

MANY = 64
SEND = "fff86bcd-e001-4bad-a7f6-2eae4720c8dc"
KEY = {"type": "api_key", "provider": "openai", "title": "Mine", "api_key": "sk-canary-0123456789abcd"}
PASSWORD = {
    "type": "user_password",
    "provider": "smtp",
    "title": "Mail",
    "username": "ann",
    "password": "pass-canary-99",
}


def headers_for(host: str, **more: str) -> dict[str, Any]:
    given = {"Authorization": "Bearer head-canary-77", "X-Own": "own-canary-55", **more}
    return {"type": "host_scoped", "title": "Headers", "host": host, "headers": given}


async def create(bank: Bank, ask: dict[str, Any]) -> dict[str, Any]:
    answer = await bank.stand.ann.browser.post("/api/credentials", json=ask)
    assert answer.status_code == 201, answer.text
    return answer.json()


def asks(url: str, credential: dict[str, Any] | None, *, optional: bool = False) -> graphs.JsonObject:
    given: dict[str, Any] = {"url": url, "method": "GET"}
    if credential is not None:
        given["credentials"] = {name: credential[name] for name in ("id", "provider", "type", "title")}
    send = node("send", SEND, **given)
    if optional:
        send["optional_credentials"] = True
    return graph("Asks", [send, node("out", graphs.OUTPUT, name="told")], [link("send", "response", "out", "value")])


async def finished(bank: Bank, run_id: str) -> list[tuple[str, str, str | None]]:
    """How its steps ended: node, status, and why."""
    ends = [event for event in await bank.stand.events(run_id) if event["type"] == "step.finished"]
    return [(end["node_id"], end["status"], (end["error"] or {}).get("code")) for end in ends]


@pytest.mark.parametrize(
    ("ask", "hint"),
    [(KEY, "abcd"), ({**KEY, "api_key": "short-key"}, None), (PASSWORD, None), (headers_for("api.example.com"), None)],
    ids=["api_key", "short", "user_password", "host_scoped"],
)
async def test_what_is_secret_is_told_by_no_answer(bank: Bank, ask: dict[str, Any], hint: str | None):
    """CRED-5"""
    made = await create(bank, ask)
    ann = bank.stand.ann.browser
    told = [made, (await ann.get("/api/credentials")).json(), (await ann.get(f"/api/credentials/{made['id']}")).json()]
    assert not any(secret in str(told) for secret in ("canary", "short-key"))
    assert (made["hint"], made["type"], made["title"], made["system"]) == (hint, ask["type"], ask["title"], False)
    shown = {name: made[name] for name in ("username", "host", "header_names")}
    named = list(ask.get("headers", {}))
    assert shown == {"username": ask.get("username"), "host": ask.get("host"), "header_names": named}


async def test_a_credential_is_renamed_and_forgotten(bank: Bank):
    made = await create(bank, KEY)
    ann, place = bank.stand.ann.browser, f"/api/credentials/{made['id']}"
    assert (await ann.patch(place, json={"title": "Work"})).json()["title"] == "Work"
    assert (await ann.delete(place)).status_code == 204
    for answer in (await ann.get(place), await ann.delete(place), await ann.patch(place, json={"title": "x"})):
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


async def test_nobody_else_finds_it(bank: Bank):
    made = await create(bank, KEY)
    other = await bank.stand.house.person()
    place = f"/api/credentials/{made['id']}"
    for answer in (await other.browser.get(place), await other.browser.delete(place)):
        assert answer.status_code == 404
    assert (await other.browser.get("/api/credentials")).json() == {"items": []}
    run = await other.http.post(
        f"/api/v1/agents/{await bank.stand.agent(asks('http://x.example/', made), other)}/runs", json={}
    )
    assert "credentials_unusable" in run.text
    await other.leave()


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"host": "http://x.com"}, "host"),
        ({"host": "*.com"}, "host"),
        ({"host": "x.com:99999"}, "host"),
        ({"headers": {}}, "headers"),
        ({"headers": {"Host": "evil"}}, "headers"),
        ({"headers": {"X": "a\r\nY: b"}}, "headers"),
        ({"headers": {"a b": "c"}}, "headers"),
        ({"provider": "Not A Slug"}, "provider"),
        ({"title": ""}, "title"),
        ({"unknown": 1}, "unknown"),
    ],
)
async def test_what_can_be_no_credential_is_refused_with_its_field(bank: Bank, change: dict[str, Any], field: str):
    answer = await bank.stand.ann.browser.post("/api/credentials", json=headers_for("api.example.com") | change)
    assert answer.status_code == 422
    assert field in answer.text
    assert "canary" not in answer.text
    assert await bank.stand.count("credentials") == 0


async def test_one_that_agents_use_goes_only_by_force(bank: Bank):
    """CRED-11"""
    made = await create(bank, headers_for(bank.here.host))
    agent_id = await bank.stand.agent(asks(f"http://{bank.here.host}/", made))
    ann, place = bank.stand.ann.browser, f"/api/credentials/{made['id']}"
    assert (await ann.get(place)).json()["used_by"] == [{"agent_id": agent_id, "name": "Asks"}]
    refused = await ann.delete(place)
    assert (refused.status_code, refused.json()["code"]) == (409, "credential_in_use")
    assert "Asks" in refused.text
    assert (await ann.delete(f"{place}?force=true")).status_code == 204
    run = await bank.stand.ann.http.post(f"/api/v1/agents/{agent_id}/runs", json={})
    assert run.status_code == 422
    assert "credentials_unusable" in run.text


async def test_a_step_sends_its_headers_to_their_host_and_what_comes_back_is_redacted(bank: Bank):
    """CRED-6, CRED-10, CRED-17"""
    made = await create(bank, headers_for(bank.here.host))
    ended = await bank.stand.run(asks(f"http://{bank.here.host}/", made))
    assert ended["status"] == "completed"
    (_, sent) = bank.here.asked[-1]
    assert (sent["authorization"], sent["x-own"]) == ("Bearer head-canary-77", "own-canary-55")
    (told,) = ended["outputs"]["told"]
    assert (told["headers"]["authorization"], told["headers"]["x-own"]) == ("[redacted]", "[redacted]")
    for table in ("segments", "runs", "agent_versions", "credentials"):
        columns = {
            "segments": "body",
            "runs": "outputs",
            "agent_versions": "document",
            "credentials": "sealed || shown",
        }
        assert not [row for row in await bank.stand.rows(f"select {columns[table]} from {table}") if "canary" in row[0]]
    used = (await bank.stand.ann.browser.get(f"/api/credentials/{made['id']}")).json()
    assert used["last_used_at"] is not None


async def test_headers_are_sent_to_no_other_host(bank: Bank):
    """CRED-10"""
    made = await create(bank, headers_for(bank.here.host))
    elsewhere = await bank.stand.run(asks(f"http://{bank.there.host}/", made))
    assert elsewhere["status"] == "completed_with_errors"
    assert bank.there.asked == []
    away = await bank.stand.run(asks(f"http://{bank.here.host}/away/{bank.there.host}", made))
    assert away["status"] == "completed"
    (path, headers) = bank.there.asked[-1]
    assert path == "/landed"
    assert not {"authorization", "x-own"} & set(headers)


async def test_steps_with_one_credential_do_not_wait_for_each_other(bank: Bank):
    """CRED-7, engine:C5"""
    made = await create(bank, headers_for(bank.here.host))
    bank.here.crowd = MANY
    given = {name: made[name] for name in ("id", "provider", "type", "title")}
    nodes = [
        node(f"n{number}", SEND, url=f"http://{bank.here.host}/{number}", method="GET", credentials=given)
        for number in range(MANY)
    ]
    ended = await bank.stand.start(await bank.stand.agent(graph("Many", nodes, [])), wait=60)
    assert ended["status"] == "completed"
    assert (len(bank.here.asked), bank.here.most) == (MANY, MANY)


async def test_one_choice_serves_all_that_need_the_same_and_a_nodes_own_wins(bank: Bank):
    """CRED-9"""
    chosen = await create(bank, headers_for(bank.here.host, **{"X-Own": "chosen-canary"}))
    own = await create(bank, headers_for(bank.here.host))
    url = f"http://{bank.here.host}"
    document = graph(
        "Three",
        [
            node("a", SEND, url=f"{url}/a", method="GET"),
            node("b", SEND, url=f"{url}/b", method="GET"),
            node("c", SEND, url=f"{url}/c", method="GET", credentials={"id": own["id"]}),
        ],
        [],
    )
    agent_id = await bank.stand.agent(document)
    place = f"/api/v1/agents/{agent_id}/runs"
    bare = await bank.stand.ann.http.post(place, json={})
    assert bare.text.count("credentials_missing") == 2
    choice = {"http:host_scoped": {"id": chosen["id"]}}
    ended = await bank.stand.ann.http.post(place, json={"credentials": choice}, headers={"Prefer": "wait=20"})
    assert ended.json()["status"] == "completed"
    sent = {path: headers["x-own"] for path, headers in bank.here.asked}
    assert sent == {"/a": "chosen-canary", "/b": "chosen-canary", "/c": "own-canary-55"}


async def test_a_node_that_may_do_without_is_skipped_when_its_credential_is_absent(bank: Bank):
    """CRED-9, engine:S4"""
    run = await bank.stand.run(asks(f"http://{bank.here.host}/", None, optional=True))
    assert (run["status"], run["outputs"]) == ("completed", {})
    assert bank.here.asked == []
    assert await finished(bank, run["id"]) == [("send", "skipped", None)]


async def test_a_credential_that_cannot_be_opened_fails_the_step_and_stays(bank: Bank):
    """CRED-4"""
    made = await create(bank, headers_for(bank.here.host))
    await bank.stand.tell("update credentials set sealed='broken' where id=:id", id=made["id"])
    ended = await bank.stand.run(asks(f"http://{bank.here.host}/", made))
    assert ("send", "failed", "credential_unreadable") in await finished(bank, ended["id"])
    assert await bank.stand.count("credentials") == 1
    assert bank.here.asked == []


@pytest.mark.parametrize("policy", [{}, {"retry": {"max_attempts": 3, "backoff_s": 0, "on": "any"}}])
async def test_a_credential_that_was_deleted_meanwhile_ends_the_run(bank: Bank, policy: graphs.JsonObject):
    """engine:S2, engine:S5: whoever takes its error, and however often it may be tried."""
    stand, made = bank.stand, await create(bank, headers_for(bank.here.host))
    document = asks(f"http://{bank.here.host}/", made)
    document["nodes"] = [
        *({**as_object(one), "policy": policy} for one in as_list(document["nodes"])),
        *(node("wait", graphs.AWAIT, fact="go"), node("later", graphs.AWAIT, fact="never")),
        node("wrong", graphs.OUTPUT, name="wrong"),
    ]
    document["links"] = [
        *as_list(document["links"]),
        *(link("wait", "fact", "send", "body"), link("send", "error", "wrong", "value")),
    ]
    run = await stand.start(await stand.agent(document))
    await stand.reaches(run["id"], "waiting")
    gone = await stand.ann.browser.delete(f"/api/credentials/{made['id']}?force=true")
    assert gone.status_code == 204
    await stand.house.api.runs.send_fact(stand.ann.actor, run["id"], "go", {})

    ended = await stand.reaches(run["id"], "failed", "completed_with_errors")
    (send,) = [event for event in await stand.events(run["id"]) if event.get("node_id") == "send"]
    assert (ended["status"], ended["outputs"], bank.here.asked) == ("failed", {}, [])
    assert (ended["reason"]["code"], ended["reason"]["step_id"]) == ("credentials_missing", send["step_id"])
    assert ended["stats"]["steps"] == {"completed": 1, "cancelled": 2}


@pytest.mark.parametrize("way", ["link", "path", "optional"])
async def test_cred_16_a_key_that_does_not_fit_is_not_opened_whichever_way_it_comes(bank: Bank, way: str):
    """What a link or a mask brings is seen only when the step runs: another provider's key must not leave then."""
    key = await create(bank, KEY)
    url = f"http://{bank.here.host}/"
    document = asks(url, key if way == "optional" else None, optional=way == "optional")
    if way != "optional":
        value, sink = ({"id": key["id"]}, "credentials") if way == "link" else (key["id"], "credentials_#_id")
        document["nodes"] = [*as_list(document["nodes"]), node("hold", graphs.STORE, input=value)]
        document["links"] = [*as_list(document["links"]), link("hold", "output", "send", sink)]
    heard = len(bank.here.asked)
    run = await bank.stand.run(document)
    assert ("send", "failed", "credentials_unusable") in await finished(bank, run["id"])
    assert len(bank.here.asked) == heard
