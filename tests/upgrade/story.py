"""What happens in an installation before it is packed up, and what must have become of it in the end."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2

from pilothouse.app.house import House, open_house
from pilothouse.base.actor import SYSTEM, Actor, Role
from pilothouse.base.http import Seen
from pilothouse.base.jobs.moves import micros
from pilothouse.base.settings import Settings
from pilothouse.features import accounts
from pilothouse.features.accounts.schemas import OwnerIn
from pilothouse.features.accounts.service import create_owner, suspend_api_key
from pilothouse.features.agents import create_agent, list_agents, save_agent
from pilothouse.features.chat import Message, NewSession
from pilothouse.features.runs.service import RunAsk
from pilothouse.kit.ids import AgentId, ApiKeyId, UserId
from pilothouse.kit.json import JsonObject
from scripts.programs import free_port
from tests.faults.agents import AWAIT, Chain
from tests.features.runs.graphs import HUMAN

ROOT = Path(__file__).resolve().parents[2]
PASSWORD = "an old and long password"
OWNER = "owner@example.com"
SCOPES = ["agents:read", "agents:run", "runs:read", "runs:write", "identity", "chat:use"]
FAR = 4_102_444_800_000_000  # the year 2100


@dataclass(slots=True)
class Story:
    """What the tests must know of an installation that they did not make."""

    user_id: str = ""
    key: str = ""
    suspended_key: str = ""
    agents: dict[str, str] = field(default_factory=dict[str, str])  # id by name
    versions: dict[str, int] = field(default_factory=dict[str, int])  # how many, by name
    ended: dict[str, Any] = field(default_factory=dict[str, Any])  # run id: what it gave, already then
    due: dict[str, Any] = field(default_factory=dict[str, Any])  # run id: what it must give now
    awaiting: dict[str, Any] = field(default_factory=dict[str, Any])  # run id: what it gives once told `go`
    asking: dict[str, Any] = field(default_factory=dict[str, Any])  # run id: what it gives once a person approves
    far: list[str] = field(default_factory=list[str])  # run ids that must go on sleeping
    said: dict[str, JsonObject] = field(default_factory=dict[str, JsonObject])  # session id: its log, already complete
    asked: list[str] = field(default_factory=list[str])  # ids of sessions whose turn must end well
    half_done: int = 0  # entries in the journal of the run whose process died
    states: dict[str, str] = field(default_factory=dict[str, str])  # of the jobs when it was packed

    def to_json(self) -> JsonObject:
        return asdict(self)

    @property
    def asleep(self) -> list[str]:
        """The runs that go on sleeping if nobody decides anything."""
        return [*self.far, *self.asking]

    @property
    def actor(self) -> Actor:
        return Actor(UserId(self.user_id), Role.OWNER)


def documents() -> dict[str, JsonObject]:
    return {
        "sums": Chain("sums").sum().sum(2).document(),
        "steady": Chain("steady").sum().sum().sleep(3).sum().document(),
        "naps": Chain("naps").sum().timer(8).sum().document(),
        "sleeps": Chain("sleeps").sum().timer(6 * 24 * 3600).sum().document(),
        "waits": Chain("waits").sum().add(AWAIT, "value", "value", fact="go").document(),
        "asks": Chain("asks").sum().add(HUMAN, "data", "approved_data", name="Sum").sum().document(),
        "many": Chain("many").items([1, 2, 3]).sum(10).document(),
    }


async def furnish(settings: Settings) -> Story:
    """People, keys, and agents of which some have several versions."""
    story = Story()
    async with open_house(settings, serves=False) as house:
        await _settle(house, story)
        async with house.units.write(story.actor) as work:
            for name, document in documents().items():
                story.agents[name] = (await create_agent(work, house.registry, document)).id
                story.versions[name] = 1
        for number in (3, 4):
            changed = Chain("sums").sum().sum(number).document()
            any_version = Seen(None, by_header=True)
            async with house.units.write(story.actor) as work:
                await save_agent(work, house.registry, AgentId(story.agents["sums"]), changed, any_version)
            story.versions["sums"] += 1
        async with house.units.read(story.actor) as read:
            for agent in await list_agents(read, 50):  # those that every owner finds, too
                story.agents[agent.name] = agent.id
                story.versions.setdefault(agent.name, 1)
    return story


async def _settle(house: House, story: Story) -> None:
    async with house.units.write(SYSTEM) as work:
        link = await accounts.make_owner_link(work, "http://localhost")
    words = {"name": "Owner", "email": OWNER, "password": PASSWORD}
    ask = OwnerIn.model_validate({"token": link.partition("token=")[2], **words})
    story.user_id = (await create_owner(house.reception, ask, address="127.0.0.1", device="tests")).user.id
    await accounts.create_user(
        house.units, house.reception.passwords, email="member@example.com", name="Member", password=PASSWORD
    )
    for name in ("key", "suspended_key"):
        async with house.units.write(SYSTEM) as work:
            made = await accounts.create_api_key_for(work, OWNER, accounts.ApiKeyIn(name=name, scopes=SCOPES))
        setattr(story, name, made.key)
    async with house.units.write(story.actor) as work:
        await suspend_api_key(work, ApiKeyId(made.row.id))


async def live(story: Story, settings: Settings, folder: Path) -> None:
    """A process serves, works and is killed in the middle of it."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "pilothouse", "serve"],
        env=environment(settings, port),
        cwd=folder,
        stdout=(folder / "serve.log").open("ab"),
        stderr=subprocess.STDOUT,
    )
    try:
        headers = {"Authorization": f"Bearer {story.key}"}
        async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=30) as http:
            await _until_ready(http)
            await _run_things(story, http)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()


def environment(settings: Settings, port: int) -> dict[str, str]:
    url = settings.database_url
    ours = {
        "PILOTHOUSE_DATA_DIR": str(settings.data_dir),
        "PILOTHOUSE_PORT": str(port),
        "PILOTHOUSE_TEST_BLOCKS": "true",
        "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}",
        **({"PILOTHOUSE_DATABASE_URL": url.get_secret_value()} if url else {}),
    }
    return {**{name: value for name, value in os.environ.items() if not name.startswith("PILOTHOUSE_")}, **ours}


async def _until_ready(http: httpx2.AsyncClient) -> None:
    for _ in range(400):
        try:
            if (await http.get("/health/ready")).status_code == 200:
                return
        except httpx2.TransportError:
            pass  # not yet
        await asyncio.sleep(0.1)
    raise TimeoutError("the process does not serve")


async def _run_things(story: Story, http: httpx2.AsyncClient) -> None:
    for name, n in (("sums", 1), ("many", 0)):
        ended = await _start(story, http, name, n, wait=20)
        story.ended[ended["id"]] = {"status": ended["status"], "outputs": ended["outputs"]}
    story.due[(await _start(story, http, "naps", 5))["id"]] = {"result": [7]}
    story.far.append((await _start(story, http, "sleeps", 5))["id"])
    story.awaiting[(await _start(story, http, "waits", 5))["id"]] = {"result": [6]}
    story.asking[(await _start(story, http, "asks", 5))["id"]] = {"result": [7]}
    said = await _say(http, "help")
    answer = await http.get(f"/api/v1/chat/sessions/{said}/events", params={"after": 0, "follow": False})
    story.said[said] = answer.json()
    await asyncio.sleep(1.5)  # they have gone to sleep, and their journals are on disk
    story.asked.append(await _say(http, "run steady with n=5", wait=False))
    story.due[(await _start(story, http, "steady", 5))["id"]] = {"result": [8]}
    await asyncio.sleep(1.5)


async def _say(http: httpx2.AsyncClient, words: str, *, wait: bool = True) -> str:
    """Ask AutoPilot something in a session of its own; answers the session's id."""
    session: str = (await http.post("/api/v1/chat/sessions", json={})).json()["id"]
    message = {"message": words, "message_id": str(uuid4())}
    async with http.stream("POST", f"/api/v1/chat/sessions/{session}/stream", json=message) as answer:
        assert answer.status_code == 200
        if wait:
            await answer.aread()
    return session


async def _start(story: Story, http: httpx2.AsyncClient, name: str, n: int, wait: int = 0) -> dict[str, Any]:
    headers = {"Prefer": f"wait={wait}"} if wait else {}
    path = f"/api/v1/agents/{story.agents[name]}/runs"
    answer = await http.post(path, json={"inputs": {"n": n}}, headers=headers)
    assert answer.status_code in {200, 201}, answer.text
    return answer.json()


async def queue(story: Story, settings: Settings) -> None:
    """Accepted, and never taken: of three, one is beyond the cap."""
    async with open_house(settings, serves=False) as house:
        for n in (10, 20, 30):
            admitted = await house.runs.start_run(story.actor, RunAsk(AgentId(story.agents["sums"]), {"n": n}))
            story.due[admitted.id] = {"result": [n + 5]}
        session = await house.chat.create_session(story.actor, NewSession())
        message = Message(str(uuid4()), "help", "api", micros())
        await house.chat.start_turn(story.actor, session.id, message)
        story.asked.append(session.id)
        rows = await house.reader.rows("select id, state from jobs order by id")
        story.states = {row[0]: row[1] for row in rows}
        cut = await house.reader.rows("select r.head from runs r join jobs j on j.id=r.id where j.state='running'")
        story.half_done = cut[0][0] if cut else 0


# Four runs sleep; a run, a turn and the run it waits for were cut off; a turn and two runs were never taken.
EXPECTED_STATES: Mapping[str, int] = {"waiting": 4, "running": 3, "queued": 3, "held": 1}
