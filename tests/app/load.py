"""Starts runs over HTTP until told to stop, and remembers which were acknowledged when."""

import json
import threading
import time
import urllib.request
from dataclasses import dataclass, field
from typing import Any

from tests.base.waiting import stay_until

THREADS = 4


@dataclass
class Load:
    """A few clients of one server."""

    url: str
    key: str
    agent_id: str
    acknowledged: list[tuple[float, str]] = field(default_factory=list[tuple[float, str]])  # when, which run
    _over: threading.Event = field(default_factory=threading.Event)
    _threads: list[threading.Thread] = field(default_factory=list[threading.Thread])

    def start(self) -> None:
        for _ in range(THREADS):
            self._threads.append(threading.Thread(target=self._ask))
            self._threads[-1].start()

    def stop(self) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()

    def await_more(self, count: int) -> None:
        """Until so many more runs were acknowledged."""
        wanted = len(self.acknowledged) + count
        stay_until(lambda: len(self.acknowledged) >= wanted or None)

    def until(self, moment: float) -> set[str]:
        """The runs that were acknowledged before this moment (`time.time`)."""
        return {run_id for at, run_id in self.acknowledged if at < moment}

    def _ask(self) -> None:
        while not self._over.is_set():
            run_id = self._start_one()
            self.acknowledged.append((time.time(), run_id))
            self._over.wait(0.1)

    def _start_one(self) -> str:
        path = f"/api/v1/agents/{self.agent_id}/runs"
        return post(self.url + path, {"inputs": {"n": 1}}, {"Authorization": f"Bearer {self.key}"})["id"]


def settle_owner(url: str, link: str) -> None:
    """Do what a person does with the set-up link."""
    person = {"name": "Owner", "email": "owner@example.org", "password": "long enough pw"}
    post(url + "/api/setup/owner", {"token": link.strip().partition("token=")[2], **person}, {"Origin": url})


def post(url: str, body: Any, headers: dict[str, str]) -> Any:
    headers = {"Content-Type": "application/json", **headers}
    request = urllib.request.Request(url, data=json.dumps(body).encode(), headers=headers)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)
