"""Somebody who decides what agents ask, through the door of browsers, once they sleep over it."""

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import NamedTuple

import httpx2

from bench.load import Ask
from bench.site import Site
from bench.wire import Lines, as_bytes, lines_to
from pilothouse.base.reader import Reader
from pilothouse.kit.json import JsonObject, dumps
from tests.faults.place import PASSWORD

OFTEN = "100000000"  # requests a minute that a session may be given leave for
LOOK_SECONDS = 0.002
PATIENCE_SECONDS = 120


class Question(NamedTuple):
    """What a run asks."""

    review_id: str
    payload_hash: str


@dataclass(slots=True)
class Reviewer:
    """Signed in."""

    house: Site
    lines: Lines
    reader: Reader
    headers: tuple[tuple[str, str], ...]

    async def start(self, agent: str, inputs: JsonObject) -> str:
        """The run's id."""
        answer = await self.lines.call(as_bytes(self.house.accept_run(agent, inputs)))
        if answer.status != 201:
            raise RuntimeError(answer.body.decode())
        return str(answer.json()["id"])

    async def decide(self, question: Question, *, approved: bool) -> None:
        body = dumps({"decisions": [{**question._asdict(), "approved": approved}]})
        answer = await self.lines.call(
            as_bytes(Ask(f"{self.house.url}/api/reviews/decide", "POST", body, self.headers))
        )
        if answer.status != 200:
            raise RuntimeError(answer.body.decode())

    async def until_asleep(self, runs: int) -> None:
        """Until so many runs wait and hold no worker: their rows are committed."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while (await self.reader.rows("select count(*) from jobs where state='waiting'"))[0][0] < runs:
            if time.monotonic() > deadline:
                raise TimeoutError(f"not all of {runs} runs wait")
            await asyncio.sleep(LOOK_SECONDS)

    async def questions(self) -> Sequence[Question]:
        """All that are open."""
        sql = "select id, payload_hash from reviews where user_id=?1 and state='waiting'"
        return [Question(*row) for row in await self.reader.rows(sql, self.house.person.user_id)]

    async def times_asleep(self, run_id: str) -> int:
        """How often the run's log says that it gave its worker back."""
        rows = await self.reader.rows("select body from segments where log_id=?1", run_id)
        return sum(entry[0] == "p" for (body,) in rows for entry in json.loads(body))


@asynccontextmanager
async def reviewer(house: Site) -> AsyncGenerator[Reviewer]:
    headers = await _sign_in(house)
    reader = house.place.reader()
    async with lines_to(Ask(house.url)) as (lines, _):
        yield Reviewer(house, lines, reader, headers)
    await reader.close()


async def _sign_in(house: Site) -> tuple[tuple[str, str], ...]:
    words = {"email": "person0@example.com", "password": PASSWORD}
    async with httpx2.AsyncClient(base_url=house.url, trust_env=False) as http:
        answer = await http.post("/api/auth/login", json=words, headers={"Origin": house.url})
        if not answer.is_success:
            raise RuntimeError(answer.text)
    cookie = answer.headers["set-cookie"].partition(";")[0]
    token = str(answer.json()["csrf_token"])
    sent = {"Origin": house.url, "Cookie": cookie, "X-CSRF-Token": token, "Content-Type": "application/json"}
    return tuple(sent.items())
