"""Events that start agents, before there is a door for them."""

from bench.callers import until_idle
from bench.load import Ask
from bench.site import Site
from pilothouse.app.house import open_house
from pilothouse.features.runs.admitting import RunAsk
from pilothouse.kit.ids import AgentId
from pilothouse.kit.json import JsonObject


async def event(house: Site, agent: str, payload: JsonObject) -> Ask:
    """The request that starts a run with what a trigger was sent, answered as soon as it is committed.

    A first run is accepted from within, as a receiver of events will do it. From without its payload can be had once
    more by running it again, which only adds the reading of that first run.
    """
    asked = RunAsk(AgentId(house.person.agents[agent]), {}, payload=payload)
    async with open_house(house.place.read_settings(), serves=False) as inside:
        run_id = (await inside.runs.start_run(house.person.actor, asked)).id
    await until_idle(house)
    return Ask(f"{house.url}/api/v1/runs/{run_id}/rerun", "POST", "", house.headers)


async def runs_unlike(house: Site, *, steps: int) -> int:
    """Runs that did not get through with so many steps."""
    reader = house.place.reader()
    sql = "select count(*) from runs where status is null or status <> 'completed' or stats not like ?1"
    rows = await reader.rows(sql, f'%"steps":{{"completed":{steps}}}%')
    await reader.close()
    return rows[0][0]
