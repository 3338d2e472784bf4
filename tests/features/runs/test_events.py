"""E1, E2, H50, H51: one log, read live or later, from any place, by anyone who may, each event exactly once."""

import asyncio
from typing import Any

import pytest

from pilothouse.base.fanout import LocalFanout
from pilothouse.features.runs.routes import runs as routes
from pilothouse.kit.ids import new_id
from tests.base.waiting import until
from tests.features.runs import graphs
from tests.features.runs.listening import listening
from tests.features.runs.stand import Stand


async def test_a_stream_from_the_start_tells_the_whole_run(stand: Stand):
    run = await stand.start(await stand.agent(graphs.sleeper(0.3)), n=1)
    async with listening(stand, run["id"], 0) as listener:
        events = await listener.ends()
    assert (listener.status, listener.headers["content-type"].split(";")[0]) == (200, "text/event-stream")
    assert (listener.headers["cache-control"], listener.headers["x-accel-buffering"]) == ("no-cache", "no")
    assert listener.ids == list(range(1, len(events) + 1))
    assert [event["type"] for event in events] == [
        *("run.status", "run.status", "step.started", "step.output", "step.finished"),  # queued, running, the input
        *("step.started", "step.output", "step.finished"),  # the sleep
        *("step.started", "step.output", "run.output", "step.output", "step.finished", "run.finished"),
    ]
    assert events == await stand.events(run["id"])
    assert (await stand.get(run["id"]))["last_event_id"] == len(events)


async def test_after_any_event_comes_the_rest_exactly_once(stand: Stand):
    run = await stand.run(graphs.fan_out(5))
    whole = await stand.events(run["id"])
    for after in range(len(whole) + 1):
        async with listening(stand, run["id"], after) as listener:
            assert await listener.ends() == whole[after:]
        assert await stand.events(run["id"], after) == whole[after:]


async def test_a_browser_that_reconnects_goes_on_after_what_it_saw(small: Stand):
    run = await small.run(graphs.fan_out(5))
    async with listening(small, run["id"], 0, last_event_id=7) as listener:
        await listener.ends()
    assert listener.ids[0] == 8


async def test_a_reader_cut_while_the_run_works_resumes_without_loss(stand: Stand):
    run = await stand.start(await stand.agent(graphs.timer(0.1, repeat=8)))
    seen: list[dict[str, Any]] = []
    while not seen or seen[-1]["type"] != "run.finished":
        async with listening(stand, run["id"], len(seen)) as listener:
            await listener.hears(1)
            seen += listener.events
    assert [event["id"] for event in seen] == list(range(1, len(seen) + 1))
    assert seen == await stand.events(run["id"])


async def test_two_readers_see_one_sequence(stand: Stand):
    run = await stand.start(await stand.agent(graphs.timer(0.1, repeat=4)))
    async with listening(stand, run["id"]) as one, listening(stand, run["id"]) as two:
        assert await one.ends() == await two.ends()
    assert [event["value"] for event in one.events if event["type"] == "run.output"] == ["tick"] * 4


async def test_pages_follow_one_another(small: Stand):
    run = await small.run(graphs.fan_out(150))
    whole: list[Any] = []
    path = f"/api/v1/runs/{run['id']}/events"
    while True:
        asked = {"follow": "false", "limit": 97, "after": len(whole)}
        page = (await small.ann.http.get(path, params=asked)).json()
        assert (page["head"], page["ended"]) == (run["last_event_id"], True)
        if not page["items"]:
            break
        assert len(page["items"]) == min(97, page["head"] - len(whole))
        whole += page["items"]
    assert [event["id"] for event in whole] == list(range(1, run["last_event_id"] + 1))
    assert whole == await small.events(run["id"]) + await small.events(run["id"], 1000)


async def test_nobody_reads_beyond_the_head(small: Stand):
    run = await small.run(graphs.adder(), n=1)
    path = f"/api/v1/runs/{run['id']}/events"
    for follow in ("true", "false"):
        beyond = await small.ann.http.get(path, params={"after": run["last_event_id"] + 1, "follow": follow})
        assert (beyond.status_code, beyond.json()["code"]) == (409, "conflict")
    assert (await small.ann.http.get(path, params={"after": 10**30})).status_code in {409, 422}
    assert (await small.ann.http.get(path, params={"after": -1})).status_code == 422
    assert (await small.ann.http.get(path, params={"limit": 1001, "follow": "false"})).status_code == 422


async def test_a_foreign_run_has_no_events(small: Stand):
    run = await small.run(graphs.adder(), n=1)
    bob = await small.house.person()
    for run_id in (run["id"], new_id()):
        assert (await bob.http.get(f"/api/v1/runs/{run_id}/events")).status_code == 404
    await bob.leave()


async def test_a_stream_has_nothing_to_wait_for_once_the_run_has_ended(small: Stand):
    run = await small.run(graphs.adder(), n=1)
    async with listening(small, run["id"], run["last_event_id"]) as at_the_end:
        assert await at_the_end.ends() == []
    waiting = await small.start(await small.agent(graphs.timer(3600)))
    head = (await small.reaches(waiting["id"], "waiting"))["last_event_id"]
    async with listening(small, waiting["id"], head) as listener:
        await asyncio.sleep(0.05)
        await small.ann.http.post(f"/api/v1/runs/{waiting['id']}/cancel")
        assert [event["type"] for event in await listener.ends()] == ["run.finished"]


async def test_a_reader_who_leaves_is_forgotten(small: Stand):
    fanout = small.house.api.fanout
    assert isinstance(fanout, LocalFanout)
    run = await small.start(await small.agent(graphs.timer(3600)))
    async with listening(small, run["id"], 0) as listener:
        await listener.hears(3)
        assert fanout.is_followed(run["id"])
    assert not fanout.is_followed(run["id"])
    await small.ann.http.post(f"/api/v1/runs/{run['id']}/cancel")


async def test_a_silent_run_is_heard_of_every_15_seconds(small: Stand, monkeypatch: pytest.MonkeyPatch):
    """engine:E2"""
    assert routes.HEARTBEAT_SECONDS == 15
    monkeypatch.setattr(routes, "HEARTBEAT_SECONDS", 0.05)
    run = await small.start(await small.agent(graphs.timer(3600)))
    async with listening(small, run["id"], 0) as listener:
        await until(lambda: listener.body.count(b"\n\n:") + listener.body.startswith(b":") >= 2, 5)
    await small.ann.http.post(f"/api/v1/runs/{run['id']}/cancel")
