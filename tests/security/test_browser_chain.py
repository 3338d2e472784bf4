"""S8, S14: what a page of another site can do with our user's browser, and what a stranger learns at the door."""

from statistics import median
from time import process_time

import httpx2
import pytest
from sqlalchemy import delete

from pilothouse.base.actor import SYSTEM
from pilothouse.base.http.tables import rate_windows
from pilothouse.features.accounts import Passwords, local_actor
from pilothouse.features.accounts.operators import LOCAL_MAIL
from pilothouse.kit.json import dumps
from tests.security.rows import difference, snapshot
from tests.security.samples import Operation, operations
from tests.security.site import ORIGIN, OWNER, PASSWORD, Site
from tests.security.things import fill, own_values

pytestmark = pytest.mark.security

# The bodies that a page may send anywhere without asking first.
SIMPLE = (
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "text/plain",
    "text/plain; application/json",
    "text/plain, application/json",
    "",
)
FOREIGN = ["https://evil.example", "null", "http://localhost.evil.example", f"{ORIGIN}.evil.example", "file://", ""]


def changing(site: Site) -> list[Operation]:
    """What a browser with a session can change by sending something."""
    found = (ask for ask in operations(site.document) if ask.method != "GET" and ask.policy in {"user", "admin"})
    return [ask for ask in found if ask.body is not None]


async def test_a_body_that_needs_no_leave_is_not_read_as_json(site: Site):
    """Even from our own page: the declared type picks the parser."""
    wrong: list[str] = []
    async with await site.browser(site.owner) as browser:
        for operation in changing(site):
            path = fill(operation.path, await own_values(site, site.owner, operation.path))
            before = await snapshot(site.house.reader)
            for media in SIMPLE:
                headers = {"Content-Type": media, "If-Match": "*"}
                answer = await browser.request(operation.method, path, content=dumps(operation.body), headers=headers)
                if answer.status_code != 415:
                    wrong.append(f"{operation.label} {media}: {answer.status_code} {answer.text}")
            wrong += difference(before, await snapshot(site.house.reader))
    assert wrong == []


async def test_no_answer_may_be_read_by_a_foreign_page(site: Site):
    async with await site.browser(site.owner) as browser:
        for origin in FOREIGN:
            asked = {"Origin": origin, "Access-Control-Request-Method": "POST"}
            for answer in (
                await browser.get("/api/me", headers={"Origin": origin}),
                await browser.options("/api/agents", headers=asked),
                await browser.options("/api/v1/agents", headers=asked),
            ):
                assert [name for name in answer.headers if name.startswith("access-control-")] == []


async def login(site: Site, email: str, password: str, **headers: str) -> httpx2.Response:
    async with site.client(Origin=ORIGIN, **headers) as client:
        return await client.post("/api/auth/login", json={"email": email, "password": password})


async def test_no_cookie_that_was_there_before_becomes_the_session(site: Site):
    """Fixation: whatever was planted, the session that opens has a new name, and the planted one stays nobody's."""
    for planted in ("ph_session=planted", "ph_session=a; ph_session=b", "__Host-ph_session=planted"):
        answer = await login(site, OWNER, PASSWORD, Cookie=planted)
        assert answer.status_code == 200
        assert "planted" not in answer.headers["set-cookie"]
        async with site.client(Cookie=planted) as thief:
            assert (await thief.get("/api/me")).status_code == 401


@pytest.mark.parametrize("email", ["nobody@example.com", LOCAL_MAIL])
async def test_time_does_not_tell_who_can_sign_in(site: Site, email: str):
    """Whole requests, with hashes as in production; by processor time, which a busy machine does not stretch."""
    site.house.reception.passwords = Passwords()
    await site.house.reception.passwords.prepare()
    member = await site.person("member")
    async with site.house.units.write(SYSTEM) as work:
        await local_actor(work)

    async def cost(who: str) -> float:
        async with site.house.units.write(SYSTEM) as work:
            await work.session.execute(delete(rate_windows))
        start = process_time()
        assert (await login(site, who, "wrong")).status_code == 401
        return process_time() - start

    pairs = [(await cost(email), await cost(member.email)) for _ in range(11)]
    unknown, wrong = (median(side) for side in zip(*pairs, strict=True))
    assert 0.75 < unknown / wrong < 1.25
