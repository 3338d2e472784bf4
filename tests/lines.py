"""A part of Redis and of RabbitMQ that belongs to one test process alone."""

import shutil
import subprocess
import threading
import uuid
from collections.abc import Generator
from contextlib import contextmanager
from urllib.parse import urlsplit, urlunsplit

import redis

from scripts import services as house
from tests import services

CLAIM_SECONDS = 180  # renewed all the time: what a killed run had claimed is soon free again
RENEW_SECONDS = 30
RENEWER = "renews-our-claim"  # a thread of the tests, not of what they watch


@contextmanager
def own_redis() -> Generator[str]:
    """A logical database that nobody else uses. One that holds data we did not put there is never touched.

    Pub/sub knows no databases: channels must carry ids that no other test has.
    """
    server = services.need("redis")
    with redis.Redis.from_url(server) as root:
        number = claim_database(root, server)
        url = at_database(server, number)
        over = threading.Event()
        args = (server, claim_key(number), over)
        threading.Thread(target=_renew, args=args, name=RENEWER, daemon=True).start()
        try:
            yield url
        finally:
            over.set()
            flush(url)
            root.delete(claim_key(number))


def _renew(server: str, key: str, over: threading.Event) -> None:
    while not over.wait(RENEW_SECONDS):
        try:
            with redis.Redis.from_url(server) as root:
                root.expire(key, CLAIM_SECONDS)
        except redis.ConnectionError:
            continue  # it may be back at the next round


def claim_database(root: redis.Redis, server: str) -> int:
    """Databases we used before are marked, so that what a killed run left in them may be wiped."""
    for number in range(15, 0, -1):
        if not root.set(claim_key(number), services.run_name(), nx=True, ex=CLAIM_SECONDS):
            continue
        with redis.Redis.from_url(at_database(server, number)) as candidate:
            if candidate.dbsize() == 0 or root.exists(mark_key(number)):
                root.set(mark_key(number), "1")
                candidate.flushdb()
                return number
        root.delete(claim_key(number))
    raise services.ServiceMissing("every logical database of this Redis is in use; name another one")


def flush(url: str) -> None:
    with redis.Redis.from_url(url) as own:
        own.flushdb()


def claim_key(number: int) -> str:
    return f"pilothouse:test:claimed:{number}"


def mark_key(number: int) -> str:
    return f"pilothouse:test:used:{number}"


def at_database(server: str, number: int) -> str:
    return urlunsplit(urlsplit(server)._replace(path=f"/{number}"))


def new_prefix() -> str:
    """What the names of one installation's queues begin with: two that share them would hear each other's bells."""
    return f"ph_test_{uuid.uuid4().hex[:12]}"


def settings_of_lines(broker_url: str, redis_url: str) -> dict[str, str | int]:
    """For an installation that shares the servers with others: queues of its own, and few connections."""
    urls = {"broker_url": broker_url, "redis_url": redis_url}
    return {**urls, "broker_prefix": new_prefix(), "database_pool_size": 4}


@contextmanager
def own_rabbitmq() -> Generator[str]:
    """A virtual host of this process's own; where none can be made, the shared one (see `broker_prefix`)."""
    server = services.need("rabbitmq")
    name = f"ph_test_{services.run_name()}_{services.worker_name()}"
    if not made_vhost(server, name):
        yield server
        return
    try:
        yield urlunsplit(urlsplit(server)._replace(path=f"/{name}"))
    finally:
        control("delete_vhost", name)


def made_vhost(server: str, name: str) -> bool:
    """Only the system's own node can be controlled; a private one is ours alone anyway."""
    if server != house.at_usual_port("rabbitmq") or shutil.which("rabbitmqctl") is None:
        return False
    user = urlsplit(server).username or "guest"
    return control("add_vhost", name) and control("set_permissions", "-p", name, user, ".*", ".*", ".*")


def control(*words: str) -> bool:
    return subprocess.run(["rabbitmqctl", "--quiet", *words], check=False, capture_output=True).returncode == 0
