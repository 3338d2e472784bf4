"""F22: an installation made by an earlier version migrates, and all that it owed is done, on both databases."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pilothouse.app.house import House, open_house
from pilothouse.app.migrate import current_revision
from pilothouse.base.database import Database
from pilothouse.base.settings import Settings
from pilothouse.blocks import testing
from pilothouse.features.agents import get_agent, get_version, list_agents
from pilothouse.features.chat import Conversations
from pilothouse.features.reviews import Answer, list_reviews, payload_hash
from pilothouse.features.runs import queries
from pilothouse.features.runs.service import RunAsk
from pilothouse.kit.ids import AgentId, RunId
from pilothouse.kit.json import loads
from pilothouse.migrations import HEAD
from tests.base.waiting import until
from tests.databases import empty_postgres
from tests.upgrade.dumps import FIXTURES, restore_tables, unpack_directory
from tests.upgrade.story import Story

pytestmark = pytest.mark.upgrade

NAMES = sorted(path.name for path in FIXTURES.iterdir() if path.is_dir())


def told(name: str, kind: str) -> Story:
    return Story(**loads((FIXTURES / name / f"{kind}.json").read_bytes()))  # pyright: ignore[reportArgumentType, reportCallIssue]


ASKING = [name for name in NAMES if told(name, "sqlite").asking]  # the older ones have no review


@asynccontextmanager
async def old_sqlite(fixture: Path, place: Path) -> AsyncGenerator[dict[str, Any]]:
    unpack_directory(fixture / "data.tar.gz", place / "data")
    yield {"data_dir": place / "data"}


@asynccontextmanager
async def old_postgres(fixture: Path, place: Path) -> AsyncGenerator[dict[str, Any]]:
    with empty_postgres() as url:
        database = Database(url, pool_size=2)
        await restore_tables(database, fixture / "tables.jsonl.gz")
        await database.close()
        yield {"data_dir": place / "data", "database_url": url}


@pytest.fixture(autouse=True)
def no_nap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the three seconds in which a step was once cut off, nobody needs more than a moment."""

    async def nap(seconds: float) -> None:
        await asyncio.sleep(min(seconds, 0.1))

    monkeypatch.setattr(testing, "asyncio", SimpleNamespace(sleep=nap))


OLD = {"sqlite": old_sqlite, "postgres": old_postgres}


class Upgraded:
    """An old installation with the new code on it, at work."""

    def __init__(self, house: House, story: Story) -> None:
        self.house, self.story = house, story

    async def outputs(self, run_id: str) -> Any:
        facts = await queries.get_run(self.house.reader, self.story.actor, RunId(run_id))
        return facts.outputs if facts.status == "completed" else facts.status

    async def quiet(self, *left: str) -> None:
        """Wait until only these jobs are left."""
        rows: list[tuple[Any, ...]] = []

        async def only_these() -> bool:
            rows[:] = await self.house.reader.rows("select id, state from jobs order by id")
            return [row[0] for row in rows] == sorted(left)

        try:
            await until(only_these, 30)
        except TimeoutError:
            raise TimeoutError(f"still there: {rows}") from None


@asynccontextmanager
async def upgraded(name: str, kind: str, place: Path) -> AsyncGenerator[Upgraded]:
    story = told(name, kind)
    async with OLD[kind](FIXTURES / name, place) as values:
        settings = Settings.model_validate({"test_blocks": True, "migrate": "auto", "lease_seconds": 1, **values})
        async with open_house(settings, serves=True) as house:
            assert await current_revision(house.database) == HEAD
            await house.begin_work()
            yield Upgraded(house, story)
            await house.end_work()


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.scaled)])
def kind(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.mark.parametrize("name", NAMES)
async def test_what_was_owed_is_done_and_what_is_not_due_sleeps_on(name: str, kind: str, tmp_path: Path):
    async with upgraded(name, kind, tmp_path) as site:
        story = site.story
        await site.quiet(*story.asleep, *story.awaiting)
        assert {run_id: await site.outputs(run_id) for run_id in story.due} == story.due
        assert [await site.outputs(run_id) for run_id in story.far] == ["waiting"] * len(story.far)

        for run_id in story.awaiting:
            await site.house.runs.send_fact(story.actor, RunId(run_id), "go", "said")
        await site.quiet(*story.asleep)
        assert {run_id: await site.outputs(run_id) for run_id in story.awaiting} == story.awaiting


@pytest.mark.parametrize("name", ASKING)
async def test_w2_an_open_review_outlives_an_upgrade(name: str, kind: str, tmp_path: Path):
    """engine:W2: it is there as it was asked, and whoever approves it lets its run go on"""
    async with upgraded(name, kind, tmp_path) as site:
        story, house = site.story, site.house
        for run_id, given in story.asking.items():
            (review,) = await list_reviews(house.reader, story.actor, state="waiting", before=None, limit=9)
            assert (review.job_id, review.payload, review.payload_hash) == (run_id, 6, payload_hash(6))
            answer = Answer(review.id, review.payload_hash, True, False, None, None, False)
            (decided,) = await house.reviews.decide_reviews(story.actor, [answer])
            assert decided["state"] == "approved"
            await until(partial(has_given, site, run_id, given), 30)


async def has_given(site: Upgraded, run_id: str, given: object) -> bool:
    return await site.outputs(run_id) == given


@pytest.mark.parametrize("name", NAMES)
async def test_conversations_are_as_they_were_and_open_turns_end_well(name: str, kind: str, tmp_path: Path):
    async with upgraded(name, kind, tmp_path) as site:
        story, reader = site.story, site.house.reader
        await site.quiet(*story.asleep, *story.awaiting)
        for session_id, told in story.said.items():
            assert await Conversations(reader, site.house.fanout).read(session_id, 0, 1000) == told["items"]
        for session_id in story.asked:
            assert await reader.rows("select status from chat_turns where session_id=?1", session_id) == [
                ("completed",)
            ]


@pytest.mark.parametrize("name", NAMES)
async def test_people_keys_agents_and_ended_runs_are_as_they_were(name: str, kind: str, tmp_path: Path):
    async with upgraded(name, kind, tmp_path) as site:
        story, house = site.story, site.house
        assert {run_id: await site.outputs(run_id) for run_id in story.ended} == {
            run_id: told["outputs"] for run_id, told in story.ended.items()
        }
        actor = await house.reception.by_key(story.key)
        assert actor is not None
        assert actor.user_id == story.user_id
        assert await house.reception.by_key(story.suspended_key) is None

        async with house.units.read(story.actor) as read:
            assert {agent.id for agent in await list_agents(read, 50)} == set(story.agents.values())
            for agent, agent_id in story.agents.items():
                assert (await get_agent(read, AgentId(agent_id))).version == story.versions[agent]
                for version in range(1, story.versions[agent] + 1):
                    assert (await get_version(read, AgentId(agent_id), version)).graph["name"] == agent


@pytest.mark.parametrize("name", NAMES)
async def test_an_old_agent_runs_anew(name: str, kind: str, tmp_path: Path):
    async with upgraded(name, kind, tmp_path) as site:
        ask = RunAsk(AgentId(site.story.agents["sums"]), {"n": 1}, version=1)
        admitted = await site.house.runs.start_run(site.story.actor, ask)
        given: Any = None

        async def has_ended() -> bool:
            nonlocal given
            given = await site.outputs(admitted.id)
            return isinstance(given, dict)

        await until(has_ended)
        assert given == {"result": [4]}


@pytest.mark.parametrize("name", NAMES)
def test_fixtures_stay_small(name: str):
    assert sum(path.stat().st_size for path in (FIXTURES / name).iterdir()) < 200_000
