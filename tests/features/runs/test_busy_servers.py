"""T1: servers that ask to be asked again later, and how steps obey; over real HTTP, through the guarded client."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, repeat
from typing import NamedTuple

import pytest
import pytest_asyncio

from pilothouse.kit.json import Json, JsonObject
from tests.base.hostile import Listener, http
from tests.features.runs import graphs
from tests.features.runs.graphs import graph, link, node
from tests.features.runs.installations import open_embedded
from tests.features.runs.stand import Stand

PAGE = "b9525e75-1e2e-4f8a-b019-aa79e313f229"
FEED = "5ebe6768-8e5d-41e3-9134-1c7bd89a8d52"
SEND = "6595ae1f-b924-42cb-9a41-551a0611c4b4"
STORE_FILE = "cbb50872-625b-42f0-8203-a2ae78242d8a"
TWICE: JsonObject = {"retry": {"max_attempts": 2, "backoff_s": 0.01}}
FINAL = ("completed", "completed_with_errors", "failed")
BUSY = http(429, b"wait", Retry_After="0")
BROKEN = http(503, b"oops")
HUNG_UP = b""
FINE = http(200, b"<rss><channel></channel></rss>", Content_Type="text/plain")


class Ended(NamedTuple):
    """What became of a run."""

    status: str
    outputs: JsonObject
    retries: int


@dataclass(frozen=True, slots=True)
class Street:
    """Somebody who runs agents, and a server to ask."""

    stand: Stand
    server: Listener

    def answers(self, *made: bytes) -> None:
        """In this order; the last one then stays."""
        coming = chain(made, repeat(made[-1]))
        self.server.answer = lambda path, headers: next(coming)
        self.server.asked.clear()

    async def start(self, block: str, policy: JsonObject | None, **inputs: Json) -> str:
        pin = {PAGE: "url", FEED: "rss_url", SEND: "url", STORE_FILE: "file_in"}[block]
        inputs[pin] = f"http://127.0.0.1:{self.server.port}/x"
        spec = graphs.CATALOGUE[block]
        pins = [*spec.happy_pins, *(name for name in ("client_error", "server_error") if block == SEND), "error"]
        nodes = [node("ask", block, policy, **inputs), *(node(pin, graphs.OUTPUT, name=pin) for pin in pins)]
        agent = await self.stand.agent(graph("Asks", nodes, [link("ask", pin, pin, "value") for pin in pins]))
        return (await self.stand.start(agent))["id"]

    async def ask(self, block: str, policy: JsonObject | None = None, **inputs: Json) -> Ended:
        run = await self.stand.reaches(await self.start(block, policy, **inputs), *FINAL)
        return Ended(run["status"], run["outputs"], run["stats"]["retries"])


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def street(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Street]:
    server = Listener()
    async with await asyncio.start_server(server.serve, "127.0.0.1", 0) as listening:
        server.port = listening.sockets[0].getsockname()[1]
        allowed = f"127.0.0.1:{server.port}"
        folder = tmp_path_factory.mktemp("street")
        async with open_embedded(folder, egress_allow=allowed) as opened, opened.stand() as stand:
            yield Street(stand, server)


CASES: list[tuple[str, JsonObject]] = [
    (PAGE, {}),
    (FEED, {"polling_rate": 1, "run_continuously": False}),
    (SEND, {"method": "GET"}),
    (SEND, {"body": {"a": 1}}),
    (STORE_FILE, {}),
]


@pytest.mark.parametrize(("block", "inputs"), CASES, ids=["page", "feed", "read", "write", "file"])
@pytest.mark.parametrize("answer", [BUSY, BROKEN, HUNG_UP], ids=["busy", "broken", "hung up"])
async def test_t1_what_passes_is_tried_again(street: Street, block: str, inputs: JsonObject, answer: bytes):
    street.answers(answer, FINE)
    run = await street.ask(block, TWICE, **inputs)
    assert (run.status, run.retries, len(street.server.asked)) == ("completed", 1, 2)
    assert run.outputs.keys().isdisjoint({"error", "client_error", "server_error"})
    keys = {headers.get("idempotency-key") for _, headers in street.server.asked}
    assert len(keys) == 1  # both tries are one effect


@pytest.mark.parametrize("block", [PAGE, SEND, STORE_FILE])
async def test_t1_the_rest_that_a_server_asks_for_is_obeyed(street: Street, block: str):
    street.answers(http(429, b"", Retry_After="3600"))
    run_id = await street.start(block, TWICE)
    await street.stand.reaches(run_id, "waiting")
    (again,) = [event for event in await street.stand.events(run_id) if event["type"] == "step.retry"]
    rest = datetime.fromisoformat(again["due"]) - datetime.fromisoformat(again["at"])
    assert rest.total_seconds() == pytest.approx(3600, abs=1)
    await street.stand.ann.http.post(f"/api/v1/runs/{run_id}/cancel")


@pytest.mark.parametrize(
    ("block", "inputs", "said"),
    [
        (PAGE, {}, "the page answered with status 429"),
        (FEED, {"polling_rate": 1}, "the feed answered with status 429"),
        (STORE_FILE, {}, "The address of the file answered with status 429."),
    ],
)
@pytest.mark.parametrize("policy", [None, TWICE])
async def test_t1_in_the_end_the_error_says_what_was_answered(
    street: Street, block: str, inputs: JsonObject, said: str, policy: JsonObject | None
):
    street.answers(BUSY)
    run = await street.ask(block, policy, **inputs)
    assert (run.status, run.outputs) == ("completed_with_errors", {"error": [said]})
    assert len(street.server.asked) == (2 if policy else 1)


@pytest.mark.parametrize(
    ("answer", "pin", "value"),
    [(BUSY, "client_error", "wait"), (BROKEN, "server_error", "oops")],
    ids=["busy", "broken"],
)
@pytest.mark.parametrize("policy", [None, TWICE])
async def test_t1_an_answer_to_a_request_has_its_pin_once_nothing_is_tried_again(
    street: Street, answer: bytes, pin: str, value: str, policy: JsonObject | None
):
    street.answers(answer)
    run = await street.ask(SEND, policy)
    assert (run.status, run.outputs) == ("completed", {pin: [value]})
    assert len(street.server.asked) == (2 if policy else 1)


async def test_t1_what_does_not_pass_is_asked_once(street: Street):
    street.answers(http(404, b"no"))
    run = await street.ask(PAGE, TWICE)
    assert (run.outputs, len(street.server.asked)) == ({"error": ["the page answered with status 404"]}, 1)
