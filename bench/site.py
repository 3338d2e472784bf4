"""Installations to measure, and the baseline, as real processes."""

import asyncio
import signal
import socket
import sys
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from bench.facts import tell_postgres
from bench.load import Ask
from bench.report import NotMeasured
from pilothouse.base.settings import Settings
from pilothouse.kit.json import JsonObject, dumps
from scripts.programs import ServerMissing, free_port
from tests import services
from tests.faults.place import Person, Place, embedded_place, furnish, scaled_place
from tests.lines import flush, own_rabbitmq, own_redis
from tests.places import disk_place

# As it is delivered, where the fault tests, whose places these are, have it otherwise.
AS_DELIVERED = {"LOG_LEVEL": "warning", "LEASE_SECONDS": str(Settings.model_fields["lease_seconds"].default)}


@dataclass(frozen=True, slots=True)
class Site:
    """A running installation."""

    url: str
    pids: list[int]
    people: list[Person]
    place: Place
    postgres: int | None = None  # the process that all of its others come from, if it is ours

    @property
    def person(self) -> Person:
        return self.people[0]

    @property
    def headers(self) -> tuple[tuple[str, str], ...]:
        """Those of a program with an API key."""
        return (("Authorization", f"Bearer {self.person.key}"), ("Content-Type", "application/json"))

    def start_run(self, agent: str, inputs: JsonObject) -> Ask:
        """A run with an API key, its result awaited."""
        ask = self.accept_run(agent, inputs)
        return replace(ask, headers=(*ask.headers, ("Prefer", "wait=10")))

    def accept_run(self, agent: str, inputs: JsonObject) -> Ask:
        """The same, answered as soon as it is committed."""
        url = f"{self.url}/api/v1/agents/{self.person.agents[agent]}/runs"
        return Ask(url, "POST", dumps({"inputs": inputs}), self.headers)


@asynccontextmanager
async def process(words: list[str], environment: Mapping[str, str], log: Path) -> AsyncGenerator[int]:
    with log.open("ab") as out:
        running = await asyncio.create_subprocess_exec(
            sys.executable, "-m", *words, env=dict(environment), stdout=out, stderr=out
        )
    try:
        yield running.pid
    finally:
        if running.returncode is None:
            running.send_signal(signal.SIGTERM)
            try:
                await asyncio.wait_for(running.wait(), 20)
            except TimeoutError:
                running.kill()
                await running.wait()


async def until_open(port: int, seconds: float = 60) -> float:
    """Wait until somebody listens; answers how long it took."""
    start = time.perf_counter()
    while time.perf_counter() - start < seconds:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return time.perf_counter() - start
        await asyncio.sleep(0.01)
    raise TimeoutError(f"nobody listens on {port}")


@asynccontextmanager
async def baseline(folder: Path) -> AsyncGenerator[tuple[Ask, int]]:
    """FastAPI's hello."""
    port = free_port()
    async with process(["bench.hello", str(port)], {**_environment(folder)}, folder / "hello.log") as pid:
        await until_open(port)
        yield Ask(f"http://127.0.0.1:{port}/"), pid


@asynccontextmanager
async def embedded(
    folder: Path, documents: Mapping[str, JsonObject], *, people: int = 1, **settings: str
) -> AsyncGenerator[Site]:
    with embedded_place(folder, **AS_DELIVERED, **settings) as place:
        guests = await furnish(place, documents, people=people)
        async with process(["pilothouse", "serve"], place.environment(), folder / "serve.log") as pid:
            await until_open(place.port)
            yield Site(f"http://127.0.0.1:{place.port}", [pid], guests, place)


def need_services() -> None:
    """Before anything that tests use asks for them: what is missing would be a skipped test there."""
    try:
        for kind in ("postgres", "redis", "rabbitmq"):
            services.url_of(kind)
    except (services.ServiceMissing, ServerMissing) as lack:
        raise NotMeasured(str(lack)) from lack


@contextmanager
def _lines():
    run = services.open_run(disk_place())
    try:
        need_services()
        with own_redis() as redis_url, own_rabbitmq() as broker_url:
            flush(redis_url)
            yield broker_url, redis_url
    finally:
        services.close_run(run)


@asynccontextmanager
async def scaled(
    folder: Path, documents: Mapping[str, JsonObject], *, people: int = 1, **settings: str
) -> AsyncGenerator[Site]:
    """One api and one worker over PostgreSQL, RabbitMQ and Redis."""
    told = {**AS_DELIVERED, **settings}
    with _lines() as (broker_url, redis_url), scaled_place(folder, broker_url, redis_url, None, **told) as place:
        guests = await furnish(place, documents, people=people)
        reader = place.reader()
        await tell_postgres(reader)
        await reader.close()
        environment = place.environment()
        async with (
            process(["pilothouse", "worker"], environment, folder / "worker.log") as worker,
            process(["pilothouse", "api"], environment, folder / "api.log") as api,
        ):
            await until_open(place.port)
            await asyncio.sleep(2)  # until the worker listens
            yield Site(f"http://127.0.0.1:{place.port}", [api, worker], guests, place, services.pid_of("postgres"))


def _environment(folder: Path) -> dict[str, str]:
    return Place(folder).environment()
