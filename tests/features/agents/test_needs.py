"""What is to be chosen before an agent runs."""

from typing import Any

from pilothouse.base.actor import Actor
from pilothouse.kit.ids import new_id
from tests.features.agents.front import Front
from tests.features.agents.graphs import greeter

AGENTS = "/api/agents"
FETCH = "fff86bcd-e001-4bad-a7f6-2eae4720c8dc"


def caller(node_id: str, **more: Any) -> dict[str, Any]:
    return {"id": node_id, "block": FETCH, "inputs": {"url": "https://harbour.example/tides"} | more}


async def test_b13_each_need_is_told_once_with_what_fits_it(front: Front, alice: Actor):
    browser = front.browser(alice)
    named = {"credentials": {"id": new_id(), "provider": "http", "type": "host_scoped"}}
    graph = {"name": "Tides", "nodes": [caller("a"), caller("b"), caller("c", **named)], "links": []}
    made = await browser.post(AGENTS, json={"graph": graph})
    assert made.status_code == 201, made.text
    needs = await browser.get(f"{AGENTS}/{made.json()['id']}/needs", params={"version": 1})
    assert needs.status_code == 200, needs.text
    assert needs.json()["items"] == [
        {
            "key": "http:host_scoped",
            "providers": ["http"],
            "types": ["host_scoped"],
            "scopes": [],
            "required": True,
            "nodes": ["a", "b"],
        }
    ]


async def test_b13_nothing_is_asked_where_nothing_is_needed_or_all_is_named(front: Front, alice: Actor):
    browser = front.browser(alice)
    named = {"credentials": {"id": new_id(), "provider": "http", "type": "host_scoped"}}
    for graph in (greeter(), {"name": "Tides", "nodes": [caller("a", **named)], "links": []}):
        made = await browser.post(AGENTS, json={"graph": graph})
        assert made.status_code == 201, made.text
        needs = await browser.get(f"{AGENTS}/{made.json()['id']}/needs")
        assert needs.json() == {"items": []}


async def test_needs_of_what_is_foreign_absent_or_misnamed_are_not_told(front: Front, alice: Actor, bob: Actor):
    made = (await front.browser(alice).post(AGENTS, json={"graph": greeter()})).json()["id"]
    for agent_id in (made, new_id()):
        assert (await front.browser(bob).get(f"{AGENTS}/{agent_id}/needs")).status_code == 404
    browser = front.browser(alice)
    assert (await browser.get(f"{AGENTS}/{made}/needs", params={"version": 2})).status_code == 404
    assert (await browser.get(f"{AGENTS}/{made}/needs", params={"version": 0})).status_code == 422
    assert (await browser.get(f"{AGENTS}/nonsense/needs")).status_code == 422
