"""Private PostgreSQL, Redis and RabbitMQ servers on ports and folders of their own.

Each is a plain child process, started, paused, killed and restarted by its process id, so that a fault test
can do to it what the world does. Nothing here touches a server that it did not start.
"""

import os
import shutil
import signal
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path

from scripts.programs import (
    amqp_answers,
    free_port,
    group_of,
    postgres_program,
    program,
    rabbit_program,
    redis_answers,
    tail,
)

START_SECONDS = 60.0


class ServerStuck(RuntimeError):
    """The server did not answer in time; its log says why."""


class Server(ABC):
    """One server process and its folder. The data stays in the folder when it is killed and started again."""

    kind: str

    def __init__(self, folder: Path, *, port: int | None = None) -> None:
        self.folder = folder
        self.port = port or free_port()
        self.process: subprocess.Popen[bytes] | None = None

    @property
    @abstractmethod
    def url(self) -> str: ...

    @abstractmethod
    def command(self) -> Sequence[str]: ...

    @abstractmethod
    def answers(self) -> bool:
        """Whether the server speaks its protocol now."""

    @abstractmethod
    def prepare(self) -> None:
        """Make the folder ready; called before every start, so it must do nothing the second time."""

    def environment(self) -> Mapping[str, str]:
        return {}

    @property
    def run_as(self) -> str | None:
        """The account to run under when we are root."""
        return None

    @property
    def log(self) -> Path:
        return self.folder / "log"

    @property
    def pid(self) -> int:
        if self.process is None:
            raise ServerStuck(f"{self.kind} is not running")
        return self.process.pid

    def start(self) -> None:
        """Start and wait until it answers."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.own(self.folder)
        self.prepare()
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command(),
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, **self.environment()},
                start_new_session=True,
                user=self.run_as,
                group=group_of(self.run_as),
                extra_groups=None if self.run_as is None else [],
            )
        self.wait()

    def wait(self) -> None:
        """Wait until it answers."""
        deadline = time.monotonic() + START_SECONDS
        while not self.answers():
            if self.process is not None and self.process.poll() is not None:
                raise ServerStuck(f"{self.kind} ended at once; see {self.log}: {tail(self.log)}")
            if time.monotonic() > deadline:
                self.kill()
                raise ServerStuck(f"{self.kind} did not answer; see {self.log}: {tail(self.log)}")
            time.sleep(0.05)

    def stop(self) -> None:
        """Ask it to end, and wait."""
        self.end(self.stop_signal, grace=20)

    def kill(self) -> None:
        """End it with SIGKILL, as a machine does that loses power."""
        self.end(signal.SIGKILL, grace=10)

    def restart(self) -> None:
        """Stop when running, then start on the same port and folder."""
        self.stop()
        self.start()

    def pause(self) -> None:
        os.kill(self.pid, signal.SIGSTOP)

    def resume(self) -> None:
        os.kill(self.pid, signal.SIGCONT)

    def remove(self) -> None:
        """End it and delete its folder."""
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    stop_signal = signal.SIGTERM

    def end(self, how: signal.Signals, *, grace: float) -> None:
        if self.process is None:
            return
        if self.process.poll() is None:
            self.process.send_signal(how)
            try:
                self.process.wait(grace)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process = None

    def own(self, path: Path) -> None:
        if self.run_as is not None:
            shutil.chown(path, self.run_as, group_of(self.run_as))


class Postgres(Server):
    kind = "postgres"
    stop_signal = signal.SIGINT  # "fast": do not wait for clients

    @property
    def url(self) -> str:
        return f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    @property
    def run_as(self) -> str | None:
        return "postgres" if os.geteuid() == 0 else None  # PostgreSQL refuses to run as root

    def command(self) -> Sequence[str]:
        options = {"listen_addresses": "127.0.0.1", "unix_socket_directories": "", "max_connections": "400"}
        flags = [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
        return [postgres_program("postgres"), "-D", str(self.folder / "data"), "-p", str(self.port), *flags]

    def prepare(self) -> None:
        if not (self.folder / "data").exists():
            initdb = [postgres_program("initdb"), "-D", str(self.folder / "data"), "-U", "postgres", "-A", "trust"]
            subprocess.run(
                [*initdb, "-E", "UTF8", "--locale=C", "--no-sync"],
                check=True,
                capture_output=True,
                cwd=self.folder,
                user=self.run_as,
                group=group_of(self.run_as),
            )

    def answers(self) -> bool:
        ask = [postgres_program("pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        return subprocess.run(ask, check=False).returncode == 0


class Redis(Server):
    kind = "redis"

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def command(self) -> Sequence[str]:
        options = ("--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", str(self.folder))
        return [program("redis-server"), "--port", str(self.port), *options]

    def prepare(self) -> None:
        """Redis keeps nothing here."""

    def answers(self) -> bool:
        return redis_answers(self.port)


class RabbitMQ(Server):
    """A node of its own, with its own cookie and its own name server, so that no other node is seen or touched."""

    kind = "rabbitmq"

    def __init__(self, folder: Path, *, port: int | None = None) -> None:
        super().__init__(folder, port=port)
        self.node = f"ph{self.port}@localhost"
        self.names_port = free_port()
        self.link_port = free_port()
        self.names: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"amqp://guest:guest@127.0.0.1:{self.port}/"

    def environment(self) -> Mapping[str, str]:
        return {
            "HOME": str(self.folder),
            "ERL_EPMD_PORT": str(self.names_port),
            "ERL_EPMD_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODENAME": self.node,
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODE_PORT": str(self.port),
            "RABBITMQ_DIST_PORT": str(self.link_port),
            "RABBITMQ_MNESIA_BASE": str(self.folder / "data"),
            "RABBITMQ_LOG_BASE": str(self.folder),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(self.folder / "plugins"),
            "RABBITMQ_CONF_ENV_FILE": str(self.folder / "no-such-file"),
            "RABBITMQ_CONFIG_FILE": str(self.folder / "rabbitmq"),
            "RUNNING_UNDER_SYSTEMD": "true",  # the script then becomes the server instead of a parent of it
        }

    def prepare(self) -> None:
        (self.folder / "plugins").write_text("[].\n")
        (self.folder / "rabbitmq.conf").write_text("loopback_users.guest = true\n")
        if self.names is None or self.names.poll() is not None:
            ask = [program("epmd"), "-port", str(self.names_port), "-address", "127.0.0.1"]
            self.names = subprocess.Popen(ask, stdin=subprocess.DEVNULL, start_new_session=True)

    def command(self) -> Sequence[str]:
        return [rabbit_program("rabbitmq-server")]

    def answers(self) -> bool:
        return amqp_answers(self.port)

    def control(self, *words: str) -> str:
        """Run rabbitmqctl against this node."""
        ask = [rabbit_program("rabbitmqctl"), "--quiet", "--node", self.node, *words]
        environment = {**os.environ, **self.environment()}
        return subprocess.run(ask, check=True, capture_output=True, text=True, env=environment).stdout

    def remove(self) -> None:
        super().remove()
        if self.names is not None:
            self.names.kill()
            self.names.wait()


KINDS: Mapping[str, type[Server]] = {"postgres": Postgres, "redis": Redis, "rabbitmq": RabbitMQ}
