"""Ways out that may reach this machine under the name `mail.test`, and trust its certificate; and a database."""

from collections.abc import AsyncGenerator, Generator

import pytest

from pilothouse.base.egress import EgressPolicy
from pilothouse.base.outside import GuardedOutside
from tests.base.outside.certificates import Certificates, make_certificates
from tests.base.outside.shop import Shop, open_shop
from tests.databases import empty_postgres

NAMES = {"mail.test": ["127.0.0.1"], "other.test": ["127.0.0.1"], "rebound.test": ["93.184.216.34", "127.0.0.1"]}


async def look_up(host: str, port: int) -> list[str]:
    if host not in NAMES:
        raise OSError("no such name")
    return NAMES[host]


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return make_certificates(tmp_path_factory.mktemp("certificates"), "mail.test")


@pytest.fixture
async def outside(certificates: Certificates) -> AsyncGenerator[GuardedOutside]:
    policy = EgressPolicy(["mail.test", "other.test"])
    async with GuardedOutside(policy, resolver=look_up, ssl_context=certificates.client) as opened:
        yield opened


@pytest.fixture(scope="module")
def shop_url() -> Generator[str]:
    """Mark the test `scaled`."""
    with empty_postgres() as url:
        yield url


@pytest.fixture
async def shop(shop_url: str) -> AsyncGenerator[Shop]:
    async with open_shop(shop_url) as opened:
        yield opened
