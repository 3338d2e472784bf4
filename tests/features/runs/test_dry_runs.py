"""Y1 to Y6: a run is tried without consequences."""

import os
from pathlib import Path
from typing import Any

from pilothouse.kit.json import dumps
from tests.features.runs import graphs
from tests.features.runs.graphs import calls, graph, link, node
from tests.features.runs.stand import Stand
from tests.features.runs.test_again import PROBE, back, effects, probes, step_of, steps

SEND = "6595ae1f-b924-42cb-9a41-551a0611c4b4"
SEND_WITH_KEY = "fff86bcd-e001-4bad-a7f6-2eae4720c8dc"
SAMPLE = "4a448883-71fa-49cf-91cf-70d793bd7d87"
KEEP = "1d055e55-a2b9-4547-8311-907d05b0304d"
RECALL = "d8710fc9-6e29-481e-a7d5-165eb16f8471"
FILE_WRITE = "15b9219f-50cb-457e-8e35-3d59f46af14f"


async def rehearse(stand: Stand, agent_id: str, how: Any = True, /, **inputs: Any) -> dict[str, Any]:
    """A dry run, to its end."""
    answer = await stand.ann.http.post(
        f"/api/v1/agents/{agent_id}/runs", json={"inputs": inputs, "dry_run": how}, headers={"Prefer": "wait=60"}
    )
    assert answer.status_code == 200, answer.text
    run = answer.json()
    assert run["dry_run"] is True
    return run


def chancy() -> graphs.JsonObject:
    """What depends on chance, on the moment, and on the outside."""
    return graph(
        "Chancy",
        [
            node("some", SAMPLE, data=list(range(100)), sample_size=5),
            node("some_out", graphs.OUTPUT, name="some"),
            node("send", SEND, url="https://example.com/things", method="POST"),
            node("answer", graphs.OUTPUT, name="answer"),
            node("wait", graphs.TIMER, input_message="tick", seconds=3600, repeat=3),
            node("ticks", graphs.OUTPUT, name="tick"),
        ],
        [
            link("some", "sampled_data", "some_out", "value"),
            link("send", "response", "answer", "value"),
            link("wait", "output_message", "ticks", "value"),
        ],
    )


async def test_y2_y3_equal_dry_runs_give_equal_bytes_and_timers_fire_at_once(stand: Stand):
    agent = await stand.agent(chancy())
    one, two = [await rehearse(stand, agent) for _ in range(2)]
    assert one["status"] == "completed"
    assert dumps(one["outputs"]) == dumps(two["outputs"])
    assert one["outputs"]["tick"] == ["tick"] * 3
    other = await rehearse(stand, agent, {"seed": 1})
    assert other["outputs"]["some"] != one["outputs"]["some"]
    assert other["outputs"]["answer"] == one["outputs"]["answer"]


async def test_y2_pure_blocks_run_truly_and_effects_are_stubbed(stand: Stand, tmp_path: Path):
    lines = tmp_path / "lines"
    run = await rehearse(stand, await stand.agent(probes(lines, 1, 2)), by=10)
    assert run["status"] == "completed"
    assert effects(lines) == []
    assert run["outputs"] == {"aside": [1], "sum": [1, 1]}  # what the block's first example gives
    added = [step["outputs"][0]["value"] for step in await steps(stand, run["id"]) if step["node_id"] == "add"]
    assert added == [11, 12]


async def test_k2_a_fork_of_a_dry_run_repeats_no_effect_and_asks_nobody(stand: Stand, tmp_path: Path):
    lines = tmp_path / "lines"
    dry = await rehearse(stand, await stand.agent(probes(lines, 1, 2)), by=10)
    chosen = await step_of(stand, dry["id"], "add")
    plan = await back(stand, dry["id"], "fork", 200, step=chosen, plan_only=True)
    assert plan["effects"]["count"] == 0
    forked = await back(stand, dry["id"], "fork", step=chosen, inputs={"a": 90})
    ended = await stand.reaches(forked["id"], "completed")
    assert (ended["dry_run"], ended["outputs"]) == (True, dry["outputs"])
    assert effects(lines) == []


async def test_k2_a_fork_of_a_dry_run_with_recorded_values_has_them_too(stand: Stand, tmp_path: Path):
    lines = tmp_path / "lines"
    agent = await stand.agent(probes(lines, 1, 2))
    real = await stand.start(agent, wait=30, by=10)
    dry = await rehearse(stand, agent, {"mode": "recorded", "run_id": real["id"]}, by=50)
    forked = await back(stand, dry["id"], "fork", step=await step_of(stand, dry["id"], "add"), inputs={"a": 7})
    again = await stand.reaches(forked["id"], "completed")
    assert again["outputs"] == real["outputs"] == {"aside": ["aside"], "sum": [11, 12]}
    once_more = await stand.reaches((await back(stand, forked["id"], "rerun"))["id"], "completed")
    assert once_more["outputs"] == real["outputs"]
    assert len(effects(lines)) == 3


async def test_k2_a_fork_of_a_dry_run_finds_records_that_the_dry_run_had_no_use_for(stand: Stand, tmp_path: Path):
    lines = tmp_path / "lines"
    document = graph(
        "Branch",
        [
            node("n", graphs.NUMBER, name="n"),
            node("is_large", graphs.CONDITION, operator=">", value2=10, yes_value="large", no_value="small"),
            node("probe", PROBE, path=str(lines)),
            node("out", graphs.OUTPUT, name="out"),
        ],
        [
            link("n", "result", "is_large", "value1"),
            link("is_large", "yes_output", "probe", "value"),
            link("probe", "value", "out", "value"),
        ],
    )
    agent = await stand.agent(document)
    real = await stand.start(agent, wait=30, n=11)
    dry = await rehearse(stand, agent, {"mode": "recorded", "run_id": real["id"]}, n=1)
    assert (real["outputs"], dry["outputs"]) == ({"out": ["large"]}, {})
    chosen = await step_of(stand, dry["id"], "is_large")
    forked = await back(stand, dry["id"], "fork", step=chosen, inputs={"value1": 12})
    assert (await stand.reaches(forked["id"], "completed"))["outputs"] == real["outputs"]
    assert len(effects(lines)) == 1


async def test_y1_recorded_values_are_those_of_the_chosen_run(stand: Stand, tmp_path: Path):
    lines = tmp_path / "lines"
    agent = await stand.agent(probes(lines, 1, 2))
    real = await stand.start(agent, wait=30, by=10)
    run = await rehearse(stand, agent, {"mode": "recorded", "run_id": real["id"]}, by=50)
    assert (run["status"], run["outputs"]) == ("completed", real["outputs"])
    assert len(effects(lines)) == 3
    marked = {step["node_id"] for step in await steps(stand, run["id"]) if step["recorded"] is not None}
    assert marked == {"probe", "aside"}
    again = await back(stand, run["id"], "rerun")
    assert again["dry_run"] is True
    assert (await stand.reaches(again["id"], "completed"))["outputs"] == real["outputs"]


async def test_y1_what_cannot_be_rehearsed_is_refused(stand: Stand):
    agent = await stand.agent(graphs.adder())
    other = await stand.run(graphs.greeting(), who="A")
    for how, status, code in (
        ({"mode": "simulate"}, 409, "simulation_unavailable"),
        ({"mode": "recorded"}, 422, "run_id_missing"),
        ({"mode": "recorded", "run_id": other["id"]}, 404, "not_found"),
    ):
        body = {"inputs": {"n": 1}, "dry_run": how}
        answer = await stand.ann.http.post(f"/api/v1/agents/{agent}/runs", json=body)
        assert (answer.status_code, answer.json()["code"]) == (status, code)


async def test_y3_sub_agents_are_rehearsed_as_children(stand: Stand, tmp_path: Path):
    lines = tmp_path / "lines"
    child = await stand.agent(probes(lines, 1))
    run = await rehearse(stand, await stand.agent(calls(child, "sum", by=10)))
    assert (run["status"], run["outputs"]) == ("completed", {"sum": [1]})
    assert await stand.rows("select dry_run, status from runs where parent_id=?1", run["id"]) == [(1, "completed")]
    assert effects(lines) == []


async def test_y3_reviews_approve_themselves_and_say_so(stand: Stand):
    run = await rehearse(stand, await stand.agent(graphs.asks({"to": "ann"})))
    assert run["outputs"]["approved_data"] == [{"to": "ann"}]
    told = [event["ref"] for event in await stand.events(run["id"]) if event.get("wait") == "passed"]
    assert [ref["why"] for ref in told] == ["dry_run"]
    sensitive = await rehearse(stand, await stand.agent(graphs.acts("a")))
    assert sensitive["outputs"] == {"done": [1]}


async def test_y3_memory_is_thrown_away(stand: Stand):
    keeps = graph(
        "Keeps",
        [
            node("x", graphs.ANY, name="x"),
            node("keep", KEEP, key="last"),
            node("recall", RECALL, key="last", default_value="nothing"),
            node("out", graphs.OUTPUT, name="was"),
        ],
        [link("x", "result", "keep", "value"), link("recall", "value", "out", "value")],
    )
    agent = await stand.agent(keeps)
    await stand.start(agent, wait=30, x="real")
    tried = await rehearse(stand, agent, x="tried")
    assert tried["outputs"]["was"] in (["nothing"], ["tried"])
    real = await stand.start(agent, wait=30, x="later")
    assert real["outputs"]["was"] in (["real"], ["later"])


async def test_y3_a_trigger_gets_a_sample_payload(stand: Stand):
    hooked = graph(
        "Hooked",
        [node("hook", graphs.TRIGGER), node("out", graphs.OUTPUT, name="payload")],
        [link("hook", "payload", "out", "value")],
    )
    assert (await rehearse(stand, await stand.agent(hooked)))["outputs"] == {"payload": [{"id": 7}]}


async def test_y4_credentials_are_not_needed_and_all_else_is(stand: Stand):
    def sends(**inputs: Any) -> graphs.JsonObject:
        return graph(
            "Sends",
            [node("send", SEND_WITH_KEY, None, **inputs), node("out", graphs.OUTPUT, name="answer")],
            [link("send", "response", "out", "value")],
        )

    agent = await stand.agent(sends(url="https://example.com"))
    refused = await stand.ann.http.post(f"/api/v1/agents/{agent}/runs", json={"inputs": {}})
    assert (refused.status_code, refused.json()["detail"]["issues"][0]["code"]) == (422, "credentials_missing")
    assert (await rehearse(stand, agent))["status"] == "completed"
    named = await stand.agent(sends(url="https://example.com", credentials={"id": "gone", "provider": "http"}))
    assert (await rehearse(stand, named))["status"] == "completed"

    lacking = await stand.agent(sends())
    refused = await stand.ann.http.post(f"/api/v1/agents/{lacking}/runs", json={"inputs": {}, "dry_run": True})
    issues = [(issue["field"], issue["code"]) for issue in refused.json()["detail"]["issues"]]
    assert (refused.status_code, issues) == (422, [("url", "required")])


async def test_y6_dry_runs_cost_nothing_and_count_in_no_statistics(stand: Stand):
    spends = graph(
        "Spends",
        [node("spend", graphs.SPEND, value=1), node("out", graphs.OUTPUT, name="out")],
        [link("spend", "value", "out", "value")],
    )
    run = await rehearse(stand, await stand.agent(spends))
    assert (run["stats"]["cost_microdollars"], run["stats"]["tokens"]) == ({}, {})
    assert (await stand.ann.http.get("/api/v1/runs/summary")).json()["total"] == 0
    listed = (await stand.ann.http.get("/api/v1/runs")).json()["items"]
    assert [item["dry_run"] for item in listed] == [True]


async def test_y5_heavy_blocks_stay_in_this_process(stand: Stand):
    """A helper would be a process that a dry run started."""

    burns = graph(
        "Burns",
        [node("burn", graphs.BURN, seconds=0, value="pid"), node("out", graphs.OUTPUT, name="pid")],
        [link("burn", "value", "out", "value")],
    )
    assert (await rehearse(stand, await stand.agent(burns)))["outputs"] == {"pid": [os.getpid()]}


async def test_y3_files_are_thrown_away_and_named_alike_in_equal_runs(stand: Stand):
    writes = graph(
        "Writes",
        [
            node("x", graphs.ANY, name="x"),
            node("write", FILE_WRITE, path="notes.txt"),
            node("out", graphs.OUTPUT, name="file"),
        ],
        [link("x", "result", "write", "content"), link("write", "file", "out", "value")],
    )
    agent = await stand.agent(writes)
    one, two = [await rehearse(stand, agent, x="hello") for _ in range(2)]
    assert one["status"] == "completed"
    assert dumps(one["outputs"]) == dumps(two["outputs"])
    assert one["outputs"]["file"][0].endswith("#text/plain")
    assert (await stand.ann.browser.get("/api/workspace/files")).json()["items"] == []
