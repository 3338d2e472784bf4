"""W2, W3: a run asks a person and waits, for as long as it takes."""

import asyncio
from typing import Any

import httpx2
import pytest

from pilothouse.base.jobs.moves import micros
from pilothouse.kit.ids import new_id
from pilothouse.kit.json import Json
from tests.features.runs import graphs
from tests.features.runs.graphs import graph, link, node
from tests.features.runs.stand import Stand

DECIDE = "/api/reviews/decide"


async def asked(stand: Stand, run_id: str, count: int = 1) -> list[dict[str, Any]]:
    """The reviews of a run that wait, the oldest first, once there are so many."""
    for _ in range(500):
        answer = await stand.ann.browser.get(f"/api/runs/{run_id}/reviews")
        assert answer.status_code == 200, answer.text
        found = [review for review in answer.json()["items"] if review["state"] == "waiting"]
        if len(found) >= count:
            return sorted(found, key=lambda review: review["step_id"])
        await asyncio.sleep(0.02)
    raise AssertionError("nobody was asked")


def answer_to(review: dict[str, Any], approved: bool, **more: Json) -> dict[str, Any]:
    return {"review_id": review["id"], "payload_hash": review["payload_hash"], "approved": approved, **more}


async def decide(stand: Stand, *answers: dict[str, Any]) -> httpx2.Response:
    return await stand.ann.browser.post(DECIDE, json={"decisions": [*answers]})


async def asking(stand: Stand, data: Json = None, **inputs: Json) -> tuple[dict[str, Any], dict[str, Any]]:
    """A run that asks, and what it asks."""
    run = await stand.start(await stand.agent(graphs.asks(data, **inputs)))
    await stand.reaches(run["id"], "waiting")
    return run, (await asked(stand, run["id"]))[0]


async def test_w2_a_review_holds_exactly_what_is_asked(stand: Stand):
    run, review = await asking(stand, {"to": "ann", "é": [1, None]})
    assert (review["run_id"], review["node_id"], review["step_id"]) == (run["id"], "ask", 1)
    assert (review["name"], review["payload"], review["editable"]) == ("Mail", {"to": "ann", "é": [1, None]}, True)
    assert (review["kind"], review["state"], review["decision"]) == ("review_block", "waiting", None)
    listed = (await stand.ann.browser.get("/api/reviews", params={"state": "waiting"})).json()["items"]
    brief = (await stand.ann.browser.get("/api/reviews", params={"state": "waiting", "brief": True})).json()["items"]
    assert brief == [{**review, "payload": None} for review in listed]
    assert listed == [review]
    step = (await stand.ann.http.get(f"/api/v1/runs/{run['id']}/steps")).json()["items"][0]
    assert (step["status"], step["waiting"]["for"]) == ("waiting", "review")
    assert step["waiting"]["ref"] == {"review_id": review["id"]}
    assert await stand.rows("select owner from jobs where id=?1", run["id"]) == [(None,)]


async def test_w2_approved_data_goes_on(stand: Stand):
    run, review = await asking(stand, {"to": "ann"})
    said = await decide(stand, answer_to(review, True))
    assert said.status_code == 200, said.text
    assert said.json()["reviews"][0]["state"] == "approved"
    assert (await stand.reaches(run["id"], "completed"))["outputs"] == {"approved_data": [{"to": "ann"}]}
    kinds = [event["type"] for event in await stand.events(run["id"])]
    assert [kind for kind in kinds if kind.startswith("review")] == ["review.requested", "review.decided"]


async def test_w2_data_may_be_changed_and_a_message_given(stand: Stand):
    run, review = await asking(stand, {"to": "ann"})
    await decide(stand, answer_to(review, True, data={"to": "bob"}, message="Bob, please"))
    outputs = (await stand.reaches(run["id"], "completed"))["outputs"]
    assert outputs == {"approved_data": [{"to": "bob"}], "review_message": ["Bob, please"]}


async def test_w2_rejected_data_goes_another_way(stand: Stand):
    run, review = await asking(stand, 1)
    await decide(stand, answer_to(review, False, message="No"))
    outputs = (await stand.reaches(run["id"], "completed"))["outputs"]
    assert outputs == {"rejected_data": [1], "review_message": ["No"]}


async def test_w2_what_may_not_be_edited_is_not(stand: Stand):
    run, review = await asking(stand, 1, editable=False)
    refused = await decide(stand, answer_to(review, True, data=2))
    assert (refused.status_code, refused.json()["code"]) == (422, "review_not_editable")
    assert (await decide(stand, answer_to(review, True))).status_code == 200
    assert (await stand.reaches(run["id"], "completed"))["outputs"] == {"approved_data": [1]}


async def test_w2_the_first_decision_stands(stand: Stand):
    run, review = await asking(stand, 1)
    first = await decide(stand, answer_to(review, True))
    await stand.reaches(run["id"], "completed")
    again = await decide(stand, answer_to(review, True))
    assert (again.status_code, again.json()) == (200, first.json())
    other = await decide(stand, answer_to(review, False))
    assert (other.status_code, other.json()["code"]) == (409, "already_decided")
    assert other.json()["detail"]["reviews"] == first.json()["reviews"]


async def test_w2_of_many_who_decide_at_once_one_wins(stand: Stand):
    run, review = await asking(stand, 1)
    said = await asyncio.gather(*(decide(stand, answer_to(review, True, data=n)) for n in range(6)))
    assert sorted(answer.status_code for answer in said) == [200] + [409] * 5
    (won,) = [answer.json()["reviews"][0] for answer in said if answer.status_code == 200]
    assert (await stand.reaches(run["id"], "completed"))["outputs"] == {"approved_data": [won["decision"]["data"]]}


async def test_w2_a_decision_about_another_payload_is_refused(stand: Stand):
    run, review = await asking(stand, 1)
    refused = await decide(stand, {**answer_to(review, True), "payload_hash": "0" * 64})
    assert (refused.status_code, refused.json()["code"]) == (409, "review_payload_changed")
    assert (await stand.get(run["id"]))["status"] == "waiting"


async def test_w2_reviews_of_a_run_are_decided_all_or_none_while_branches_run(stand: Stand):
    document = graph(
        "Two",
        [
            node("a", graphs.HUMAN, data=1, name="A"),
            node("b", graphs.HUMAN, data=2, name="B"),
            node("slow", graphs.SLEEP, seconds=0.6, value=3),
            *(node(f"out_{name}", graphs.OUTPUT, name=name) for name in "ab"),
        ],
        [link(name, "approved_data", f"out_{name}", "value") for name in "ab"],
    )
    run = await stand.start(await stand.agent(document))
    a, b = await asked(stand, run["id"], 2)
    assert (await stand.get(run["id"]))["status"] == "running"
    wrong = await decide(stand, answer_to(a, True), {**answer_to(b, True), "payload_hash": "0" * 64})
    assert wrong.status_code == 409
    assert [review["state"] for review in await asked(stand, run["id"], 2)] == ["waiting", "waiting"]
    assert (await decide(stand, answer_to(a, True), answer_to(b, True))).status_code == 200
    assert (await stand.reaches(run["id"], "completed"))["outputs"] == {"a": [1], "b": [2]}


async def test_w2_one_call_decides_about_one_run(stand: Stand):
    (_, first), (_, second) = await asking(stand, 1), await asking(stand, 2)
    refused = await decide(stand, answer_to(first, True), answer_to(second, True))
    assert refused.status_code == 422
    twice = await decide(stand, answer_to(first, True), answer_to(first, True))
    assert twice.status_code == 422


async def test_w2_foreign_and_unknown_reviews_are_not_there(stand: Stand):
    _, review = await asking(stand, 1)
    bob = await stand.house.person()
    foreign = await bob.browser.post(DECIDE, json={"decisions": [answer_to(review, True)]})
    unknown = await decide(stand, {**answer_to(review, True), "review_id": new_id()})
    assert (foreign.status_code, unknown.status_code) == (404, 404)
    assert (await bob.browser.get("/api/reviews")).json()["items"] == []
    assert (await bob.browser.get(f"/api/runs/{review['run_id']}/reviews")).status_code == 404
    assert (await stand.ann.http.post(DECIDE, json={"decisions": [answer_to(review, True)]})).status_code == 401
    await bob.leave()


async def test_w2_without_review_required_it_passes_and_says_so(stand: Stand):
    agent = await stand.agent(graphs.asks({"to": "ann"}))
    changed = await stand.ann.browser.patch(f"/api/agents/{agent}/settings", json={"review_required": False})
    assert (changed.json()["review_required"], changed.json()["review_sensitive"]) == (False, False)
    run = await stand.start(agent, wait=30)
    assert (run["status"], run["outputs"]) == ("completed", {"approved_data": [{"to": "ann"}]})
    (waited,) = [event for event in await stand.events(run["id"]) if event.get("wait") == "passed"]
    assert waited["ref"]["why"] == "review_not_required"
    (review,) = (await stand.ann.browser.get(f"/api/runs/{run['id']}/reviews")).json()["items"]
    assert (review["state"], review["decision"]["automatic"]) == ("approved", True)


async def test_w2_a_run_keeps_to_the_settings_it_began_with(stand: Stand):
    agent = await stand.agent(graphs.asks(1))
    run = await stand.start(agent)
    await stand.reaches(run["id"], "waiting")
    await stand.ann.browser.patch(f"/api/agents/{agent}/settings", json={"review_required": False})
    await stand.tell("delete from snapshots where log_id=:id", id=run["id"])
    await decide(stand, answer_to((await asked(stand, run["id"]))[0], False))
    assert (await stand.reaches(run["id"], "completed"))["outputs"] == {"rejected_data": [1]}


async def test_w2_it_works_after_400_days(stand: Stand):
    """engine:W2, engine:E4: the upkeep of that day takes what has ended, and leaves what waits."""
    ended = await stand.run(graphs.adder(), n=1)
    run, review = await asking(stand, 1)
    age = 400 * 24 * 3600 * 1_000_000
    await stand.tell("update reviews set created_at=created_at-:age where id=:id", age=age, id=review["id"])
    await stand.tell("update runs set created_at=created_at-:age where id=:id", age=age, id=run["id"])
    await stand.tell("update jobs set moved_at=moved_at-:age where id=:id", age=age, id=run["id"])
    await stand.house.worker.retention.forget_old_runs(micros() + age)
    await stand.house.worker.sweeper.sweep()
    assert (await stand.ann.http.get(f"/api/v1/runs/{ended['id']}")).status_code == 404
    assert [found["id"] for found in await asked(stand, run["id"])] == [review["id"]]
    assert (await decide(stand, answer_to(review, True))).status_code == 200
    assert (await stand.reaches(run["id"], "completed"))["outputs"] == {"approved_data": [1]}


async def test_w2_an_expired_review_fails_its_step(stand: Stand):
    run, review = await asking(stand, 1)
    await stand.tell("update reviews set expires_at=1 where id=:id", id=review["id"])
    late = await decide(stand, answer_to(review, True))
    assert (late.status_code, late.json()["code"]) == (409, "already_decided")
    await stand.house.worker.reviews.expire_reviews()
    ended = await stand.reaches(run["id"], "completed_with_errors")
    assert ended["outputs"] == {"error": ["Nobody decided in time."]}
    assert (await decide(stand, answer_to(review, True))).status_code == 409


async def test_w6_reviews_close_when_the_run_is_cancelled(stand: Stand):
    """W6."""
    run, review = await asking(stand, 1)
    await stand.ann.http.post(f"/api/v1/runs/{run['id']}/cancel")
    late = await decide(stand, answer_to(review, True))
    assert (late.status_code, late.json()["code"]) == (409, "already_decided")
    assert late.json()["detail"]["reviews"][0]["state"] == "cancelled"
    assert (await stand.get(run["id"]))["status"] == "cancelled"


async def passed_on(stand: Stand, run_id: str) -> int:
    """How many answers have come out so far."""
    steps = (await stand.ann.http.get(f"/api/v1/runs/{run_id}/steps")).json()["items"]
    return sum(step["node_id"] == "out" and step["status"] == "completed" for step in steps)


async def test_w2_a_step_that_waits_for_a_person_lets_others_of_its_node_go_first(stand: Stand):
    """F7."""
    document = graph(
        "Many",
        [
            node("items", graphs.STEP_THROUGH, items=[1, 2, 3]),
            node("ask", graphs.HUMAN, name="Mail"),
            node("out", graphs.OUTPUT, name="out"),
        ],
        [link("items", "item", "ask", "data"), link("ask", "approved_data", "out", "value")],
    )
    run = await stand.start(await stand.agent(document))
    first, second, third = await asked(stand, run["id"], 3)
    for number, review in enumerate((third, first, second), start=1):
        await decide(stand, answer_to(review, True))
        async with asyncio.timeout(20):
            while await passed_on(stand, run["id"]) < number:
                await asyncio.sleep(0.03)
    assert (await stand.reaches(run["id"], "completed"))["outputs"] == {"out": [3, 1, 2]}


@pytest.mark.parametrize("deep", [99, 101])
async def test_an_answer_that_nests_too_deeply_is_refused_or_goes_on(small: Stand, deep: int):
    run, review = await asking(small, 1)
    data: Any = 1
    for _ in range(deep):
        data = [data]
    said = await decide(small, answer_to(review, True, data=data))
    assert said.status_code == (200 if deep < 100 else 422)
    if deep < 100:
        ended = await small.reaches(run["id"], "completed", "completed_with_errors")
        assert ended["ended_at"] is not None


async def test_w4_a_parent_lists_what_the_runs_below_it_ask(stand: Stand):
    """W2, W4: at every depth; what was decided is listed too, unless only what waits is wanted"""
    middle = await stand.agent(graphs.calls(await stand.agent(graphs.asks("inside")), "approved_data"))
    run = await stand.start(await stand.agent(graphs.calls(middle, "approved_data")))
    (review,) = await asked(stand, run["id"])
    assert (review["payload"], review["run_id"] != run["id"]) == ("inside", True)
    await decide(stand, answer_to(review, True))
    assert (await stand.reaches(run["id"], "completed"))["outputs"] == {"approved_data": ["inside"]}
    listed = f"/api/runs/{run['id']}/reviews"
    everything = (await stand.ann.browser.get(listed)).json()["items"]
    waiting = (await stand.ann.browser.get(listed, params={"state": "waiting"})).json()["items"]
    assert ([item["state"] for item in everything], waiting) == (["approved"], [])
