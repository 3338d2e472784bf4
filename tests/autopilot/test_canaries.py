"""CRED-17: secrets with a mark on them, used by agents that AutoPilot runs, reach no model and no export."""

from structlog.testing import capture_logs

from pilothouse.autopilot import all_tools
from pilothouse.kit.json import dumps
from tests.autopilot.bridge import Bridge
from tests.autopilot.stage import BYE, Stage, calls
from tests.features.credentials.test_canaries import MARK, OPEN, PLANTED, blabs, every_row, found_in
from tests.features.runs.graphs import OUTPUT, graph, node
from tests.features.runs.stand import Stand
from tests.providers.script import Answer, Script

PROVIDERS_KEY = MARK.decode() + "of-the-provider"
WAYS = ("tell", "fail", "crash", "long")


async def careless(stand: Stand) -> list[str]:
    """Agents that do with each type of secret what they should not; and one that tells what is none."""
    agents = [await stand.agent(graph("Says", [node("out", OUTPUT, name="said", value=OPEN.decode())], []))]
    for ask in PLANTED:
        made = await stand.ann.browser.post("/api/credentials", json=ask)
        assert made.status_code == 201, made.text
        agents += [await stand.agent(blabs(made.json(), way)) for way in WAYS]
    return agents


def runs_and_looks(agents: list[str]) -> list[Answer]:
    """What the model says: it looks each agent up, runs it really and dry, and looks at what it gave."""
    asked: list[Answer] = []
    for agent in agents:
        run = {"library_agent_id": agent, "wait_for_result": 30}
        asked += [
            calls(("find_library_agent", dumps({"query": "Blabs"})), ("run_agent", dumps(run))),
            calls(("run_agent", dumps({**run, "dry_run": True}))),
            calls(("view_agent_output", dumps({"library_agent_id": agent}))),
        ]
    return asked


def received(script: Script) -> bytes:
    """All that the model's server was sent, but for the header in which its own key belongs."""
    sent = [(request.path, {**request.headers, "authorization": ""}, request.body) for request in script.requests]
    return repr(sent).encode()


async def exports(bridge: Bridge, agents: list[str]) -> bytes:
    http = bridge.stand.ann.browser
    chat = f"/api/chat/sessions/{bridge.session_id}"
    places = [chat, *(f"{chat}/export?format={kind}" for kind in ("markdown", "json"))]
    places += [f"/api/agents/{agent}/export" for agent in agents]
    answers = [await http.get(place) for place in places]
    assert [answer.status_code for answer in answers] == [200] * len(places)
    return b"".join(answer.content for answer in answers)


async def test_cred_17_no_model_and_no_export_is_told_a_secret(both: Stage):
    """S16: of each type, and of the provider itself; what is no secret is found in the same places."""
    agents = await careless(both.bridge.stand)
    told = runs_and_looks(agents)
    with capture_logs() as logs:
        script = await both.play(*told, BYE, tools=all_tools(), openai_api_key=PROVIDERS_KEY)
        said = await both.bridge.ask("Run them all.")
    assert said.status == "completed"
    assert script.requests[0].headers["authorization"] == f"Bearer {PROVIDERS_KEY}"
    assert len(script.requests) > len(told)  # it came to the end of them
    assert str(said.outputs).count("[redacted]") > len(PLANTED)  # the agents did tell
    taken = await exports(both.bridge, agents)
    for place in (received(script), taken, await every_row(both.bridge.stand)):
        assert found_in(place, OPEN)
        assert found_in(place) == []
    assert found_in(repr(logs).encode()) == []
