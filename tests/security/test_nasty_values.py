"""S2: in each field of each operation the values that databases, parsers and headers trip over, one at a time."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import httpx2
import pytest

from pilothouse.base.http.policy import takes_keys
from tests.security.callers import full_key, session
from tests.security.rows import Rows, difference, snapshot
from tests.security.samples import Operation, operations, resolved, without_twins
from tests.security.site import Person, Site
from tests.security.things import asked_of, fill, own_values

pytestmark = pytest.mark.security

TEXTS = ["\x00", "a\x00b", "😀" * 300, "x" * 20_000, "' or 1=1 --", "\r\nX-Evil: 1"]
NUMBERS = [-1, 2**31, 2**63, 2**64, 1e308, 0.5]
SHAPES: list[Any] = [None, True, [], [[[]]], {"\x00": "\x00"}, {"$ref": "#"}]
# By the methods that read them.
HEADERS = {
    ("idempotency-key", "POST"): ["", "é" * 129, "a\x00b"],
    ("prefer", "POST"): ["wait", "wait=99999", "wait=-1"],
    ("user-agent", "POST"): ["\xff\xfe", "a\x00b"],
    ("if-match", "PUT"): ["", '"v99999999999999999999"', "W/*,*"],
    ("if-match", "DELETE"): ["", '"v99999999999999999999"', "W/*,*"],
    ("if-none-match", "GET"): ['"v99999999999999999999"', "W/*,*"],
    ("last-event-id", "GET"): ["-1", "9" * 40, "\xff"],
}


class Ask(NamedTuple):
    """One request with one bad value."""

    where: str
    operation: Operation
    headers: dict[str, bytes]


def asks(operation: Operation, document: dict[str, Any]) -> Iterator[Ask]:
    told = document["paths"][operation.path][operation.method.lower()]
    for name in [ask["name"] for ask in told.get("parameters", ()) if ask["in"] == "query"]:
        for value in [*TEXTS, *map(str, NUMBERS)]:
            yield Ask(name, replace(operation, query={**operation.query, name: value}), {})
    for name in fields_of(told, document):
        for value in [*TEXTS, *NUMBERS, *SHAPES]:
            yield Ask(name, replace(operation, body={**operation.body, name: value}), {})
    for (header, method), texts in HEADERS.items():
        for text in texts if method == operation.method else ():
            yield Ask(header, operation, {header: text.encode()})


def fields_of(told: dict[str, Any], document: dict[str, Any]) -> list[str]:
    content = told.get("requestBody", {}).get("content", {}).get("application/json")
    if not content:
        return []
    schema = content["schema"].get("anyOf", [content["schema"]])[0]  # a body that may be left out is one or null
    found = resolved(schema["$ref"], document)
    if "oneOf" in found:  # the first of its forms, of which the sample is one too
        found = resolved(found["oneOf"][0]["$ref"], document)
    return list(found["properties"])


async def send(site: Site, ask: Ask, values: dict[str, str], headers: dict[str, str]) -> httpx2.Response:
    sent = {name.encode(): value.encode() for name, value in {"if-match": "*", **headers}.items()}
    sent |= {name.encode(): value for name, value in ask.headers.items()}
    operation = ask.operation
    async with site.client() as client:
        return await client.request(
            operation.method,
            fill(operation.path, values),
            params=asked_of(operation, values),
            json=operation.body,
            headers=list(sent.items()),
        )


class Round:
    """One person who tries all of it."""

    def __init__(self, site: Site, person: Person) -> None:
        self.site, self.person = site, person
        self.wrong: list[str] = []
        self.tried = 0

    async def go(self, operation: Operation) -> None:
        door = full_key if takes_keys(operation.path) else session
        values = await own_values(self.site, self.person, operation.path)
        headers = await door(self.site, self.person, operation)
        rows = await snapshot(self.site.house.reader)
        for ask in asks(operation, self.site.document):
            answer = await send(self.site, ask, values, headers)
            rows = await self._judge(ask, answer, rows)
            if "set-cookie" in answer.headers or (answer.is_success and operation.method == "DELETE"):
                values = await own_values(self.site, self.person, operation.path)
                headers = await door(self.site, self.person, operation)
                rows = await snapshot(self.site.house.reader)

    async def _judge(self, ask: Ask, answer: httpx2.Response, before: Rows) -> Rows:
        self.tried += 1
        looks = ask.operation.method == "GET"  # the route matrix holds that looking changes nothing
        after = before if looks else await snapshot(self.site.house.reader)
        changed = difference(before, after) if answer.is_error else []
        if answer.status_code >= 500 or changed:
            told = f"{ask.headers or ask.operation.query or ask.operation.body}"[:300]
            self.wrong.append(f"{ask.operation.label} {ask.where} in {told}: {answer.status_code} {changed}")
        return after


async def test_no_value_is_a_fault_of_ours_or_leaves_a_trace_when_refused(either_site: Site):
    tour = Round(either_site, await either_site.person("vandal"))
    paths = without_twins(either_site.document["paths"])
    for operation in operations(either_site.document):
        if operation.path in paths:
            await tour.go(operation)
    assert tour.wrong == []
    assert tour.tried > 800


@pytest.mark.parametrize("version", [True, "1", 1.5])
async def test_what_only_looks_like_a_number_is_refused(site: Site, version: Any):
    values = await own_values(site, site.owner, "/api/agents/{agent_id}")
    async with await site.browser(site.owner) as browser:
        path = f"/api/agents/{values['agent_id']}"
        assert (await browser.post(f"{path}/rollback", json={"version": version})).status_code == 422
        assert (await browser.post(f"{path}/runs", json={"version": version})).status_code == 422
