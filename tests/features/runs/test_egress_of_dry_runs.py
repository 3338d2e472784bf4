"""Y5, K4: dry runs of every block and a replay connect to nobody, look up no name and start no process."""

from pathlib import Path
from urllib.parse import urlsplit

import pytest

from pilothouse.graph.json_schema import as_list
from pilothouse.kit.json import Json, dumps, loads
from tests.databases import fresh_postgres, fresh_sqlite
from tests.features.runs.stand import stamp
from tests.lines import settings_of_lines
from tests.sandboxing import need_walls
from tests.tracing import Traced, traced

AS_IT_SHOULD = {
    "statuses": ["completed"] * 3,
    "failed": [],
    "all_blocks": True,
    "replay_equals": True,
    "asked": 1,  # once, by the run that was real
    "models": [],
}


async def rehearse_everything(folder: Path, url: str, **more: Json) -> tuple[Traced, Json]:
    await need_walls()  # without them the blocks that run code are disabled
    await stamp(url)
    settings = dumps({"data_dir": str(folder), "database_url": url, **more})
    seen = await traced(folder / "calls", "-m", "tests.features.runs.rehearse_everything", settings)
    return seen, loads(seen.said.splitlines()[-1])


async def test_y5_k4_a_dry_run_of_every_block_and_a_replay_reach_nothing(tmp_path: Path):
    with fresh_sqlite(tmp_path) as url:
        seen, told = await rehearse_everything(tmp_path, url)
    assert told == AS_IT_SHOULD
    assert seen.calls == []


async def test_y5_a_simulated_run_of_every_block_reaches_the_model_alone(tmp_path: Path):
    with fresh_sqlite(tmp_path) as url:
        seen, told = await rehearse_everything(tmp_path, url, simulate=True)
    assert isinstance(told, dict)
    (model,) = as_list(told["models"])
    assert told == {**AS_IT_SHOULD, "statuses": ["completed"] * 4, "models": [model]}
    assert seen.calls != []
    assert seen.besides([int(str(model).partition(":")[2])]) == []


@pytest.mark.scaled
async def test_y5_k4_nor_do_they_on_servers_of_the_house(tmp_path: Path, broker_url: str, own_redis_url: str):
    """What is kept on other machines is reached there, and nothing else is."""
    with fresh_postgres() as url:
        seen, told = await rehearse_everything(tmp_path, url, **settings_of_lines(broker_url, own_redis_url))
    assert told == AS_IT_SHOULD
    ports = [urlsplit(server).port for server in (url, broker_url, own_redis_url)]
    assert seen.besides([port for port in ports if port]) == []
