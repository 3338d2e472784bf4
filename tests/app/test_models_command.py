"""`pilothouse models`: connecting a provider from the command line, with its key on standard input."""

import asyncio
from typing import Any

from tests.app.commands import Answer as Said
from tests.app.commands import Cli
from tests.providers.script import Answer, Refusal, Script
from tests.providers.server import provider

KEY = "sk-canary-0123456789"


async def command(cli: Cli, *words: str, **more: Any) -> Said:
    """In a thread: the provider answers in this one."""
    return await asyncio.to_thread(cli, "models", *words, **more)


async def test_a_provider_is_tried_kept_listed_tried_again_and_removed(cli: Cli):
    script = Script([Answer(text=("ok",))])
    async with provider(script, "openai") as url:
        address = ("--name", "mine", "--base-url", url, "--model", "test")
        added = await command(cli, "add", "openai_compatible", *address, "--key-stdin", said=f"{KEY}\n")
        assert (added.code, added.out.strip()) == (0, "mine")
        assert script.requests[0].headers["authorization"] == f"Bearer {KEY}"
        script.answers[:] = [Refusal(401)]
        refused = await command(cli, "test", "mine")
        assert refused.code == 1
        assert "refused the key" in refused.err
    listed = await command(cli, "list", "--json", GROQ_API_KEY="gsk")
    found = listed.json()
    assert [(each["name"], each["source"]) for each in found] == [("mine", "stored"), ("groq", "environment")]
    assert found[0]["test_code"] == "provider_auth"
    assert (await command(cli, "remove", "mine")).code == 0
    assert (await command(cli, "remove", "mine")).code == 1
    assert KEY not in listed.out + added.out + added.err + refused.err


async def test_what_does_not_answer_is_not_kept(cli: Cli):
    async with provider(Script([Refusal(401)]), "openai") as url:
        refused = await command(cli, "add", "openai", "--base-url", url, "--key-stdin", said=f"{KEY}\n")
    assert refused.code == 1
    assert "refused the key" in refused.err
    assert (await command(cli, "list", "--json")).json() == []


async def test_a_wrong_call_says_what_is_wrong(cli: Cli):
    unknown = await command(cli, "add", "telepathy", "--key-stdin", said=f"{KEY}\n")
    assert unknown.code == 2
    assert "kind" in unknown.err
    unnamed = await command(cli, "add", "openai_compatible", "--base-url", "http://127.0.0.1:9")
    assert unnamed.code == 1
    assert "model" in unnamed.err
    assert (await command(cli, "add", "openai")).code == 2
