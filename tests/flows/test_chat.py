"""Chat over real processes: a message goes in at one, is answered by another, and is heard over HTTP and the socket."""

import asyncio
import json
import os
import subprocess
import sys
from typing import Any

import pytest
import websockets
from websockets.asyncio.client import ClientConnection
from websockets.typing import Origin

from tests.faults.place import PASSWORD, Place
from tests.faults.processes import ROOT, Launcher
from tests.faults.rig import Rig, open_rig

pytestmark = pytest.mark.fault


async def start_all(rig: Rig) -> None:
    for name in ("serve",) if rig.embedded else ("api", "one"):
        await rig.start(name)


async def new_session(rig: Rig) -> str:
    answer = await rig.client.http.post("/api/v1/chat/sessions")
    assert answer.status_code == 201, answer.text
    return answer.json()["id"]


async def test_a_turn_is_heard_while_another_process_works_on_it(launcher: Launcher, place: Place):
    """5.3: over the stream, over the log, and over the socket, alike."""
    async with open_rig(launcher, place) as rig:
        await start_all(rig)
        session = await new_session(rig)
        async with connected(rig, await sign_in(rig)) as socket:
            await socket.send(json.dumps({"op": "subscribe", "channel": f"session:{session}", "after": 0}))
            frames = await stream(rig, session)
            told = await heard_until_the_end(socket)
        kinds = [json.loads(data)["type"] for data in frames[:-1]]
        assert (kinds[0], kinds[-1], frames[-1]) == ("start", "finish", "[DONE]")
        path = f"/api/v1/chat/sessions/{session}"
        page = (await rig.client.http.get(f"{path}/events", params={"follow": "false", "limit": 1000})).json()
        assert told == page["items"]
        assert [item["id"] for item in told] == list(range(1, page["head"] + 1))
        shown = (await rig.client.http.get(path)).json()
        assert [message["role"] for message in shown["messages"]] == ["user", "assistant"]
        assert shown["active_turn"] is None
        assert (await rig.client.http.get(f"{path}/stream")).status_code == 204
        await rig.quiet()


async def stream(rig: Rig, session: str) -> list[str]:
    body = {"message": "help"}
    async with rig.client.http.stream("POST", f"/api/v1/chat/sessions/{session}/stream", json=body) as answer:
        assert answer.status_code == 200
        lines = [line async for line in answer.aiter_lines()]
    return [line.removeprefix("data: ") for line in lines if line.startswith("data: ")]


async def sign_in(rig: Rig) -> dict[str, str]:
    """What a browser sends once it is signed in."""
    origin = {"Origin": f"http://localhost:{rig.place.port}"}
    asked = {"email": "person0@example.com", "password": PASSWORD}
    answer = await rig.client.http.post("/api/auth/login", json=asked, headers={**origin, "Authorization": ""})
    assert answer.is_success, answer.text
    rig.client.http.cookies.clear()
    session = answer.headers["set-cookie"].partition(";")[0]
    return {**origin, "Cookie": session, "X-CSRF-Token": answer.json()["csrf_token"]}


def connected(rig: Rig, cookie: dict[str, str]) -> Any:
    return websockets.connect(
        f"ws://127.0.0.1:{rig.place.port}/api/ws",
        origin=Origin(cookie["Origin"]),
        additional_headers={"Cookie": cookie["Cookie"]},
    )


async def heard_until_the_end(socket: ClientConnection) -> list[Any]:
    """The events of the session, the end of its turn included."""
    told: list[Any] = []
    async with asyncio.timeout(10):
        while not told or told[-1]["type"] != "turn-ended":
            frame = json.loads(await socket.recv())
            told += [frame["event"]] if "event" in frame else []
    return told


def test_a_process_that_answers_requests_never_loads_a_model_library():
    """Ruling 20: AutoPilot is imported for the first turn that a process works on."""
    code = (
        "import sys, pilothouse.app.serve, pilothouse.app.cli;"
        "print([name for name in sys.modules if name.startswith(('pydantic_ai', 'pilothouse.autopilot'))])"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    said = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[]"
