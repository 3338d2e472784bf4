"""The journal as readers see it (E1)."""

from pilothouse.engine.entries import render
from pilothouse.graph.document import Policy, Retry
from tests.engine.toys import graph, node, play_on, shelf


async def test_every_entry_is_one_event_with_names_and_its_place_as_id():
    """engine:E1, engine:D1"""
    retry = Policy(retry=Retry(max_attempts=3, backoff_s=0))
    doc = graph(
        [
            node("in", "input", name="x"),
            node("t", "timer", seconds=60),
            node("f", "flaky", retry),
            node("out", "output", name="y"),
        ],
        "in.result_#_gone -> t.value",
        "in.result -> out.value",
    )
    played = await play_on(doc, shelf(), {"x": 1})
    events = [render(seq, entry, played.plan) for seq, entry in enumerate(played.log, start=1)]

    assert [event["id"] for event in events] == list(range(1, len(events) + 1))
    types = [str(event["type"]) for event in events]
    assert types[0] == "run.status"
    assert types[-1] == "run.finished"
    assert {*types} == {
        *("run.status", "step.started", "step.output", "step.retry", "step.waiting", "step.finished"),
        *("run.output", "run.warning", "run.finished"),
    }
    assert str(events[0].pop("at")).startswith("2023-11-14T22:13:20.0")
    assert events[0] == {"id": 1, "type": "run.status", "status": "queued", "inputs": {"x": 1}}
    by_type = {str(event["type"]): event for event in events}
    assert by_type["run.output"]["name"] == "y"
    assert by_type["run.output"]["value"] == 1
    assert by_type["run.warning"]["code"] == "selector_miss"
    assert by_type["run.warning"]["link"] == {"from": "in", "out": "result_#_gone", "to": "t", "in": "value"}
    assert by_type["run.finished"]["not_reached"] == ["t"]
    first = next(event for event in events if event["type"] == "step.started")
    assert first["node_id"] == "in"
    assert first["inputs"] == {"name": "x", "value": 1}


async def test_a_wait_and_its_end_are_both_events():
    """engine:E1"""
    played = await play_on(graph([node("t", "timer", seconds=60)]), shelf())
    events = [render(seq, entry, played.plan) for seq, entry in enumerate(played.log, start=1)]
    waits = [event for event in events if event["type"] == "step.waiting"]
    assert [wait["over"] for wait in waits] == [False, True]
    assert waits[0]["wait"] == "timer"
    statuses = [event["status"] for event in events if event["type"] == "run.status"]
    assert statuses == ["queued", "running", "waiting", "running"]
