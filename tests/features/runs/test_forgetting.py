"""Q6: what an agent remembered goes with it."""

from pilothouse.kit.ids import RunId
from tests.features.runs import graphs
from tests.features.runs.graphs import graph, link, node
from tests.features.runs.stand import Stand
from tests.features.runs.test_memory import PERSIST, keeps


async def test_q6_an_agent_that_is_deleted_remembers_nothing_and_a_run_that_outlives_it_brings_nothing_back(
    stand: Stand,
):
    """In the unit that deletes it; what others remember stays."""
    agent, other = await stand.agent(keeps()), await stand.agent(keeps())
    waits = graph(
        "Late",
        [node("wait", graphs.AWAIT, fact="go"), node("keep", PERSIST, key="last", scope="within_agent")],
        [link("wait", "fact", "keep", "value")],
    )
    late = await stand.agent(waits)
    run = await stand.start(late)
    await stand.reaches(run["id"], "waiting")
    for one in (agent, other):
        await stand.start(one, wait=30, n=1)
    for one in (agent, late):
        gone = await stand.ann.http.delete(f"/api/v1/agents/{one}", headers={"If-Match": '"v1"'})
        assert gone.status_code == 204, gone.text
    await stand.house.api.runs.send_fact(stand.ann.actor, RunId(run["id"]), "go", 5)
    await stand.reaches(run["id"], "completed")
    places = await stand.rows("select place from remembered where user_id=?1", stand.ann.actor.user_id)
    assert places == [(f"agent/{other}",)]
