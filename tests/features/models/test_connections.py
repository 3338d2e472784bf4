"""autopilot:13.2, web:F3: connecting a provider, trying it, and that its key never comes out again."""

from typing import Any, TypeAlias

import pytest

from pilothouse.features.models import Stockroom
from pilothouse.features.models.kinds import KINDS
from tests.features.runs.stand import Installation, Person
from tests.providers.script import Answer, Refusal, Script
from tests.providers.server import provider

Body: TypeAlias = dict[str, Any]

PROVIDERS = "/api/models/providers"
CANARY = "sk-canary-0123456789-last"
ANSWERS = Answer(text=("ok",), model="maker/answering")


def asking(kind: str, url: str, **more: Any) -> Body:
    named = {"name": "local", "model": "maker/test"} if kind == "openai_compatible" else {}
    return {"kind": kind, "base_url": url, "api_key": CANARY, **named, **more}


async def connected(admin: Person, **ask: Any) -> Body:
    answer = await admin.browser.post(PROVIDERS, json={"kind": "openai", "api_key": CANARY} | ask)
    assert answer.status_code == 201, answer.text
    return answer.json()


async def test_a_connection_is_made_listed_changed_and_removed(installation: Installation, admin: Person):
    """13.2"""
    made = await connected(admin, model="gpt-x")
    assert (made["name"], made["key_hint"], made["source"], made["model"]) == ("openai", "last", "stored", "gpt-x")
    path = f"{PROVIDERS}/{made['id']}"
    changed = (await admin.browser.patch(path, json={"model": "gpt-y", "api_key": CANARY + "-new9"})).json()
    assert (changed["model"], changed["key_hint"]) == ("gpt-y", "new9")
    listed = (await admin.browser.get(PROVIDERS)).json()["items"]
    assert [each["id"] for each in listed] == [made["id"]]
    assert (await admin.browser.delete(path)).status_code == 204
    assert (await admin.browser.get(PROVIDERS)).json()["items"] == []
    assert (await admin.browser.delete(path)).status_code == 404


async def test_the_key_is_sealed_in_its_row_and_in_no_answer(installation: Installation, admin: Person):
    """F3"""
    await connected(admin)
    rows = await installation.api.reader.rows("select * from model_connections")
    assert CANARY not in str(rows)
    assert CANARY not in (await admin.browser.get(PROVIDERS)).text
    house = installation.api
    found = await Stockroom(house.settings, house.reader, house.keyring).connections()
    assert found[0].key is not None
    assert found[0].key.get_secret_value() == CANARY
    assert CANARY not in repr(found)


async def test_only_administrators_see_connections(installation: Installation, admin: Person, member: Person):
    made = await connected(admin)
    for method, path in [("GET", PROVIDERS), ("POST", PROVIDERS), ("DELETE", f"{PROVIDERS}/{made['id']}")]:
        answer = await member.browser.request(method, path, json={"kind": "openai", "api_key": "k"})
        assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")


REFUSED: list[Body] = [
    {"kind": "openai"},
    {"kind": "openai_compatible", "name": "local", "model": "m"},
    {"kind": "openai_compatible", "name": "local", "base_url": "http://127.0.0.1:1/v1"},
    {"kind": "openai_compatible", "model": "m", "base_url": "http://127.0.0.1:1/v1"},
    {"kind": "ollama", "base_url": "ftp://127.0.0.1"},
    {"kind": "ollama", "base_url": "http://me:secret@127.0.0.1"},
    {"kind": "ollama", "base_url": "http://169.254.169.254/latest"},
    {"kind": "openai", "api_key": "k", "name": "anthropic"},
    {"kind": "openai", "api_key": "k", "name": "offline"},
    {"kind": "openai", "api_key": "k", "name": "A B"},
    {"kind": "openai", "api_key": "k", "model": "two words"},
    {"kind": "telepathy", "api_key": "k"},
    {"kind": "openai", "api_key": "k", "surprise": 1},
]


@pytest.mark.parametrize("ask", REFUSED, ids=str)
async def test_what_cannot_be_a_connection_is_refused_and_not_kept(
    installation: Installation, admin: Person, ask: Body
):
    answer = await admin.browser.post(PROVIDERS, json=ask)
    assert (answer.status_code, answer.json()["code"]) == (422, "validation_failed")
    assert "secret" not in answer.text
    assert await installation.api.reader.rows("select 1 from model_connections") == []


async def test_a_name_is_taken_once(installation: Installation, admin: Person):
    await connected(admin)
    again = await admin.browser.post(PROVIDERS, json={"kind": "openai", "api_key": "other"})
    assert (again.status_code, again.json()["code"]) == (409, "already_exists")
    await connected(admin, name="openai-two")


WIRES = [
    ("anthropic", "anthropic"),
    ("openai", "openai"),
    ("openai_compatible", "openai"),
    ("google", "openai"),
    ("groq", "openai"),
    ("ollama", "openai"),
    ("openrouter", "openrouter"),
]


def test_every_kind_is_tried():
    """F3"""
    assert {kind for kind, _ in WIRES} == set(KINDS)


@pytest.mark.parametrize(("kind", "wire"), WIRES)
async def test_a_test_asks_the_provider_through_its_own_client(
    installation: Installation, admin: Person, kind: str, wire: str
):
    """F3"""
    script = Script([ANSWERS])
    async with provider(script, wire) as url:
        fresh = (await admin.browser.post(f"{PROVIDERS}/test", json=asking(kind, url))).json()
        made = await connected(admin, **asking(kind, url))
        tested = (await admin.browser.post(f"{PROVIDERS}/{made['id']}/test")).json()
    assert (fresh["ok"], tested["ok"]) == (True, True)
    assert (tested["code"], tested["model"]) == (None, "maker/answering")
    sent = script.requests[0].headers
    assert CANARY in sent.get("authorization", "") + sent.get("x-api-key", "")
    assert script.asked[0]["stream"] is True
    listed = (await admin.browser.get(PROVIDERS)).json()["items"][0]
    assert (listed["test_code"], listed["tested_at"] is not None) == (None, True)


FAILURES = [
    (Refusal(401), "provider_auth"),
    (Refusal(404), "model_unavailable"),
    (Refusal(429), "transient_api_error"),
    (Refusal(400), "provider_error"),
    (Answer(text=("o",), ends="cut"), "transient_api_error"),
    (Answer(text=("o",), ends="early"), "transient_api_error"),
]


@pytest.mark.parametrize(("answer", "code"), FAILURES, ids=lambda each: each if isinstance(each, str) else "")
async def test_a_test_that_fails_says_why_and_is_remembered(
    installation: Installation, admin: Person, answer: Answer | Refusal, code: str
):
    """F3"""
    script = Script([answer])
    async with provider(script, "openai") as url:
        made = await connected(admin, **asking("openai_compatible", url))
        told = (await admin.browser.post(f"{PROVIDERS}/{made['id']}/test")).json()
    assert (told["ok"], told["code"], bool(told["message"])) == (False, code, True)
    assert len(script.asked) == 1
    listed = (await admin.browser.get(PROVIDERS)).json()["items"][0]
    assert listed["test_code"] == code


async def test_an_address_where_nobody_listens_is_told_as_that(installation: Installation, admin: Person):
    ask = asking("openai_compatible", "http://127.0.0.1:9/v1")
    told = (await admin.browser.post(f"{PROVIDERS}/test", json=ask)).json()
    assert (told["ok"], told["code"]) == (False, "transient_api_error")


async def test_a_key_that_can_no_longer_be_opened_is_said_and_not_used(installation: Installation, admin: Person):
    made = await connected(admin)
    async with installation.api.units.write(admin.actor) as work:
        connection = await work.session.connection()
        await connection.exec_driver_sql("update model_connections set sealed_key='lost.gAAAA'")
    told = (await admin.browser.post(f"{PROVIDERS}/{made['id']}/test")).json()
    assert told["code"] == "key_unreadable"
    house = installation.api
    assert await Stockroom(house.settings, house.reader, house.keyring).connections() == []
