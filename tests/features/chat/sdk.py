"""The real `ai` package as a client of ours: it talks to a served installation, and we hear what it made of it."""

import asyncio
import json
import socket
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import uvicorn

from pilothouse.app.serve import QuietServer
from tests.base.waiting import until
from tests.features.runs.stand import Installation
from tests.providers.script import Body

WEB = Path(__file__).parents[3] / "web"
PACKAGES = {"v6": "ai", "v7": "ai7"}  # v7 asks for Node 22; what is used of it here runs on 20 too


@dataclass(frozen=True, slots=True)
class Scene:
    """What the package does in a session, and what it says there."""

    session_id: str
    name: str  # of a function in `web/conformance/chat.mjs`
    say: str


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


async def played(installation: Installation, key: str, version: str, scenes: Mapping[str, Scene]) -> Body:
    """Let one version of the package play these scenes; answers what it made of each."""
    asked = {name: {"id": scene.session_id, "scene": scene.name, "say": scene.say} for name, scene in scenes.items()}
    async with served(installation) as url:
        process = await asyncio.create_subprocess_exec(
            *("node", "conformance/chat.mjs", PACKAGES[version], f"{url}/api/v1/chat/sessions", key),
            json.dumps(asked),
            cwd=WEB,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        async with asyncio.timeout(60):
            out, problems = await process.communicate()
    assert process.returncode == 0, problems.decode()
    return json.loads(out)


def kinds(message: Body) -> list[str]:
    return [part["type"] for part in message["parts"]]
