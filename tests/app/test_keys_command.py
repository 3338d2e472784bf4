"""`pilothouse keys`: a key is told as in use, and kept, for as long as anything stored names it."""

import asyncio
from collections.abc import AsyncGenerator

import pytest

from tests.app.commands import Answer, Cli
from tests.databases import fresh_sqlite
from tests.features.runs.conftest import settings_for
from tests.features.runs.graphs import LOCK, OUTPUT, graph, link, node
from tests.features.runs.stand import Stand, open_installation, stamp

OPENS = graph(
    "Opens",
    [node("lock", LOCK, key="x", value=1), node("out", OUTPUT, name="opened")],
    [link("lock", "opened", "out", "value")],
)


@pytest.fixture
async def stand(cli: Cli) -> AsyncGenerator[Stand]:
    """Somebody in the installation that is commanded, while it works."""
    cli.data_dir.mkdir()
    with fresh_sqlite(cli.data_dir) as url:
        await stamp(url)
        async with open_installation(settings_for(cli.data_dir)) as opened, opened.stand() as stand:
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
