"""C2: masks of secret pins are stored sealed, survive every resume, and are shown to nobody."""

import pytest

from pilothouse.kit.ids import RunId
from pilothouse.kit.json import JsonObject
from tests.base.waiting import until
from tests.features.runs import graphs
from tests.features.runs.graphs import calls
from tests.features.runs.stand import Stand
from tests.features.runs.test_children import children_of
from tests.features.runs.test_reviews import answer_to, asked, decide

CANARY = "canary-5f1d0c"
MASKS: JsonObject = {"lock": {"key": CANARY}}
TABLES = {
    "runs": "id",
    "segments": "log_id",
    "snapshots": "log_id",
    "log_values": "log_id",
    "inbox": "job_id",
    "reviews": "job_id",
}


async def begin(stand: Stand, agent: str, masks: JsonObject) -> RunId:
    answer = await stand.ann.http.post(f"/api/v1/agents/{agent}/runs", json={"input_masks": masks})
    assert answer.status_code == 201, answer.text
    return RunId(answer.json()["id"])


async def refuse_canary(stand: Stand, run_id: str) -> None:
    """Neither a table nor an answer has it."""
    for table, key in TABLES.items():
        rows = await stand.rows(f"select * from {table} where {key}=?1", run_id)
        assert CANARY not in str(rows), table
    assert CANARY not in str([await stand.get(run_id), await stand.events(run_id)])
    for part in ("steps", "reviews"):
        assert CANARY not in (await stand.ann.http.get(f"/api/v1/runs/{run_id}/{part}")).text


@pytest.mark.parametrize("from_log", [False, True])
async def test_c2_a_secret_mask_is_sealed_at_rest_and_survives_a_resume(stand: Stand, from_log: bool):
    run_id = await begin(stand, await stand.agent(graphs.locked()), MASKS)
    await stand.reaches(run_id, "waiting")
    assert "sealed" in str(await stand.rows("select body from segments where log_id=?1", run_id))
    await refuse_canary(stand, run_id)
    if from_log:
        await stand.tell("delete from snapshots where log_id=:id", id=run_id)
    await stand.house.api.runs.send_fact(stand.ann.actor, run_id, "go", 1)
    assert (await stand.reaches(run_id, "completed"))["outputs"] == {"opened": [[len(CANARY), 1]]}
    await refuse_canary(stand, run_id)


async def test_c2_a_run_that_never_sleeps_has_it_too(stand: Stand):
    document = graphs.graph(
        "Opens",
        [graphs.node("lock", graphs.LOCK, key="x", value=1), graphs.node("out", graphs.OUTPUT, name="opened")],
        [graphs.link("lock", "opened", "out", "value")],
    )
    run_id = await begin(stand, await stand.agent(document), MASKS)
    assert (await stand.reaches(run_id, "completed"))["outputs"] == {"opened": [[len(CANARY), 1]]}
    await refuse_canary(stand, run_id)


async def test_c2_a_secret_reaches_into_a_sub_agent_sealed_on_the_way(stand: Stand):
    middle = await stand.agent(calls(await stand.agent(graphs.locked()), "opened"))
    run_id = await begin(stand, middle, {"sub/lock": {"key": CANARY}})
    await stand.reaches(run_id, "waiting")
    ((child_id, *_),) = await children_of(stand, run_id)
    await stand.reaches(child_id, "waiting")
    for one in (run_id, child_id):
        await refuse_canary(stand, one)
        await stand.tell("delete from snapshots where log_id=:id", id=one)
    await stand.house.api.runs.send_fact(stand.ann.actor, child_id, "go", 1)
    assert (await stand.reaches(run_id, "completed"))["outputs"] == {"opened": [[len(CANARY), 1]]}
    for one in (run_id, child_id):
        await refuse_canary(stand, one)


async def test_c2_masks_that_are_no_secret_stay_readable(stand: Stand):
    run_id = await begin(stand, await stand.agent(graphs.locked()), {"wait": {"fact": "other"}})
    await stand.reaches(run_id, "waiting")
    body = str(await stand.rows("select body from segments where log_id=?1", run_id))
    assert "sealed" not in body
    assert '"masks":{"wait":{"fact":"other"}}' in body


async def test_c2_whoever_approves_a_step_sees_no_secret_and_it_runs_with_it(stand: Stand):
    agent = await stand.agent(graphs.locked())
    await stand.ann.browser.patch(f"/api/agents/{agent}/settings", json={"review_sensitive": True})
    run_id = await begin(stand, agent, MASKS)
    await stand.reaches(run_id, "waiting")
    await stand.house.api.runs.send_fact(stand.ann.actor, run_id, "go", 1)
    (review,) = await asked(stand, run_id)
    assert review["payload"] == {"value": 1}
    await refuse_canary(stand, run_id)
    await decide(stand, answer_to(review, True, data={"value": 2, "key": "another"}))
    assert (await stand.reaches(run_id, "completed"))["outputs"] == {"opened": [[len(CANARY), 2]]}
    await refuse_canary(stand, run_id)


async def test_c2_a_seal_of_another_run_does_not_open_and_the_run_ends(stand: Stand):
    """Nobody can have a secret opened by copying its seal into a run of their own."""
    agent = await stand.agent(graphs.locked())
    first, second = [await begin(stand, agent, MASKS) for _ in range(2)]
    for run_id in (first, second):
        await stand.reaches(run_id, "waiting")
        await stand.tell("delete from snapshots where log_id=:id", id=run_id)
    copy = "update segments set body=(select o.body from segments o where o.log_id=:a and o.first=1)"
    await stand.tell(f"{copy} where log_id=:b and first=1", a=first, b=second)
    await stand.tell("update jobs set attempt=4 where id=:id", id=second)
    await stand.house.api.runs.send_fact(stand.ann.actor, second, "go", 1)

    async def was_tried() -> bool:
        return await stand.rows("select attempt from jobs where id=?1 and state='queued'", second) == [(5,)]

    await until(was_tried)
    await stand.tell("update jobs set due_at=0 where id=:id", id=second)  # eight seconds later
    stand.ring(second)
    ended = await stand.reaches(second, "failed")
    assert (ended["reason"]["code"], ended["outputs"]) == ("poison", {})
