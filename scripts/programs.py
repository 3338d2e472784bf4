"""Where the programs of the servers are, and whether something answers on a loopback port."""

import glob
import os
import pwd
import random
import shutil
import socket
from contextlib import suppress
from pathlib import Path


class ServerMissing(RuntimeError):
    """The program of this server is not installed."""


def free_port() -> int:
    """A loopback port that nobody listens on at this moment.

    Below those that the system gives to outgoing connections: a server that was killed must get its port again.
    """
    while True:
        port = random.SystemRandom().randrange(15_000, 32_000)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def program(name: str) -> str:
    """Where this program is, also in the folders that only root has in its path."""
    found = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin:/opt/homebrew/bin")
    if found is None:
        raise ServerMissing(f"{name} is not installed")
    return found


def postgres_program(name: str) -> str:
    """Debian keeps the server programs out of the path, by version; the newest is taken."""
    versions = sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"), key=lambda path: int(path.split("/")[4]))
    return versions[-1] if versions else program(name)


def rabbit_program(name: str) -> str:
    """The program itself, not Debian's wrapper, which insists on the system's own node."""
    plain = Path("/usr/lib/rabbitmq/bin") / name
    return str(plain) if plain.exists() else program(name)


def installed(kind: str) -> bool:
    """Whether a private server of this kind could be started here."""
    try:
        match kind:
            case "postgres":
                postgres_program("postgres")
            case "redis":
                program("redis-server")
            case _:
                rabbit_program("rabbitmq-server")
                program("epmd")
    except ServerMissing:
        return False
    return True


def redis_answers(port: int) -> bool:
    return exchange(port, b"PING\r\n").startswith(b"+PONG")


def amqp_answers(port: int) -> bool:
    return exchange(port, b"AMQP\x00\x00\x09\x01").startswith(b"\x01")


def exchange(port: int, words: bytes) -> bytes:
    """Say something on a loopback port and read the first of the answer; empty when nobody answers."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=2) as line:
            line.settimeout(2)
            line.sendall(words)
            return line.recv(64)
    except OSError:
        return b""


def group_of(account: str | None) -> int | None:
    return None if account is None else pwd.getpwnam(account).pw_gid


def tail(path: Path) -> str:
    return path.read_text(errors="replace")[-800:] if path.exists() else ""
