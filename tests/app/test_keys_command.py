"""`pilothouse keys`: a key is told as in use, and kept, for as long as anything stored names it."""

import asyncio
from collections.abc import AsyncGenerator

import httpx2
import pytest

from tests.app.commands import Answer, Cli
from tests.features.runs.graphs import LOCK, OUTPUT, graph, link, node
from tests.features.runs.installations import open_embedded
from tests.features.runs.stand import Stand

OPENS = graph(
    "Opens",
    [node("lock", LOCK, key="x", value=1), node("out", OUTPUT, name="opened")],
    [link("lock", "opened", "out", "value")],
)


@pytest.fixture
async def stand(cli: Cli) -> AsyncGenerator[Stand]:
    """Somebody in the installation that is commanded, while it works."""
    cli.data_dir.mkdir()
    async with open_embedded(cli.data_dir) as opened, opened.stand() as stand:
        yield stand


async def command(cli: Cli, *words: str) -> Answer:
    """In a thread: the installation works in this one."""
    return await asyncio.to_thread(cli, "keys", *words)


async def in_use(cli: Cli) -> dict[str, bool]:
    return {key["id"]: key["in_use"] for key in (await command(cli, "list", "--json")).json()}


async def run_with_a_secret(stand: Stand) -> str:
    """A run that has ended, in whose log a mask stands sealed."""
    masks = {"lock": {"key": "secret"}}
    path = f"/api/v1/agents/{await stand.agent(OPENS)}/runs"
    answer = await stand.ann.http.post(path, json={"input_masks": masks}, headers={"Prefer": "wait=30"})
    assert answer.json()["status"] == "completed", answer.text
    return answer.json()["id"]


async def test_a_key_that_only_the_log_of_a_run_names_stays_until_the_run_is_gone(cli: Cli, stand: Stand):
    """Rotation does not seal logs anew, so a run that is done again needs the key that it was accepted under."""
    run_id = await run_with_a_secret(stand)
    old, new = stand.house.api.keyring.encryption[0][0], (await command(cli, "rotate")).out.strip()
    assert await in_use(cli) == {new: False, old: True}
    refused = await command(cli, "drop", old)
    assert (refused.code, refused.out) == (2, "")
    assert f"Runs that are kept name {old}." in refused.err
    assert (await stand.ann.http.delete(f"/api/v1/runs/{run_id}")).status_code == 204
    assert await in_use(cli) == {new: False, old: False}
    assert (await command(cli, "drop", old)).code == 0
    assert await in_use(cli) == {new: False}


async def test_a_key_that_sealed_an_answer_stays_while_the_request_may_come_again(cli: Cli, stand: Stand):
    """The answer may hold a secret that is shown once, so it is sealed, and it goes by itself after a while."""

    async def make() -> httpx2.Response:
        key = {"Idempotency-Key": "once"}
        return await stand.ann.http.post("/api/v1/agents", json={"graph": OPENS}, headers=key)

    made = await make()
    assert made.status_code == 201, made.text
    old = stand.house.api.keyring.encryption[0][0]
    await command(cli, "rotate")
    assert (await in_use(cli))[old]
    refused = await command(cli, "drop", old)
    assert (refused.code, f"Answers to requests with a key name {old}." in refused.err) == (2, True)
    assert (await make()).json() == made.json()
