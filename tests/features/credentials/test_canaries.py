"""Secrets with a mark on them: planted in every place for secrets, used and misused, and looked for everywhere."""

import zipfile
from base64 import b64encode, urlsafe_b64encode
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from structlog.testing import capture_logs

from pilothouse.app.backup.make import make_backup
from pilothouse.app.tables import metadata
from pilothouse.blocks.credentials import ApiKey, UserPassword
from pilothouse.blocks.pins import BlockFailed
from pilothouse.features.runs.keys import REDACTED, Hider
from tests.databases import fresh_sqlite
from tests.features.credentials.conftest import Bank
from tests.features.credentials.test_credentials import create
from tests.features.runs import graphs
from tests.features.runs.graphs import graph, link, node
from tests.features.runs.installations import settings_for
from tests.features.runs.stand import Stand, open_installation, stamp

BLAB = "0e57b10c-0000-4000-8000-000000000030"
PLANTED: list[dict[str, Any]] = [
    {"type": "api_key", "provider": "openai", "title": "Key", "api_key": "zq7-canary-mark-key/+Zq"},
    {
        "type": "user_password",
        "provider": "smtp",
        "title": "Mail",
        "username": "ann",
        "password": "zq7-canary-mark-pass&=?",
    },
    {
        "type": "host_scoped",
        "title": "Host",
        "host": "api.example.com",
        "headers": {"X-Key": "Bearer zq7-canary-mark-head"},
    },
]
MARK = b"zq7-canary-mark-"
OPEN = b"zq8-not-a-secret"


def spellings(text: bytes) -> list[bytes]:
    inside = [b64encode(b"\0" * before + text)[2:-4] for before in range(3)]
    return [text, *inside, urlsafe_b64encode(text).rstrip(b"="), text.hex().encode(), quote(text, safe="").encode()]


def found_in(content: bytes, mark: bytes = MARK) -> list[bytes]:
    return [each for each in spellings(mark) if each in content]


def blabs(credential: dict[str, Any], way: str) -> graphs.JsonObject:
    given = {name: credential[name] for name in ("id", "provider", "type", "title")}
    nodes = [node("blab", BLAB, credentials=given, way=way), node("out", graphs.OUTPUT, name="told")]
    return graph(f"Blabs {way}", nodes, [link("blab", "told", "out", "value"), link("blab", "error", "out", "value")])


async def every_row(stand: Stand) -> bytes:
    """Of every table, as the database gives it."""
    found: list[tuple[Any, ...]] = []
    for table in metadata.sorted_tables:
        found += await stand.rows(f'select * from "{table.name}"')
    return repr(found).encode()


async def every_answer(stand: Stand, agent_id: str, run_id: str) -> bytes:
    places = [f"/api/v1/runs/{run_id}", f"/api/v1/runs/{run_id}/steps", "/api/v1/runs", f"/api/v1/agents/{agent_id}"]
    places += [f"/api/v1/agents/{agent_id}/export", f"/api/v1/runs/{run_id}/events?follow=false"]
    answers = [await stand.ann.http.get(place) for place in places]
    answers.append(await stand.ann.browser.get("/api/credentials"))
    assert all(answer.status_code == 200 for answer in answers), [answer.status_code for answer in answers]
    return b"".join(answer.content for answer in answers)


async def test_a_secret_is_found_nowhere_however_carelessly_it_is_used(bank: Bank, tmp_path: Path):
    """CRED-17, CRED-6, S16: each type, told, failed with, crashed with, and at the end of a long error."""
    stand = bank.stand
    with capture_logs() as logs:
        for ask in PLANTED:
            made = await create(bank, ask)
            for way in ("tell", "fail", "crash", "long"):
                agent_id = await stand.agent(blabs(made, way))
                ended = await stand.start(agent_id, wait=30)
                assert ended["outputs"]["told"], way  # it did say something
                assert found_in(await every_answer(stand, agent_id, ended["id"])) == [], (ask["type"], way)
                if way == "long":
                    assert "zq7" not in str(ended["outputs"])
                if way == "tell":
                    assert set(ended["outputs"]["told"][0][:4]) == {REDACTED}
                    assert REDACTED in ended["outputs"]["told"][0][4]
    assert logs
    assert found_in(repr(logs).encode()) == []
    assert found_in(await every_row(stand)) == []
    backup = await make_backup(stand.house.settings, tmp_path / "b.zip", "a passphrase for the backup")
    with zipfile.ZipFile(backup.path) as archive:
        names = archive.namelist()
        assert [name for name in names if found_in(archive.read(name))] == []
        assert {"secrets", "tables/credentials.jsonl"} <= set(names)


async def test_these_looks_would_find_one(bank: Bank):
    """No blind spots: a mark that is no secret is found in those places, and in those spellings."""
    stand = bank.stand
    document = graph(
        "Says",
        [node("store", graphs.STORE, input=OPEN.decode()), node("out", graphs.OUTPUT, name="said")],
        [link("store", "output", "out", "value")],
    )
    agent_id = await stand.agent(document)
    ended = await stand.start(agent_id, wait=30)
    assert found_in(await every_answer(stand, agent_id, ended["id"]), OPEN)
    assert found_in(await every_row(stand), OPEN)
    raw = b"before " + OPEN + b" after"
    for spelled in (raw, b64encode(raw), b64encode(b"1" + raw), b64encode(b"12" + raw), raw.hex().encode()):
        assert found_in(spelled, OPEN)


@pytest.mark.parametrize(
    "text",
    [
        "key {0}",
        "{1}",
        "{2}",
        "{3}",
        "{4}",
        "{5}",
    ],
)
def test_a_secret_is_hidden_in_every_spelling(text: str):
    """CRED-17"""
    secret = 'p"ss\\wörd-0123'
    raw = secret.encode()
    spelled = text.format(
        secret,
        b64encode(b"user:" + raw + b":tail").decode(),
        raw.hex().upper(),
        quote(secret),
        'p\\"ss\\\\wörd-0123',
        urlsafe_b64encode(b"ab" + raw).decode(),
    )
    hidden = Hider({"credentials": ApiKey("i", "p", secret)}).text(spelled)
    assert REDACTED in hidden
    assert "0123" not in hidden
    assert raw.hex().upper()[4:20] not in hidden


def test_what_is_hidden_is_hidden_before_it_is_cut():
    """CRED-17: the end of a long message must not keep half of a secret."""
    hider = Hider({"credentials": UserPassword("i", "p", "ann", "zq7-canary-mark-long")})
    told = hider.failure(BlockFailed("x", "y" * 9_995 + "zq7-canary-mark-long"))
    assert told.message[:10_000].endswith("[reda")


async def test_a_key_of_the_installation_is_everybodys_and_nobody_can_read_it(tmp_path: Path):
    """CRED-16"""
    key = "zq7-canary-mark-of-the-house"
    with fresh_sqlite(tmp_path) as url:
        await stamp(url)
        settings = settings_for(tmp_path, openai_api_key=key)
        async with open_installation(settings) as installation, installation.stand() as stand:
            ann = stand.ann.browser
            listed = (await ann.get("/api/credentials")).json()["items"]
            assert [(each["id"], each["system"], each["hint"]) for each in listed] == [("system:openai", True, None)]
            system = {"id": "system:openai", "provider": "openai", "type": "api_key", "title": "For everybody"}
            ended = await stand.run(blabs(system, "tell"))
            assert (ended["status"], ended["outputs"]["told"][0][0]) == ("completed", REDACTED)
            for answer in (
                await ann.get("/api/credentials/system:openai"),
                await ann.delete("/api/credentials/system:openai?force=true"),
                await ann.patch("/api/credentials/system:openai", json={"title": "Mine"}),
            ):
                assert answer.status_code in (404, 422)
                assert key not in answer.text
            assert await stand.count("credentials") == 0
            assert found_in(await every_row(stand)) == []


async def test_an_agent_gets_no_key_of_the_installation_that_is_not_there(bank: Bank):
    """CRED-16"""
    system = {"id": "system:openai", "provider": "openai", "type": "api_key", "title": "For everybody"}
    agent_id = await bank.stand.agent(blabs(system, "tell"))
    refused = await bank.stand.ann.http.post(f"/api/v1/agents/{agent_id}/runs", json={})
    assert refused.status_code == 422
    assert "credentials_unusable" in refused.text
