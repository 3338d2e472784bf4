"""A fresh library: three agents are there after set-up, run as they are, and do what their descriptions say."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from pilothouse.app.house import House, open_house
from pilothouse.base.actor import SYSTEM, Actor
from pilothouse.base.settings import Settings
from pilothouse.features.accounts import find_actor, make_owner_link
from pilothouse.features.accounts.schemas import OwnerIn
from pilothouse.features.accounts.service.setup import create_owner
from pilothouse.features.agents import list_agents, stock_library
from pilothouse.features.agents.ready import NAMES, ready_document
from pilothouse.features.runs import RunAsk
from pilothouse.kit.ids import AgentId
from pilothouse.kit.json import loads

PASSWORD = "correct horse battery"
GOLDEN: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "Greeting": ({}, {"greeting": ["Hello Ada, welcome aboard!"]}),
    "Table reader": ({}, {"lines": ["rope costs 12.", "lantern costs 30."], "total": ["2 rows, 42 in all"]}),
    "List fan-out": ({}, {"shouted": ["NORTH (5)", "EAST (4)", "SOUTH (5)", "WEST (4)"]}),
}
GIVEN: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "Greeting": ({"name": "Grace"}, {"greeting": ["Hello Grace, welcome aboard!"]}),
    "Table reader": (
        {"rows": [{"item": "oar", "price": 7}]},
        {"lines": ["oar costs 7."], "total": ["1 rows, 7 in all"]},
    ),
    "List fan-out": ({"words": ["up"]}, {"shouted": ["UP (2)"]}),
}


@pytest_asyncio.fixture
async def house(tmp_path: Path) -> AsyncGenerator[House]:
    async with open_house(Settings(data_dir=tmp_path, shutdown_grace_seconds=0), serves=True) as opened:
        await opened.begin_work()
        yield opened
        await opened.end_work()


async def owner_of(house: House) -> Actor:
    async with house.units.write(SYSTEM) as work:
        link = await make_owner_link(work, "http://localhost")
    ask = {"token": link.partition("token=")[2], "name": "Owner", "email": "o@example.com", "password": PASSWORD}
    await create_owner(house.reception, OwnerIn.model_validate(ask), address="127.0.0.1", device="tests")
    async with house.units.read(SYSTEM) as read:
        return await find_actor(read, "o@example.com")


async def outputs(house: House, actor: Actor, agent_id: str, inputs: dict[str, Any]) -> Any:
    admitted = await house.runs.start_run(actor, RunAsk(AgentId(agent_id), inputs), wait=True)
    ended: Any = loads(await house.runs.await_end(actor, admitted, 20) or "{}")
    assert ended["status"] == "completed", ended
    return ended["outputs"]


async def test_they_are_listed_after_set_up_and_give_their_golden_outputs(house: House):
    owner = await owner_of(house)
    async with house.units.read(owner) as read:
        agents = {agent.name: agent.id for agent in await list_agents(read, 50)}
    assert list(agents) == ["Greeting", "Table reader", "List fan-out"] or set(agents) == set(GOLDEN)
    for table in (GOLDEN, GIVEN):
        for name, (inputs, golden) in table.items():
            assert await outputs(house, owner, agents[name], inputs) == golden


async def test_they_are_made_once_and_a_change_of_the_owners_stays(house: House):
    owner = await owner_of(house)
    async with house.units.write(owner) as work:
        await stock_library(work, house.registry)
    async with house.units.read(owner) as read:
        assert len(await list_agents(read, 50)) == len(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_each_has_a_description_and_needs_no_network(name: str):
    document: Any = ready_document(name)
    assert document["description"]
    assert "6595ae1f-b924-42cb-9a41-551a0611c4b4" not in str(document)  # the block that reaches out
