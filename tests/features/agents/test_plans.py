"""Plans: what a run needs of its agent, without asking the database each time."""

from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from pilothouse.base.actor import Actor
from pilothouse.base.database import Database
from pilothouse.base.reader import PostgresReader, Reader, SqliteReader
from pilothouse.base.work import Units
from pilothouse.features.agents import service
from pilothouse.features.agents.errors import AgentInvalid, AgentNotFound, VersionNotFound
from pilothouse.features.agents.models import VersionRow
from pilothouse.features.agents.plans import HEAD_SECONDS, Plans
from pilothouse.graph.catalogue import Catalogue
from pilothouse.kit.ids import AgentId, new_id
from tests.features.agents.graphs import TEMPLATE, UNKNOWN, greeter
from tests.features.agents.seen import ANY


class Counted:
    """A reader that counts what it is asked."""

    def __init__(self, reader: Reader) -> None:
        self.reader, self.asked = reader, 0

    async def rows(self, sql: str, *params: Any) -> list[tuple[Any, ...]]:
        self.asked += 1
        return await self.reader.rows(sql, *params)

    async def close(self) -> None:
        await self.reader.close()


class Hands:
    """A clock that is moved by hand."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
async def reader(database: Database) -> AsyncGenerator[Counted]:
    path = database.engine.url.database
    plain = database.engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
    counted = Counted(SqliteReader(Path(str(path))) if database.sqlite else PostgresReader(plain, size=2))
    yield counted
    await counted.close()


@pytest.fixture
def clock() -> Hands:
    return Hands()


@pytest.fixture
def plans(reader: Counted, catalogue: Catalogue, clock: Hands) -> Plans:
    return Plans(reader, catalogue, clock)


@pytest.fixture
async def agent_id(units: Units, alice: Actor, catalogue: Catalogue) -> AgentId:
    async with units.write(alice) as work:
        return AgentId((await service.create_agent(work, catalogue, greeter())).id)


Save = Callable[..., Any]


@pytest.fixture
def save(database: Database, alice: Actor, catalogue: Catalogue, agent_id: AgentId) -> Save:
    """Saves a new version; with `plans`, in the process that these plans are of."""

    async def saved(text: str, plans: Plans | None = None) -> None:
        units = Units(database, plans.handlers() if plans else {})
        async with units.write(alice) as work:
            await service.save_agent(work, catalogue, agent_id, greeter(text), ANY)

    return saved


async def test_an_agent_is_compiled_once_and_then_found_without_the_database(
    plans: Plans, reader: Counted, alice: Actor, agent_id: AgentId
):
    first = await plans.find(alice.user_id, agent_id)
    asked = reader.asked
    again = await plans.find(alice.user_id, agent_id)

    assert again is first
    assert reader.asked == asked
    assert (first.agent_id, first.version) == (agent_id, 1)
    assert first.plan.by_id["fill"].block == TEMPLATE
    assert first.report.valid
    assert first.input_schema["required"] == ["who"]


async def test_what_is_foreign_unknown_or_deleted_is_not_found(
    plans: Plans, units: Units, alice: Actor, bob: Actor, agent_id: AgentId
):
    await plans.find(alice.user_id, agent_id)
    with pytest.raises(AgentNotFound):
        await plans.find(bob.user_id, agent_id)
    with pytest.raises(AgentNotFound):
        await plans.find(alice.user_id, new_id())

    async with units.write(alice) as work:
        await service.delete_agent(work, agent_id, ANY)
    plans.forget(agent_id)
    with pytest.raises(AgentNotFound):
        await plans.find(alice.user_id, agent_id)
    assert (await plans.pinned(agent_id, 1)).version == 1


async def test_a_change_in_this_process_is_seen_at_once(plans: Plans, alice: Actor, agent_id: AgentId, save: Save):
    assert (await plans.find(alice.user_id, agent_id)).version == 1
    await save("Good day {{ who }}!", plans)
    assert (await plans.find(alice.user_id, agent_id)).version == 2


async def test_a_change_elsewhere_is_seen_after_five_seconds(
    plans: Plans, clock: Hands, alice: Actor, agent_id: AgentId, save: Save
):
    await plans.find(alice.user_id, agent_id)
    await save("Good day {{ who }}!")

    assert (await plans.find(alice.user_id, agent_id)).version == 1
    clock.now += HEAD_SECONDS
    assert (await plans.find(alice.user_id, agent_id)).version == 2


async def test_a_version_saved_elsewhere_is_found_by_its_number_at_once(
    plans: Plans, alice: Actor, agent_id: AgentId, save: Save
):
    await plans.find(alice.user_id, agent_id)
    await save("Good day {{ who }}!")

    assert (await plans.find(alice.user_id, agent_id, 2)).version == 2
    for absent in (0, -1, 3, 2**70):
        with pytest.raises(VersionNotFound):
            await plans.find(alice.user_id, agent_id, absent)


async def test_a_head_read_while_the_agent_changed_is_not_kept(
    reader: Counted, catalogue: Catalogue, alice: Actor, agent_id: AgentId, save: Save
):
    class Slow(Counted):
        async def rows(self, sql: str, *params: Any) -> list[tuple[Any, ...]]:
            found = await self.reader.rows(sql, *params)
            if "from agents" in sql and not self.asked:
                self.asked = 1
                await save("Good day {{ who }}!", plans)
            return found

    plans = Plans(Slow(reader), catalogue)
    assert (await plans.find(alice.user_id, agent_id)).version == 1
    assert (await plans.find(alice.user_id, agent_id)).version == 2


async def test_a_version_whose_block_is_gone_is_refused_with_its_report(
    plans: Plans, units: Units, alice: Actor, agent_id: AgentId
):
    async with units.write(alice) as work:
        stored = await service.get_agent(work, agent_id)
        text = stored.document.replace(TEMPLATE, UNKNOWN)
        await work.session.execute(update(VersionRow).values(document=text))

    with pytest.raises(AgentInvalid) as refusal:
        await plans.find(alice.user_id, agent_id)
    assert "unknown_block" in str(refusal.value.facts["issues"])


async def test_inputs_are_checked_against_what_the_version_takes(plans: Plans, alice: Actor, agent_id: AgentId):
    planned = await plans.find(alice.user_id, agent_id)
    planned.check_inputs({"who": "Ada", "times": 3})
    with pytest.raises(AgentInvalid):
        planned.check_inputs({"times": 3})
