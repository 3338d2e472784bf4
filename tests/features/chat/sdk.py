"""The real `ai` package as a client of ours: it talks to a served installation, and we hear what it made of it."""

import asyncio
import json
import socket
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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


@dataclass(frozen=True, slots=True)
class Watched:
    """The application; `returned` is told of each session to whose stream somebody has come back."""

    app: ASGIApp
    returned: Callable[[str], None]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        *_, session, last = ["", *scope["path"].split("/")]
        is_return = scope["method"] == "GET" and last == "stream"

        async def send_and_tell(message: Message) -> None:
            await send(message)
            if is_return:
                self.returned(session)

        await self.app(scope, receive, send_and_tell)


@asynccontextmanager
async def served(app: ASGIApp) -> AsyncGenerator[str]:
    """The application on a port of its own."""
    door = socket.socket()
    door.bind(("127.0.0.1", 0))
    config = uvicorn.Config(app, lifespan="off", log_config=None, loop="none", ws="none")
    server = QuietServer(config)
    task = asyncio.create_task(server.serve([door]))
    await until(lambda: server.started)
    try:
        yield f"http://127.0.0.1:{door.getsockname()[1]}"
    finally:
        server.should_exit = True
        await task


def nobody(session_id: str) -> None: ...


async def played(
    installation: Installation,
    key: str,
    version: str,
    scenes: Mapping[str, Scene],
    returned: Callable[[str], None] = nobody,
) -> Body:
    """Let one version of the package play these scenes; answers what it made of each."""
    asked = {name: {"id": scene.session_id, "scene": scene.name, "say": scene.say} for name, scene in scenes.items()}
    async with served(Watched(installation.app, returned)) as url:
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
