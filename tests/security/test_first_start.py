"""S15, H24: what a fresh installation leaves open, readable or known. Nothing."""

import sqlite3
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx2
import pytest

from tests.security.graphs import greeter
from tests.security.installation import Installation, listening, start
from tests.security.samples import operations
from tests.security.site import api_document
from tests.security.things import ABSENT, SHARED, fill, names_in

pytestmark = pytest.mark.security

LOOPBACK = "0100007F"
GUESSES = [("admin", "admin"), ("admin@example.com", "admin"), ("admin@localhost", "password"), ("root", "pilothouse")]


@pytest.fixture(scope="module")
def fresh() -> Generator[Installation]:
    """Started once, and nobody has been there yet."""
    with TemporaryDirectory() as home, TemporaryDirectory() as logs:
        made = start(Path(home), Path(logs))
        yield made
        made.served.kill()


def test_one_port_is_open_and_only_to_this_machine(fresh: Installation):
    port = httpx2.URL(fresh.served.url).port
    assert listening(fresh.served.process.pid) == [(LOOPBACK, port)]


def test_only_its_owner_can_read_what_it_keeps(fresh: Installation):
    assert fresh.data.stat().st_mode & 0o777 == 0o700
    assert (fresh.data / "secrets").stat().st_mode & 0o777 == 0o700
    secrets = [path for path in (fresh.data / "secrets").iterdir()]
    assert len(secrets) >= 4
    assert {path.stat().st_mode & 0o777 for path in secrets} == {0o600}
    assert [path for path in fresh.files() if not path.is_relative_to(fresh.data)] == []


def test_nobody_has_an_account_or_a_key(fresh: Installation):
    with closing(sqlite3.connect(f"file:{fresh.data / 'pilothouse.db'}?mode=ro", uri=True)) as database:
        for table in ("users", "api_keys", "login_sessions"):
            assert database.execute(f"select count(*) from {table}").fetchone() == (0,)


def test_the_set_up_token_is_in_no_file(fresh: Installation):
    assert len(fresh.setup_token) >= 22
    assert fresh.holding(fresh.setup_token) == []


def test_everything_but_set_up_health_and_pages_is_shut(fresh: Installation):
    """Also with whatever somebody might guess."""
    proofs = [{}, {"Authorization": "Bearer ph_00000000_" + "A" * 43}, {"Cookie": "ph_session=" + "A" * 43}]
    assert [complaint for proof in proofs for complaint in ajar(fresh, proof)] == []


def ajar(fresh: Installation, proof: dict[str, str]) -> Iterator[str]:
    """What answers with anything but 503, or does not answer although it must."""
    with fresh.client(**proof) as client:
        for operation in operations(api_document()):
            values = {name: SHARED.get(name, ABSENT) for name in names_in(operation.path)}
            path = fill(operation.path, values)
            answer = client.request(operation.method, path, params=operation.query, json=operation.body)
            if (answer.status_code == 503) == (operation.policy == "setup") or answer.status_code == 201:
                yield f"{operation.label} {[*proof]}: {answer.status_code} {answer.text}"


@pytest.mark.parametrize(("email", "password"), GUESSES)
def test_no_password_that_one_would_guess_opens_anything(fresh: Installation, email: str, password: str):
    with fresh.client() as client:
        assert client.post("/api/auth/login", json={"email": email, "password": password}).status_code == 503
        words = {"token": "setup" * 10, "name": "x", "email": "a@b.c", "password": "a long enough password"}
        assert client.post("/api/setup/owner", json=words).status_code == 410


@dataclass
class Life:
    """What somebody did with an installation, and every word of it that must stay theirs."""

    installation: Installation
    secrets: dict[str, str] = field(default_factory=dict[str, str])
    personal: dict[str, str] = field(default_factory=dict[str, str])
    first_log: list[str] = field(default_factory=list[str])
    second_log: str = ""


def live(installation: Installation) -> Life:
    """Set up, sign in wrongly and rightly, make a key, run an agent."""
    life = Life(installation)
    life.personal = {"mail": "canary-mail@example.com", "name": "Canary Name", "input": "canary-input"}
    life.secrets = {"password": "canary-password-1", "wrong password": "canary-password-2"}
    life.secrets["set-up token"] = installation.setup_token
    who = {"name": life.personal["name"], "email": life.personal["mail"], "password": life.secrets["password"]}
    with installation.client(Origin=installation.served.url) as browser:
        made = browser.post("/api/setup/owner", json={"token": life.secrets["set-up token"], **who})
        assert made.status_code == 201, made.text
        login = {"email": who["email"], "password": life.secrets["wrong password"]}
        assert browser.post("/api/auth/login", json=login).status_code == 401
        signed_in = browser.post("/api/auth/login", json={**login, "password": who["password"]})
        life.secrets["cookie"] = browser.cookies["ph_session"]
        life.secrets["csrf token"] = browser.headers["X-CSRF-Token"] = signed_in.json()["csrf_token"]
        scopes = ["agents:write", "agents:run", "runs:read"]
        key = browser.post("/api/api-keys", json={"name": "canary", "scopes": scopes})
        life.secrets["api key"] = key.json()["key"]
    run_something(life)
    life.first_log = installation.log_lines()
    return life


def run_something(life: Life) -> None:
    with life.installation.client(Authorization=f"Bearer {life.secrets['api key']}") as program:
        agent = program.post("/api/v1/agents", json={"graph": greeter(name=life.personal["name"])}).json()
        path, ask = f"/api/v1/agents/{agent['id']}/runs", {"inputs": {"who": life.personal["input"]}}
        ended = program.post(path, json=ask, headers={"Prefer": "wait=20"})
        assert ended.json()["outputs"] == {"greeting": [f"Hello {life.personal['input']}!"]}
        program.get(f"/api/v1/agents?token={life.secrets['api key']}&who={life.personal['mail']}")
        program.get(f"/api/v1/{life.personal['mail']}")
        program.post(path, content=f'{{"inputs": "{life.personal["input"]}"'.encode())


@pytest.fixture(scope="module")
def life() -> Generator[Life]:
    with TemporaryDirectory() as home, TemporaryDirectory() as logs:
        first = start(Path(home), Path(logs))
        lived = live(first)
        first.served.stop()
        again = start(Path(home), Path(logs))
        again.served.stop()
        lived.second_log = again.served.said()
        yield lived


def test_the_logs_name_nobody_and_tell_no_secret(life: Life):
    told = "\n".join(life.first_log)
    assert told.count('"route"') > 5, "the log tells of requests"
    for what, word in {**life.secrets, **life.personal}.items():
        assert word not in told, what
        assert word not in life.second_log, what


def test_a_second_start_offers_no_link(life: Life):
    assert "token" not in life.second_log


def test_no_secret_is_kept_as_it_is(life: Life):
    kept = {what: life.installation.holding(word) for what, word in life.secrets.items()}
    assert kept == {what: [] for what in kept}


def test_two_installations_share_no_secret(fresh: Installation, life: Life):
    for path in (fresh.data / "secrets").iterdir():
        assert path.read_bytes() != (life.installation.data / "secrets" / path.name).read_bytes()
