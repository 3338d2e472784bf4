"""Y1: dry runs in which a model plays the world outside."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio

from pilothouse.graph.json_schema import as_list, as_object
from pilothouse.kit.json import Json, JsonObject
from tests.databases import fresh_postgres, fresh_sqlite
from tests.features.runs import graphs
from tests.features.runs.graphs import calls, graph, link, node
from tests.features.runs.installations import settings_for
from tests.features.runs.stand import Stand, open_installation, stamp
from tests.features.runs.test_again import effects, probes, steps
from tests.features.runs.test_dry_runs import SEND_WITH_KEY
from tests.lines import settings_of_lines
from tests.providers.playing import Impostor, question
from tests.providers.script import Answer, Refusal
from tests.providers.server import provider

SIMULATE: JsonObject = {"mode": "simulate"}


@dataclass(slots=True)
class Theatre:
    """A stand, and the model that plays in it."""

    stand: Stand
    model: Impostor

    async def plays(self, document: JsonObject, *answers: Answer | Refusal, **inputs: Json) -> dict[str, Json]:
        self.model.answers[:] = answers
        self.model.requests.clear()
        body: JsonObject = {"inputs": inputs, "dry_run": SIMULATE}
        path = f"/api/v1/agents/{await self.stand.agent(document)}/runs"
        begun = await self.stand.ann.http.post(path, json=body)
        assert begun.status_code == 201, begun.text
        return await self.stand.reaches(begun.json()["id"], "completed", "completed_with_errors", "failed")


@asynccontextmanager
async def open_theatre(folder: Path, **more: Json) -> AsyncGenerator[Theatre]:
    model = Impostor()
    async with provider(model, "openai") as url:
        settings = settings_for(folder, openai_base_url=url, openai_api_key="k", chat_model="openai/test", **more)
        async with open_installation(settings) as opened, opened.stand() as stand:
            yield Theatre(stand, model)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def small_theatre(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Theatre]:
    folder = tmp_path_factory.mktemp("theatre")
    with fresh_sqlite(folder) as url:
        await stamp(url)
        async with open_theatre(folder) as opened:
            yield opened


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def large_theatre(
    tmp_path_factory: pytest.TempPathFactory, broker_url: str, own_redis_url: str
) -> AsyncGenerator[Theatre]:
    with fresh_postgres() as url:
        await stamp(url)
        lines = settings_of_lines(broker_url, own_redis_url)
        async with open_theatre(tmp_path_factory.mktemp("large_theatre"), database_url=url, **lines) as opened:
            yield opened


@pytest.fixture(params=["small_theatre", pytest.param("large_theatre", marks=pytest.mark.scaled)])
def theatre(request: pytest.FixtureRequest) -> Theatre:
    """On each profile in turn."""
    return request.getfixturevalue(request.param)


async def test_y1_a_model_makes_up_what_reaches_outside_and_it_is_marked(theatre: Theatre, tmp_path: Path):
    lines, imagined = tmp_path / "lines", [Answer(text=(f'{{"value": {number}}}',)) for number in (70, 80, 90)]
    run = await theatre.plays(probes(lines, 1, 2), *imagined, by=10)
    assert (run["dry_run"], run["status"]) == (True, "completed")
    given = as_object(run["outputs"])
    assert (len(as_list(given["sum"])), len(as_list(given["aside"]))) == (2, 1)
    assert {str(value) for name in ("sum", "aside") for value in as_list(given[name])} == {"70", "80", "90"}
    assert effects(lines) == []
    assert (await theatre.stand.events(str(run["id"])))[0]["dry_run"] == "simulate"
    marked = {step["node_id"]: step["simulated"] for step in await steps(theatre.stand, str(run["id"]))}
    assert {name for name, simulated in marked.items() if simulated} == {"probe", "aside"}
    asked = [question(request) for request in theatre.model.requests]
    assert [each["step"]["name"] for each in asked if isinstance(each["step"], dict)] == ["TestProbe"] * 3
    assert {"path": str(lines), "value": 11} in [each["inputs"] for each in asked]


async def test_y6_what_the_model_took_is_in_the_cost_log_and_the_run_cost_nothing(theatre: Theatre, tmp_path: Path):
    run = await theatre.plays(probes(tmp_path / "lines"), by=1)
    rows = await theatre.stand.rows("select prompt_tokens, provider from cost_log where job_id=?1", run["id"])
    assert rows == [(11, "openai")]
    assert isinstance(run["stats"], dict)
    assert run["stats"]["cost_microdollars"] == {}


async def test_y1_an_answer_that_does_not_fit_is_asked_for_once_more_and_then_fails_the_step(theatre: Theatre):
    sends = graph(
        "Reads",
        [node("send", graphs.SPEND, value=1), node("out", graphs.OUTPUT, name="out")],
        [link("send", "value", "out", "value")],
    )
    words, fenced = Answer(text=("Sure! Here it is.",)), Answer(text=('```json\n{"value": 5}\n```',))
    run = await theatre.plays(sends, words, fenced)
    assert (run["status"], run["outputs"]) == ("completed", {"out": [5]})
    assert "no use" in str(theatre.model.requests[1].body["messages"][-1])

    run = await theatre.plays(sends, words, Answer(text=('{"error": "it may not fail", "other": 1}',)))
    (failed,) = [step for step in await steps(theatre.stand, str(run["id"])) if step["error"]]
    assert failed["error"]["code"] == "simulation_failed"


async def test_y1_a_provider_that_refuses_fails_the_step_and_tells_no_secret(theatre: Theatre):
    spends = graph("Spends", [node("spend", graphs.SPEND, value=1)], [])
    run = await theatre.plays(spends, Refusal(401, body={"error": {"message": "bad key zq7-secret"}}))
    (failed,) = [step for step in await steps(theatre.stand, str(run["id"])) if step["error"]]
    assert failed["error"]["code"] == "upstream_failed"
    assert "zq7" not in str(failed)


async def test_y4_the_model_is_told_no_credentials(theatre: Theatre):
    ref = {"id": "00000000-0000-7000-8000-0000000000c4", "provider": "http", "type": "api_key", "title": "Mine"}
    inputs: JsonObject = {"url": "https://example.com", "credentials": {**ref}}
    run = await theatre.plays(graph("Sends", [node("send", SEND_WITH_KEY, None, **inputs)], []))
    assert run["status"] == "completed"
    assert ref["id"] not in str(theatre.model.requests)
    (request,) = theatre.model.requests
    assert question(request)["inputs"] == {"url": "https://example.com"}


async def test_y3_sub_agents_are_simulated_too(theatre: Theatre, tmp_path: Path):
    child = await theatre.stand.agent(probes(tmp_path / "lines", 1))
    run = await theatre.plays(
        calls(child, "sum", by=10), Answer(text=('{"value": 3}',)), Answer(text=('{"value": 3}',))
    )
    assert run["outputs"] == {"sum": [3]}
    assert effects(tmp_path / "lines") == []
