"""A caller that survives the death of what it calls, and remembers every acknowledgement."""

import asyncio
import time
import uuid
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from random import Random
from typing import Any

import httpx2

from tests.faults.agents import MIXED
from tests.faults.history import Ack, History
from tests.faults.place import Person


@dataclass(slots=True)
class Client:
    """Speaks `/api/v1` with an API key."""

    http: httpx2.AsyncClient
    person: Person
    history: History
    patience: float = 0.0  # seconds for which it asks again, under the same key, when nobody answers
    asked_again: int = 0

    @classmethod
    @asynccontextmanager
    async def open(cls, port: int, person: Person, history: History) -> AsyncGenerator["Client"]:
        headers = {"Authorization": f"Bearer {person.key}"}
        url = f"http://127.0.0.1:{port}"
        async with httpx2.AsyncClient(base_url=url, headers=headers, timeout=30, trust_env=False) as http:
            yield cls(http, person, history)

    async def ask(self, agent: str, n: int, key: str | None = None) -> httpx2.Response:
        """One request to start a run, whatever comes of it."""
        headers = {"Idempotency-Key": key} if key else {}
        path = f"/api/v1/agents/{self.person.agents[agent]}/runs"
        return await self.http.post(path, json={"inputs": {"n": n}}, headers=headers)

    async def start(self, agent: str, n: int) -> str | None:
        """Start a run under a new key; None when nobody acknowledged it for as long as we have patience."""
        key = uuid.uuid4().hex
        self.history.keys.add(key)
        deadline = time.monotonic() + self.patience
        while (run_id := await self._start(agent, n, key)) is None and time.monotonic() < deadline:
            self.asked_again += 1
            await asyncio.sleep(0.1)
        return run_id

    async def _start(self, agent: str, n: int, key: str) -> str | None:
        try:
            answer = await self.ask(agent, n, key)
        except httpx2.TransportError as error:
            self.history.note("unanswered", agent=agent, n=n, error=type(error).__name__)
            return None
        if answer.status_code == 503:
            self.history.note("refused", agent=agent, n=n, why=answer.text)
            return None
        assert answer.status_code == 201, answer.text
        run_id = answer.json()["id"]
        self.history.acknowledged(Ack(run_id, agent, n))
        return run_id

    async def start_some(self, random: Random, count: int, agents: list[str] | None = None) -> list[str]:
        """Start a mixture at once; answers the acknowledged ones."""
        asks = [self.start(random.choice(agents or MIXED), random.randrange(3)) for _ in range(count)]
        return [run_id for run_id in await asyncio.gather(*asks) if run_id is not None]

    async def get(self, run_id: str) -> dict[str, Any]:
        answer = await self.http.get(f"/api/v1/runs/{run_id}")
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def cancel(self, run_id: str) -> dict[str, Any]:
        answer = await self.http.post(f"/api/v1/runs/{run_id}/cancel")
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def ended(self, run_id: str, seconds: float = 30) -> dict[str, Any]:
        """The run once it has ended."""
        async with asyncio.timeout(seconds):
            while (run := await self.get(run_id))["ended_at"] is None:
                await asyncio.sleep(0.03)
        return run
