"""4.2, 4.4, 5.2, ruling 11: the real `ai` package (v6) reads our streams without one schema error."""

import asyncio
import json
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import uvicorn

from pilothouse.app.serve import QuietServer
from tests.base.waiting import until
from tests.features.chat.parlour import Parlour
from tests.features.runs.stand import Installation

WEB = Path(__file__).parents[3] / "web"
SCENES = {
    "whole": ("whole", "think let me see\nsay hello there\ntool find_block\nbreak run_agent\nsay good bye"),
    "error": ("error", "say before\nfail provider_error"),
    "abort": ("abort", "talk never"),
    "resume": ("resume", "say one\npause 1\nsay two\ntool find_block\nsay three"),
    "nothing": ("nothing", ""),
    "everything": ("chunks", "everything"),
    "failed": ("chunks", "say before\nfail provider_error"),
}


@asynccontextmanager
async def served(installation: Installation) -> AsyncGenerator[str]:
    """The application on a port of its own."""
    door = socket.socket()
    door.bind(("127.0.0.1", 0))
    config = uvicorn.Config(installation.app, lifespan="off", log_config=None, loop="none", ws="none")
    server = QuietServer(config)
    task = asyncio.create_task(server.serve([door]))
    await until(lambda: server.started)
    try:
        yield f"http://127.0.0.1:{door.getsockname()[1]}"
    finally:
        server.should_exit = True
        await task


async def play(parlour: Parlour, *names: str) -> dict[str, Any]:
    """Let the package talk to us, and hear what it made of it."""
    sessions = {
        name: {"id": await parlour.session(), "scene": SCENES[name][0], "say": SCENES[name][1]} for name in names
    }
    async with served(parlour.stand.house) as url:
        process = await asyncio.create_subprocess_exec(
            *("node", "conformance/chat.mjs", f"{url}/api/v1/chat/sessions", parlour.stand.ann.key),
            json.dumps(sessions),
            cwd=WEB,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        async with asyncio.timeout(60):
            out, problems = await process.communicate()
    assert process.returncode == 0, problems.decode()
    return json.loads(out)


def kinds(message: dict[str, Any]) -> list[str]:
    return [part["type"] for part in message["parts"]]


async def test_whole_turns_become_whole_messages(small: Parlour):
    told = await play(small, "whole", "nothing")
    whole = told["whole"]
    assert (whole["status"], whole["error"], whole["faults"], whole["valid"]) == ("ready", None, [], True)
    assert [message["role"] for message in whole["messages"]] == ["user", "assistant"]
    answer = whole["messages"][1]
    assert kinds(answer) == [
        *("step-start", "reasoning", "step-start", "text", "step-start", "tool-find_block"),
        *("step-start", "tool-run_agent", "step-start", "text"),
    ]
    assert [part["state"] for part in answer["parts"] if "state" in part] == [
        *("done", "done", "output-available", "output-error", "done"),
    ]
    assert [part["text"] for part in answer["parts"] if part["type"] == "text"] == ["hello there", "good bye"]
    nothing = told["nothing"]
    assert (nothing["status"], nothing["messages"], nothing["faults"]) == ("ready", [], [])


async def test_errors_and_aborts_end_as_the_package_expects(small: Parlour):
    told = await play(small, "error", "abort")
    error, abort = told["error"], told["abort"]
    assert (error["status"], error["error"]) == ("error", "It went wrong.")
    assert kinds(error["messages"][1]) == ["step-start", "text", "data-error"]
    assert (abort["status"], abort["error"], abort["valid"]) == ("ready", None, True)
    assert kinds(abort["messages"][1]) == ["step-start", "text", "tool-slow_tool"]
    assert [part["state"] for part in abort["messages"][1]["parts"][1:]] == ["done", "output-error"]


async def test_a_cut_connection_is_resumed_without_a_doublet(small: Parlour):
    told = (await play(small, "resume"))["resume"]
    assert (told["status"], told["faults"], told["valid"]) == ("ready", [], True)
    assert [message["role"] for message in told["messages"]] == ["user", "assistant"]
    texts = [part["text"] for part in told["messages"][1]["parts"] if part["type"] == "text"]
    assert texts == ["one", "two", "three"]


async def test_no_chunk_is_refused_by_the_schema(small: Parlour):
    """5.4: each type of event that there is, and what comes after an error."""
    told = await play(small, "everything", "failed")
    assert told["everything"]["refused"] == []
    assert set(told["everything"]["types"]) >= {
        *("start", "start-step", "finish-step", "text-start", "text-delta", "text-end", "finish"),
        *("reasoning-start", "reasoning-delta", "reasoning-end", "tool-input-start", "tool-input-delta"),
        *("tool-input-available", "tool-output-available", "tool-output-error"),
        *("data-status", "data-step-reset", "data-background", "data-follow-up", "data-compaction"),
        *("data-usage", "data-notice", "data-title"),
    }
    assert told["failed"]["refused"] == []
    assert told["failed"]["types"][-3:] == ["data-error", "error", "finish"]
