"""S1, H2, H14: every operation of the API document against everyone who may call it.

What must happen is computed from the policy that the route declares. A new route is covered when it is mounted; one
whose path names a new kind of thing fails here until `things.py` can make that thing.
"""

from typing import Any

import httpx2
import pytest

from pilothouse.base.actor import Role
from pilothouse.base.http import policies
from pilothouse.base.http.policy import takes_keys
from tests.security.callers import CALLERS, OPEN, Caller, full_key, session
from tests.security.rows import difference, snapshot
from tests.security.samples import Operation, operations
from tests.security.site import Person, Site
from tests.security.things import (
    ABSENT,
    HOUSE,
    MAKERS,
    SHARED,
    MakerMissing,
    asked_of,
    fill,
    names_in,
    own_values,
    owned_in,
)

pytestmark = pytest.mark.security

OF_THE_GATE = {"unauthenticated", "scope_missing", "csrf_failed", "origin_denied"}
# What these name in their bodies nobody made: steps (nobody works here), folders, files. Their 404 says so; that those
# of others are not found either, `tests/features/files/test_folders.py` holds.
NAMED_IN_THE_BODY = ("/fork", "/workspace/folders/move", "/workspace/move", "/workspace/zip")
UNDOCUMENTED = {"/api/openapi.json", "/{path:path}", "/api/ws"}  # the document itself, the pages, the socket


async def send(
    site: Site, operation: Operation, values: dict[str, str], headers: dict[str, str], method: str | None = None
) -> httpx2.Response:
    async with site.client(**{"If-Match": "*", **headers}) as client:
        return await client.request(
            method or operation.method,
            fill(operation.path, values),
            params=asked_of(operation, values),
            json=operation.body,
        )


def code_of(answer: httpx2.Response) -> str:
    return answer.json()["code"] if answer.status_code >= 400 else ""


def told(answer: httpx2.Response) -> tuple[int, Any]:
    return answer.status_code, {**answer.json(), "request_id": ""} if answer.content else None


def test_every_route_is_documented_with_its_policy(site: Site):
    documented = {(operation.method, operation.path): operation.policy for operation in operations(site.document)}
    declared = {(method, path): str(policy) for method, path, policy in policies(site.app) if path not in UNDOCUMENTED}
    assert documented == declared


def test_every_parameter_of_a_path_can_be_made(site: Site):
    for operation in operations(site.document):
        names_in(operation.path)
    with pytest.raises(MakerMissing, match=r"\{widget_id\}"):
        names_in("/api/widgets/{widget_id}")


class Visitor:
    """One caller on the way through all operations; signs in anew when an answer ended the session."""

    def __init__(self, site: Site, caller: Caller, person: Person) -> None:
        self.site, self.caller, self.person = site, caller, person
        self._headers: dict[str, dict[str, str]] = {}

    async def judge(self, operation: Operation, victims: dict[str, str]) -> list[str]:
        """What is wrong with the answer to this caller."""
        refusal = self.caller.refusal(operation)
        if refusal is None:
            victims = await own_values(self.site, self.person, operation.path)
        headers = await self._headers_for(operation)
        before = await snapshot(self.site.house.reader)
        answer = await send(self.site, operation, victims, headers)
        if "set-cookie" in answer.headers:
            self._headers.clear()
        got = (answer.status_code, code_of(answer))
        if refusal is not None:
            changed = difference(before, await snapshot(self.site.house.reader))
            return changed if got == refusal else [f"{operation.label}: {got} instead of {refusal}", *changed]
        shut = OF_THE_GATE | {"not_found"} | ({"forbidden"} if operation.policy == "admin" else set[str]())
        if operation.path.endswith(NAMED_IN_THE_BODY):
            shut = shut - {"not_found"}
        fine = operation.policy in OPEN or got[1] not in shut
        return [] if fine and got[0] < 500 else [f"{operation.label}: {got} {answer.text}"]

    async def _headers_for(self, operation: Operation) -> dict[str, str]:
        if operation.policy not in self._headers:
            self._headers[operation.policy] = await self.caller.headers(self.site, self.person, operation)
        return self._headers[operation.policy]


@pytest.mark.parametrize("name", CALLERS)
async def test_nobody_gets_further_than_the_policy_says(site: Site, name: str):
    caller = CALLERS[name]
    visitor = Visitor(site, caller, await site.person("visitor", caller.role))
    wrong: list[str] = []
    victims = await one_of_each(site, await site.person("victim"))
    for operation in operations(site.document):
        wrong += await visitor.judge(operation, {key: victims[key] for key in names_in(operation.path)})
    assert wrong == []


async def one_of_each(site: Site, person: Person) -> dict[str, str]:
    return {**SHARED, **{name: await make(site, person) for name, make in {**MAKERS, **HOUSE}.items()}}


async def test_what_belongs_to_another_is_as_if_it_did_not_exist(either_site: Site):
    """H2, H22, autopilot:1.6: by app and by key; an administrator too is nobody here."""
    site, wrong = either_site, list[str]()
    mallory = await site.person("mallory", Role.ADMIN)
    victims = await one_of_each(site, await site.person("victim"))
    headers = {
        False: await session(site, mallory, next(operations(site.document))),
        True: await full_key(site, mallory, next(operations(site.document))),
    }
    before = await snapshot(site.house.reader)
    tried = 0
    for operation in operations(site.document):
        for name in owned_in(operation.path):
            tried += 1
            names = names_in(operation.path)
            asks = [{**{key: victims[key] for key in names}, name: value} for value in (victims[name], ABSENT)]
            foreign, absent = [await send(site, operation, ask, headers[takes_keys(operation.path)]) for ask in asks]
            if foreign.status_code != 404 or told(foreign) != told(absent):
                wrong.append(f"{operation.label} {name}: {told(foreign)} and, if absent, {told(absent)}")
    assert wrong == []
    assert tried > 30
    assert difference(before, await snapshot(site.house.reader)) == []


@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_looking_changes_no_row(either_site: Site, method: str):
    """H14. Marks of last use are the only exception."""
    site, wrong = either_site, list[str]()
    person = await site.person("reader")
    values = await one_of_each(site, person)
    for operation in operations(site.document):
        if operation.method != "GET":
            continue
        door = full_key if takes_keys(operation.path) else session
        headers = await door(site, person, operation)
        before = await snapshot(site.house.reader)
        answer = await send(site, operation, {name: values[name] for name in names_in(operation.path)}, headers, method)
        changed = difference(before, await snapshot(site.house.reader))
        fine = {200, {"signed": 401, "admin": 403}.get(operation.policy, 200)}
        if changed or (method == "GET" and answer.status_code not in fine):
            wrong.append(f"{operation.label}: {answer.status_code} {changed}")
    assert wrong == []
