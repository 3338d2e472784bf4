"""W1, W2, W4, W5: what waits when everything stops goes on when it starts again."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeAlias

from pilothouse.base.settings import Settings
from pilothouse.kit.clock import from_wire
from tests.databases import fresh_postgres, fresh_sqlite
from tests.features.runs import graphs
from tests.features.runs.graphs import calls, graph, link, node
from tests.features.runs.installations import settings_for
from tests.features.runs.stand import Installation, Person, Stand, open_installation, stamp

WAIT_UNTIL = "3b8eb6da-afe7-4b00-b9c5-54edbb916d4f"
Site: TypeAlias = Callable[[], AbstractAsyncContextManager[Installation]]


@asynccontextmanager
async def site(folder: Path, lines: dict[str, str]) -> AsyncGenerator[Site]:
    """An installation that can be opened again and again."""
    with fresh_postgres() if lines else fresh_sqlite(folder) as url:
        await stamp(url)
        settings: Settings = settings_for(folder, **({"database_url": url, **lines} if lines else {}))
        yield lambda: open_installation(settings)


def until(moment: datetime) -> graphs.JsonObject:
    return graph(
        "Until",
        [node("wait", WAIT_UNTIL, at=moment.isoformat(), data={"n": 1}), node("out", graphs.OUTPUT, name="data")],
        [link("wait", "data", "out", "value")],
    )


async def back(opened: Installation, ann: Person) -> Stand:
    """Ann, with the key that she had before."""
    http, browser = opened.client(ann.http.headers), opened.client(ann.browser.headers)
    return Stand(opened, Person(ann.actor, ann.key, http, browser))


def lateness(events: list[dict[str, Any]]) -> timedelta:
    """How long after it was due the run went on."""
    (due,) = [from_wire(event["due"]) for event in events if event.get("wait") == "timer"]
    (woken,) = [from_wire(event["at"]) for event in events if event["type"] == "step.waiting" and event["over"]]
    return woken - due


async def test_w5_a_moment_that_comes_after_the_restart_is_kept_to_within_a_second(
    tmp_path: Path, lines: dict[str, str]
):
    async with site(tmp_path, lines) as open_site:
        async with open_site() as opened:
            stand = Stand(opened, await opened.person())
            moment = datetime.now(UTC) + timedelta(seconds=2)
            run = await stand.start(await stand.agent(until(moment)))
            await stand.reaches(run["id"], "waiting")
        async with open_site() as opened:
            stand = await back(opened, stand.ann)
            ended = await stand.reaches(run["id"], "completed")
            assert ended["outputs"] == {"data": [{"n": 1}]}
            assert timedelta() <= lateness(await stand.events(run["id"])) <= timedelta(seconds=1)


async def test_w5_a_moment_that_passed_meanwhile_has_come_when_all_is_back(tmp_path: Path, lines: dict[str, str]):
    async with site(tmp_path, lines) as open_site:
        async with open_site() as opened:
            stand = Stand(opened, await opened.person())
            moment = datetime.now(UTC) + timedelta(seconds=1.2)
            run = await stand.start(await stand.agent(until(moment)))
            await stand.reaches(run["id"], "waiting")
        await asyncio.sleep(max(0.0, (moment - datetime.now(UTC)).total_seconds()))
        began = datetime.now(UTC)
        async with open_site() as opened:
            stand = await back(opened, stand.ann)
            ended = await stand.reaches(run["id"], "completed")
            assert ended["outputs"] == {"data": [{"n": 1}]}
            assert from_wire(ended["ended_at"]) - began < timedelta(seconds=10)


async def test_w2_w4_a_question_inside_a_child_outlives_a_restart(tmp_path: Path, lines: dict[str, str]):
    async with site(tmp_path, lines) as open_site:
        async with open_site() as opened:
            stand = Stand(opened, await opened.person())
            child = await stand.agent(graphs.asks({"to": "ann"}))
            run = await stand.start(await stand.agent(calls(child, "approved_data")))
            await stand.reaches(run["id"], "waiting")
            ((child_id,),) = await stand.rows("select id from runs where parent_id=?1", run["id"])
            await stand.reaches(child_id, "waiting")
        async with open_site() as opened:
            stand = await back(opened, stand.ann)
            (review,) = (await stand.ann.browser.get("/api/reviews?state=waiting")).json()["items"]
            answer = {"review_id": review["id"], "payload_hash": review["payload_hash"], "approved": True}
            said = await stand.ann.browser.post("/api/reviews/decide", json={"decisions": [answer]})
            assert said.status_code == 200, said.text
            ended = await stand.reaches(run["id"], "completed")
            assert ended["outputs"] == {"approved_data": [{"to": "ann"}]}
