"""Find, start and stop the services that the scaled profile needs: `python -m scripts.services up|down|status`.

`up` uses what already answers and starts the rest privately, in a folder of this repository; `down` ends only
what `up` started.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from scripts import packages
from scripts.programs import ServerMissing, amqp_answers, exchange, installed, redis_answers
from scripts.servers import KINDS, RabbitMQ, Server

STATE = Path(__file__).parent.parent / ".state" / "services"
RECORD = STATE / "services.json"

VARIABLES = {
    "postgres": "PILOTHOUSE_TEST_POSTGRES_URL",
    "redis": "PILOTHOUSE_TEST_REDIS_URL",
    "rabbitmq": "PILOTHOUSE_TEST_BROKER_URL",
}
PACKAGES = {"postgres": "postgresql", "redis": "redis-server", "rabbitmq": "rabbitmq-server"}
HOW_TO_GET = f"install {', '.join(PACKAGES.values())} with your package manager, then `make services`"


def find(kind: str) -> str | None:
    """The URL of a service that is meant for tests and answers: named, started by `up`, or at its usual port."""
    if named := os.environ.get(VARIABLES[kind]):
        return named
    recorded = read_record().get(kind)
    if recorded is not None and all(alive(pid) for pid in recorded["pids"]):
        return str(recorded["url"])
    return at_usual_port(kind)


def at_usual_port(kind: str) -> str | None:
    match kind:
        case "postgres":
            return "postgresql://postgres@127.0.0.1:5432/postgres" if postgres_trusts(5432) else None
        case "redis":
            return "redis://127.0.0.1:6379/0" if redis_answers(6379) else None
        case _:
            return "amqp://guest:guest@127.0.0.1:5672/" if amqp_answers(5672) else None


def postgres_trusts(port: int) -> bool:
    """Whether user `postgres` is let in without a password: the server's first word is then `R`, code 0."""
    body = b"\x00\x03\x00\x00user\x00postgres\x00database\x00postgres\x00\x00"
    answer = exchange(port, (len(body) + 4).to_bytes(4, "big") + body)
    return answer[:1] == b"R" and answer[5:9] == b"\x00\x00\x00\x00"


def install(kind: str) -> None:
    """Get the programs from Debian's packages; for machines that are made for one run."""
    try:
        packages.install(PACKAGES[kind])
    except packages.NotAllowed:
        raise ServerMissing(f"{kind} is not installed; {HOW_TO_GET}") from None


def start(kind: str, folder: Path) -> Server:
    """Start a private server; raises `ServerMissing` when its programs are not there."""
    if not installed(kind):
        raise ServerMissing(f"{kind} is not installed; {HOW_TO_GET}")
    server = KINDS[kind](folder)
    server.start()
    return server


def pids_of(server: Server) -> list[int]:
    return [process.pid for process in _processes(server)]


def let_go(server: Server) -> None:
    """It may outlive us. Without a code to return, Python would complain of that when we end."""
    for process in _processes(server):
        process.returncode = 0


def _processes(server: Server) -> list[subprocess.Popen[bytes]]:
    names = server.names if isinstance(server, RabbitMQ) else None
    return [process for process in (server.process, names) if process is not None]


def end(pids: list[int]) -> None:
    """End these processes, which we started, and wait until they are gone."""
    for pid in pids:
        if alive(pid):
            os.kill(pid, signal.SIGINT if pid == pids[0] else signal.SIGTERM)
    deadline = time.monotonic() + 5
    while any(alive(pid) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.05)
    for pid in filter(alive, pids):
        os.kill(pid, signal.SIGKILL)


def alive(pid: int) -> bool:
    """Whether this process runs (one that ended but was not yet reaped does not)."""
    try:
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat")
        return not state.exists() or state.read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (OSError, IndexError):
        return False


def read_record() -> dict[str, Any]:
    return dict(json.loads(RECORD.read_text())) if RECORD.exists() else {}


def up() -> int:
    """Make every service answer; the exit code says whether all do."""
    record, missing = read_record(), 0
    for kind in KINDS:
        try:
            if (url := find(kind)) is None:
                server = start(kind, folder_of(kind))
                url = server.url
                record[kind] = {"url": url, "pids": pids_of(server), "folder": str(server.folder)}
                RECORD.write_text(json.dumps(record, indent=2))
            print(f"export {VARIABLES[kind]}={url}")
        except ServerMissing as lack:
            missing += 1
            print(f"# {lack}", file=sys.stderr)
    return 1 if missing else 0


def folder_of(kind: str) -> Path:
    """A fresh folder that the account of the server can enter, whatever the mode of the way to this repository."""
    STATE.mkdir(parents=True, exist_ok=True)
    folder = Path("/var/tmp") / f"pilothouse-{kind}-{os.getpid()}"
    folder.mkdir(mode=0o755)
    return folder


def down() -> int:
    for kind, entry in read_record().items():
        end(entry["pids"])
        shutil.rmtree(entry["folder"], ignore_errors=True)
        print(f"{kind}: ended")
    RECORD.unlink(missing_ok=True)
    return 0


def status() -> int:
    found = {kind: find(kind) for kind in KINDS}
    for kind, url in found.items():
        print(f"{kind:9} {url or 'not found; ' + HOW_TO_GET}")
    return 0 if all(found.values()) else 1


if __name__ == "__main__":
    doings = {"up": up, "down": down, "status": status}
    sys.exit(doings[sys.argv[1] if len(sys.argv) > 1 else "status"]())
