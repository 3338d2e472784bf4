"""Starting runs: what is answered, what is refused, and that a refusal writes nothing."""

import asyncio
from typing import Any

import httpx2
import pytest

from pilothouse.features.runs import RunAsk
from pilothouse.kit.ids import AgentId, new_id
from tests.features.runs import graphs
from tests.features.runs.graphs import link, node
from tests.features.runs.stand import Stand

FINAL = ("completed", "completed_with_errors", "failed", "cancelled")


async def start(stand: Stand, agent: str, body: Any, **headers: str) -> httpx2.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return await stand.ann.http.post(f"/api/v1/agents/{agent}/runs", json=body, headers=named)


async def test_a_started_run_is_answered_with_its_row(stand: Stand):
    """C1"""
    agent = await stand.agent(graphs.adder())
    answer = await start(stand, agent, {"inputs": {"n": 4}})
    run = answer.json()
    assert (answer.status_code, answer.headers["location"]) == (201, f"/api/v1/runs/{run['id']}")
    assert (run["agent_id"], run["version"], run["inputs"], run["outputs"]) == (agent, 1, {"n": 4}, {})
    assert run["status"] in {"queued", "running"}
    assert (run["ended_at"], run["reason"], run["trigger"], run["dry_run"]) == (None, None, "api", False)

    ended = await stand.reaches(run["id"], *FINAL)
    assert (ended["status"], ended["outputs"], ended["created_at"]) == ("completed", {"sum": [5]}, run["created_at"])
    assert ended["created_at"] <= ended["started_at"] <= ended["ended_at"]
    assert ended["stats"]["steps"] == {"completed": 3}


async def test_a_person_starts_runs_from_the_browser_too(small: Stand):
    agent = await small.agent(graphs.adder())
    answer = await small.ann.browser.post(f"/api/agents/{agent}/runs", json={"inputs": {"n": 1}})
    assert answer.status_code == 201
    assert (await small.ann.browser.get(answer.headers["location"])).json()["id"] == answer.json()["id"]


async def test_a_caller_who_waits_gets_the_result(stand: Stand):
    agent = await stand.agent(graphs.sleeper(0.2))
    answer = await start(stand, agent, {"inputs": {"n": 7}}, Prefer='respond-async, wait="10"; x=1')
    assert (answer.status_code, answer.headers["preference-applied"]) == (200, "wait=10")
    run = answer.json()
    assert (run["status"], run["outputs"]) == ("completed", {"result": [7]})
    assert run == await stand.get(run["id"])


async def test_a_caller_who_waits_too_short_gets_the_run_as_it_is(stand: Stand):
    agent = await stand.agent(graphs.sleeper(1.6))
    answer = await start(stand, agent, {"inputs": {"n": 7}}, Prefer="wait=1")
    assert answer.status_code == 201
    assert answer.json()["status"] == "running"
    assert (await stand.reaches(answer.json()["id"], *FINAL))["outputs"] == {"result": [7]}


async def test_a_large_result_reaches_the_caller_who_waits(stand: Stand):
    """It is too large to be sent along, so it is read."""
    run = await stand.run(graphs.greeting("{{ who * 3000 }}"), who="x" * 100)
    assert [len(text) for text in run["outputs"]["greeting"]] == [300_000]


@pytest.mark.parametrize("preference", ["wait=0", "wait=61", "wait=-1", "wait", "wait=soon", "wait=1.5", "Wait=99999"])
async def test_a_wait_that_is_none_is_refused(small: Stand, preference: str):
    agent = await small.agent(graphs.adder())
    answer = await start(small, agent, {"inputs": {"n": 1}}, Prefer=preference)
    assert (answer.status_code, answer.json()["code"], await small.count("runs")) == (400, "bad_request", 0)


async def test_preferences_that_we_do_not_know_are_ignored(small: Stand):
    agent = await small.agent(graphs.adder())
    assert (await start(small, agent, {"inputs": {"n": 1}}, Prefer="await=5, return=minimal")).status_code == 201


def unfilled() -> Any:
    """Valid to save, not to run: two required pins have nothing."""
    return graphs.graph("Unfilled", [node("add", graphs.ADD), node("fill", graphs.TEMPLATE, format="x")], [])


@pytest.mark.parametrize(
    ("document", "inputs", "codes"),
    [
        (graphs.adder(), {}, {"input_missing"}),
        (graphs.adder(), {"n": "four"}, {"wrong_type"}),
        (graphs.adder(), {"n": 1, "m": 2}, {"input_unknown"}),
        (unfilled(), {}, {"required"}),
        (graphs.hooked(), {}, {"payload_missing"}),
        (graphs.hooked(), {"n": 1}, {"payload_missing", "input_unknown"}),
    ],
)
async def test_a_run_that_cannot_work_is_refused_and_nothing_is_written(
    stand: Stand, document: Any, inputs: Any, codes: set[str]
):
    """C1, V3, V5"""
    agent = await stand.agent(document)
    answer = await start(stand, agent, {"inputs": inputs}, Idempotency_Key="k")
    assert (answer.status_code, answer.json()["code"]) == (422, "agent_invalid")
    issues = answer.json()["detail"]["issues"]
    assert {issue["code"] for issue in issues if issue["severity"] == "error"} == codes
    assert [await stand.count(table) for table in ("runs", "jobs", "idempotency_keys")] == [0, 0, 0]


async def test_a_trigger_in_a_sub_agent_is_a_fault_of_whoever_runs_that(stand: Stand):
    """V1, V3: nobody could send it anything."""
    agent = await stand.agent(graphs.calls(await stand.agent(graphs.hooked()), "sent"))
    answer = await start(stand, agent, {"inputs": {}})
    assert (answer.status_code, answer.json()["code"]) == (422, "agent_invalid")
    issues = [(issue["node_id"], issue["code"]) for issue in answer.json()["detail"]["issues"]]
    assert (issues, await stand.count("runs")) == ([("sub/hook", "payload_missing")], 0)


@pytest.mark.parametrize(
    "body",
    [
        {"inputs": {"n": 1}, "unknown": True},
        {"inputs": [1]},
        {"inputs": {"n": 1}, "version": 0},
        {"inputs": {"n": 1}, "input_masks": {"add": 1}},
    ],
)
async def test_a_body_of_another_shape_is_refused(small: Stand, body: Any):
    answer = await start(small, await small.agent(graphs.adder()), body)
    assert (answer.status_code, answer.json()["code"]) == (422, "validation_failed")


@pytest.mark.parametrize("levels", [101, 252, 900])
async def test_inputs_nest_no_deeper_than_can_be_kept(small: Stand, levels: int):
    agent = await small.agent(
        graphs.graph(
            "Any",
            [node("x", graphs.ANY, name="x"), node("out", graphs.OUTPUT, name="y")],
            [link("x", "result", "out", "value")],
        )
    )
    path = f"/api/v1/agents/{agent}/runs"
    headers = {"Content-Type": "application/json", "Prefer": "wait=20"}

    async def ask(depth: int) -> httpx2.Response:
        return await small.ann.http.post(
            path, content=b'{"inputs":{"x":' + b"[" * depth + b"]" * depth + b"}}", headers=headers
        )

    answer = await ask(levels)
    assert (answer.status_code, answer.json()["code"]) == (422, "validation_failed")
    assert (await ask(99)).json()["status"] == "completed"


async def test_unknown_and_foreign_agents_are_not_found_alike(small: Stand):
    bob = await small.house.person()
    foreign = await small.agent(graphs.adder(), bob)
    bodies: list[Any] = []
    for agent in (foreign, new_id()):
        answer = await start(small, agent, {"inputs": {"n": 1}})
        assert answer.status_code == 404
        bodies.append({**answer.json(), "request_id": None})
        assert (await small.ann.http.get(f"/api/v1/agents/{agent}/runs")).status_code == 404
    assert bodies[0] == bodies[1]
    assert (await start(small, "not-an-id", {"inputs": {}})).status_code == 422
    agent = await small.agent(graphs.adder())
    assert (await start(small, agent, {"inputs": {"n": 1}, "version": 2})).status_code == 404
    await bob.leave()


async def test_a_run_stays_on_its_version(stand: Stand):
    agent = await stand.agent(graphs.sleeper(0.4))
    path = f"/api/v1/agents/{agent}"
    first = await stand.start(agent, n=1)
    saved = await stand.ann.http.put(path, json={"graph": graphs.adder(10), "base_version": 1})
    assert saved.json()["version"] == 2, saved.text

    newest = await stand.start(agent, wait=20, n=1)
    pinned = (await start(stand, agent, {"inputs": {"n": 1}, "version": 1}, Prefer="wait=20")).json()
    assert (newest["version"], newest["outputs"]) == (2, {"sum": [11]})
    assert (pinned["version"], pinned["outputs"]) == (1, {"result": [1]})
    assert (await stand.reaches(first["id"], *FINAL))["outputs"] == {"result": [1]}


async def test_masks_override_what_is_delivered(stand: Stand):
    agent = await stand.agent(graphs.adder(by=1))
    body = {"inputs": {"n": 1}, "input_masks": {"add": {"b": 100, "a": 5}}}
    run = (await start(stand, agent, body, Prefer="wait=20")).json()
    assert (run["outputs"], run["stats"]["dropped"]) == ({"sum": [105]}, 1)
    refused = await start(stand, agent, {"inputs": {"n": 1}, "input_masks": {"nobody": {"b": 1}}})
    assert {issue["code"] for issue in refused.json()["detail"]["issues"]} == {"mask_unknown_node"}


async def test_a_key_repeated_answers_the_first_run(stand: Stand):
    """C1"""
    agent = await stand.agent(graphs.adder())
    first = await start(stand, agent, {"inputs": {"n": 1}}, Idempotency_Key="once")
    again = await start(stand, agent, {"inputs": {"n": 1}}, Idempotency_Key="once")
    assert (first.status_code, "idempotent-replay" in first.headers) == (201, False)
    assert (again.status_code, again.headers["idempotent-replay"]) == (201, "true")
    assert again.json()["id"] == first.json()["id"]
    assert again.headers["location"] == first.headers["location"]

    other = await start(stand, agent, {"inputs": {"n": 2}}, Idempotency_Key="once")
    assert (other.status_code, other.json()["code"]) == (409, "idempotency_conflict")
    assert await stand.count("runs") == 1


async def test_a_caller_who_asks_again_and_waits_gets_the_result_of_the_first_run(stand: Stand):
    """C1: within a second after its end, for the answer itself goes to whoever started it."""
    agent = await stand.agent(graphs.sleeper(0.8))
    first = await start(stand, agent, {"inputs": {"n": 7}}, Idempotency_Key="once")
    again = await start(stand, agent, {"inputs": {"n": 7}}, Idempotency_Key="once", Prefer="wait=60")
    assert (again.json()["id"], again.json()["status"]) == (first.json()["id"], "completed")
    told = [again.headers[name] for name in ("idempotent-replay", "preference-applied")]
    assert (again.status_code, told) == (200, ["true", "wait=60"])
    assert again.json() == await stand.get(first.json()["id"])


async def test_fifty_equal_requests_at_once_start_one_run(stand: Stand):
    """C1"""
    agent = await stand.agent(graphs.adder())
    asks = [start(stand, agent, {"inputs": {"n": 1}}, Idempotency_Key="once") for _ in range(50)]
    answers = await asyncio.gather(*asks)
    made = {answer.json()["id"] for answer in answers if answer.status_code == 201}
    refused = {answer.json()["code"] for answer in answers if answer.status_code != 201}
    assert (len(made), await stand.count("runs"), await stand.count("idempotency_keys")) == (1, 1, 1)
    assert refused <= {"idempotency_in_progress"}


async def test_runs_over_the_cap_get_their_turn(stand: Stand):
    """Three of one agent and four of one user run at a time here."""
    sleepers = [await stand.agent(graphs.sleeper(0.15)) for _ in range(2)]
    started = [await stand.start(agent, n=n) for n in range(4) for agent in sleepers]
    states = [
        state for (state,) in await stand.rows("select state from jobs where user_id=?1", stand.ann.actor.user_id)
    ]
    assert len([state for state in states if state != "held"]) <= 4
    assert "held" in states
    ended = [await stand.reaches(run["id"], *FINAL) for run in started]
    assert [run["outputs"]["result"] for run in ended] == [[n] for n in range(4) for _ in range(2)]
    used = await stand.rows("select used from lanes where key like ?1", f"run/{stand.ann.actor.user_id}%")
    assert [row[0] for row in used] == [0, 0, 0]


async def test_a_caller_who_waits_is_answered_when_the_process_stops(small: Stand):
    runs, ask = small.house.api.runs, RunAsk(AgentId(await small.agent(graphs.timer(3600))), {})
    admitted = await runs.start_run(small.ann.actor, ask, wait=True)
    stopping = asyncio.Event()
    stopping.set()
    async with asyncio.timeout(5):
        assert await runs.await_end(small.ann.actor, admitted, 60, stopping) is None
    await runs.cancel_run(small.ann.actor, admitted.id)
