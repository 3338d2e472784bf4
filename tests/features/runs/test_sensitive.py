"""W3: a sensitive block asks before it acts, when the agent's settings say so."""

from pilothouse.kit.json import Json
from tests.base.waiting import until
from tests.features.runs import graphs
from tests.features.runs.graphs import calls, graph, link, node
from tests.features.runs.stand import Stand
from tests.features.runs.test_reviews import answer_to, asked, decide


async def cautious(stand: Stand, *things: Json) -> str:
    agent = await stand.agent(graphs.acts(*things))
    await stand.ann.browser.patch(f"/api/agents/{agent}/settings", json={"review_sensitive": True})
    return agent


async def test_w3_without_the_setting_it_acts(stand: Stand):
    assert (await stand.run(graphs.acts(1)))["outputs"] == {"done": [1]}


async def test_w3_it_asks_before_it_acts_and_acts_with_what_was_approved(stand: Stand):
    run = await stand.start(await cautious(stand, 1))
    (review,) = await asked(stand, run["id"])
    assert (review["kind"], review["payload"], review["name"]) == ("sensitive_action", {"what": 1}, "TestPublish")
    await decide(stand, answer_to(review, True, data={"what": 2}))
    assert (await stand.reaches(run["id"], "completed"))["outputs"] == {"done": [2]}


async def test_w3_what_is_no_set_of_inputs_is_not_taken_as_approved(stand: Stand):
    run = await stand.start(await cautious(stand, 1))
    (review,) = await asked(stand, run["id"])
    unfit: list[Json] = [None, [1], "stop"]
    for data in unfit:
        refused = await decide(stand, answer_to(review, True, data=data))
        assert (refused.status_code, refused.json()["code"]) == (422, "review_unfit")
    await decide(stand, answer_to(review, False))
    assert "done" not in (await stand.reaches(run["id"], "completed_with_errors"))["outputs"]


async def test_w3_rejected_it_fails(stand: Stand):
    run = await stand.start(await cautious(stand, 1))
    await decide(stand, answer_to((await asked(stand, run["id"]))[0], False, message="Not today"))
    assert (await stand.reaches(run["id"], "completed_with_errors"))["outputs"] == {"wrong": ["Not today"]}
    steps = (await stand.ann.http.get(f"/api/v1/runs/{run['id']}/steps")).json()["items"]
    assert [step["error"]["code"] for step in steps if step["error"]] == ["review_rejected"]


async def test_w3_it_asks_also_after_a_resume(stand: Stand):
    """Another worker takes the run up from the log alone."""
    run = await stand.start(await cautious(stand, 1))
    await stand.reaches(run["id"], "waiting")
    await stand.tell("delete from snapshots where log_id=:id", id=run["id"])
    await stand.tell("update jobs set state='queued', due_at=0, fence=100 where id=:id", id=run["id"])
    stand.ring(run["id"])

    async def sleeps_again() -> bool:
        rows = await stand.rows("select fence from jobs where id=?1 and state='waiting'", run["id"])
        return bool(rows) and rows[0][0] > 100

    await until(sleeps_again)
    assert (await stand.reaches(run["id"], "waiting"))["outputs"] == {}
    assert len(await asked(stand, run["id"])) == 1


async def test_w3_what_changed_since_it_was_approved_is_not_done(stand: Stand):
    """REV-4."""
    run = await stand.start(await cautious(stand, 1))
    (review,) = await asked(stand, run["id"])
    await stand.reaches(run["id"], "waiting")
    other = "0" * 64
    await stand.tell("update reviews set payload_hash=:other where id=:id", other=other, id=review["id"])
    assert (await decide(stand, {**answer_to(review, True), "payload_hash": other})).status_code == 200
    ended = await stand.reaches(run["id"], "completed_with_errors")
    steps = (await stand.ann.http.get(f"/api/v1/runs/{run['id']}/steps")).json()["items"]
    assert [step["error"]["code"] for step in steps if step["error"]] == ["review_payload_changed"]
    assert "done" not in ended["outputs"]


async def test_w3_the_rest_of_a_node_can_be_approved_for_this_run(stand: Stand):
    agent = await cautious(stand, 1, 2, 3)
    run = await stand.start(agent)
    first, _, _ = await asked(stand, run["id"], 3)
    await decide(stand, answer_to(first, True, rest_of_node=True))
    assert (await stand.reaches(run["id"], "completed"))["outputs"] == {"done": [1, 2, 3]}
    other = await stand.start(agent)
    assert len(await asked(stand, other["id"], 3)) == 3


async def test_w3_what_the_node_asks_later_passes_too(stand: Stand):
    document = graph(
        "Later",
        [
            node("first", graphs.STORE, input=1),
            node("tick", graphs.TIMER, seconds=0.3, input_message=2),
            node("act", graphs.ACT),
            node("out", graphs.OUTPUT, name="done"),
        ],
        [
            {**link("first", "output", "act", "what")},
            link("tick", "output_message", "act", "what"),
            link("act", "done", "out", "value"),
        ],
    )
    agent = await stand.agent(document)
    await stand.ann.browser.patch(f"/api/agents/{agent}/settings", json={"review_sensitive": True})
    run = await stand.start(agent)
    (review, *_) = await asked(stand, run["id"])
    await decide(stand, answer_to(review, True, rest_of_node=True))
    assert (await stand.reaches(run["id"], "completed"))["outputs"] == {"done": [1, 2]}


async def test_w3_a_child_is_as_careful_as_its_parent(stand: Stand):
    """REV-9: the stricter of the two."""
    child = await stand.agent(graphs.acts(1))
    parent = await stand.agent(calls(child, "done"))
    await stand.ann.browser.patch(f"/api/agents/{parent}/settings", json={"review_sensitive": True})
    run = await stand.start(parent)
    await stand.reaches(run["id"], "waiting")
    ((child_id,),) = await stand.rows("select id from runs where parent_id=?1", run["id"])
    await decide(stand, answer_to((await asked(stand, child_id))[0], True))
    assert (await stand.reaches(run["id"], "completed"))["outputs"] == {"done": [1]}


def reviews(*, sensitive: bool) -> dict[str, Json]:
    """The settings of an agent that nobody builds in a chat."""
    return {"review_required": True, "review_sensitive": sensitive, "builder_chat_session_id": None}


async def test_w3_imported_agents_ask_from_the_start(small: Stand):
    answer = await small.ann.browser.post("/api/agents/import", json={"document": graphs.acts(1)})
    assert answer.status_code == 201, answer.text
    settings = await small.ann.browser.get(f"/api/agents/{answer.json()['agent_id']}/settings")
    assert settings.json() == reviews(sensitive=True)


async def test_w3_one_approval_lasts_however_often_the_block_waits(stand: Stand):
    """Also where the block keeps something with each wait, and from the log alone."""
    document = graph(
        "Laps",
        [node("laps", graphs.LAPS, laps=3, seconds=0.05), node("out", graphs.OUTPUT, name="lap")],
        [link("laps", "lap", "out", "value")],
    )
    agent = await stand.agent(document)
    await stand.ann.browser.patch(f"/api/agents/{agent}/settings", json={"review_sensitive": True})
    run = await stand.start(agent)
    (review,) = await asked(stand, run["id"])
    await stand.reaches(run["id"], "waiting")
    await stand.tell("delete from snapshots where log_id=:id", id=run["id"])
    await decide(stand, answer_to(review, True, data={"laps": 4, "seconds": 0.05}))
    assert (await stand.reaches(run["id"], "completed"))["outputs"] == {"lap": [1, 2, 3, 4]}
    assert len(await stand.rows("select 1 from reviews where job_id=?1", run["id"])) == 1


async def test_a10_settings_are_of_the_agent_and_make_no_version(stand: Stand):
    """A10, as far as they exist: what asks a person. Runs that have begun keep to what they began with."""
    agent = await stand.agent(graphs.acts(1))
    place = f"/api/agents/{agent}/settings"
    assert (await stand.ann.browser.get(place)).json() == reviews(sensitive=False)
    changed = await stand.ann.browser.patch(place, json={"review_sensitive": True})
    assert changed.json() == reviews(sensitive=True)
    run = await stand.start(agent)
    (review,) = await asked(stand, run["id"])
    await stand.ann.browser.patch(place, json={"review_sensitive": False})
    await decide(stand, answer_to(review, True))
    assert (await stand.reaches(run["id"], "completed"))["outputs"] == {"done": [1]}
    assert (await stand.start(agent, wait=30))["outputs"] == {"done": [1]}
    found = (await stand.ann.http.get(f"/api/v1/agents/{agent}")).json()
    assert (found["version"], found["newest_version"]) == (1, 1)
