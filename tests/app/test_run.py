"""`pilothouse run` and `runs`: alone, beside a server, and on PostgreSQL."""

import signal
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pilothouse.kit.json import dumps
from tests.app.commands import Cli, Served
from tests.base.waiting import stay_until
from tests.faults.agents import Chain


def test_one_command_runs_a_file_on_a_fresh_machine(cli: Cli, greeter_file: Path):
    answer = cli("run", str(greeter_file), "--input", "who=42")
    assert (answer.code, answer.out) == (0, "greeting: Hello 42!\n")  # text stays text, however it looks
    assert "fill: completed" in answer.err
    assert [user["email"] for user in cli("user", "list", "--json").json()] == ["local@localhost"]


def test_running_a_file_twice_leaves_one_agent(cli: Cli, greeter_file: Path):
    first = cli("run", str(greeter_file), "--input", "who=you", "--json").json()
    second = cli("run", str(greeter_file), "--input", "who=them", "--input-json", "times=3", "--json").json()
    assert first["agent_id"] == second["agent_id"]
    assert second["inputs"] == {"who": "them", "times": 3}
    third = cli("run", first["agent_id"], "--input", "who=all", "--input", "times=2", "--quiet", "--json")
    assert third.json()["inputs"] == {"who": "all", "times": 2}
    assert third.err == f"Run {third.json()['id']}\n"
    assert len(cli("runs", "list", "--json").json()) == 3


@pytest.mark.parametrize(
    ("words", "code", "word"),
    [
        ((), 1, "The input 'who' is required."),
        (("--input", "who"), 2, "name=value"),
        (("--input-json", "who={"), 2, "not JSON"),
        (("--input", "who=x", "--input", "what=y"), 1, "no input 'what'"),
        (("--input", "who=x", "--user", "bob@example.org"), 1, "bob@example.org"),
    ],
)
def test_a_run_that_cannot_start_says_why_and_leaves_nothing(
    cli: Cli, greeter_file: Path, words: tuple[str, ...], code: int, word: str
):
    answer = cli("run", str(greeter_file), *words)
    assert answer.code == code
    assert word in answer.err
    with sqlite3.connect(cli.data_dir / "pilothouse.db") as database:
        assert database.execute("select count(*) from runs").fetchone() == (0,)


def test_y1_a_dry_run_needs_no_network_and_no_keys_and_is_the_same_every_day(cli: Cli, tmp_path: Path):
    """It never connects: nothing listens at that address, and the run completes."""
    path = tmp_path / "sends.json"
    send = Chain("sends").add("6595ae1f-b924-42cb-9a41-551a0611c4b4", "body", "response", url="http://192.0.2.1/")
    path.write_text(dumps(send.document()))
    words = ("--input", "n=1", "--dry-run", "--json")
    first = cli("run", str(path), *words)
    assert (first.code, first.json()["status"], first.json()["dry_run"]) == (0, "completed", True)
    by_id = cli("run", first.json()["agent_id"], *words)
    assert by_id.json()["outputs"] == first.json()["outputs"]
    recorded = cli("run", first.json()["agent_id"], "--input", "n=2", "--recorded", first.json()["id"], "--json")
    assert (recorded.code, recorded.json()["outputs"]) == (0, first.json()["outputs"])


def test_neither_an_agent_nor_a_file_is_a_wrong_call(cli: Cli):
    assert cli("run", "nothing-here").code == 2
    assert cli("run", "01a1de77-f769-7eca-a4d1-c433caabc52f").code == 1


def test_a_failed_run_exits_with_1(cli: Cli, tmp_path: Path):
    document = Chain("fails").add("6595ae1f-b924-42cb-9a41-551a0611c4b4", "body", "response").document()
    (tmp_path / "fails.json").write_text(
        dumps(document).replace('"inputs":{}', '"inputs":{"url":"http://127.0.0.1:1"}')
    )
    answer = cli("run", "fails.json", "--input", "n=1", "--json")
    assert answer.code == 1, answer
    assert '"status": "completed"' not in answer.out


def test_beside_a_server_the_server_works(cli: Cli, greeter_file: Path, serve: Callable[..., Served]):
    server = serve(cli)
    began = time.monotonic()
    answer = cli("run", str(greeter_file), "--input", "who=you", "--json")
    assert time.monotonic() - began < 10
    assert answer.json()["outputs"] == {"greeting": ["Hello you!"]}
    later = cli("run", answer.json()["agent_id"], "--input", "who=me", "--no-wait").out.strip()
    deadline = time.monotonic() + 10
    while (shown := cli("runs", "show", later, "--json").json())["status"] != "completed":
        assert time.monotonic() < deadline
    assert [step["node_id"] for step in shown["steps"]] == ["times", "who", "fill", "out"]
    assert cli("runs", "cancel", later, "--json").json()["cancelled"] is False
    assert server.stop() == 0


def test_a_run_that_nobody_works_on_can_be_cancelled(cli: Cli, greeter_file: Path):
    run_id = cli("run", str(greeter_file), "--input", "who=me", "--no-wait").out.strip()
    assert cli("runs", "list", "--status", "queued", "--json").json()[0]["id"] == run_id
    assert cli("runs", "cancel", run_id, "--json").json()["run"]["status"] == "cancelled"
    assert "cancelled" in cli("runs", "show", run_id).out
    assert cli("runs", "cancel", "01a1de77-f769-7eca-a4d1-c433caabc52f").code == 1


@pytest.mark.scaled
def test_on_postgres_it_works_itself_or_waits_for_a_worker(
    cli: Cli, greeter_file: Path, empty_postgres: str, serve: Callable[..., Served]
):
    cli.variables["PILOTHOUSE_DATABASE_URL"] = empty_postgres
    behind = cli("run", str(greeter_file), "--input", "who=you")
    assert (behind.code, "pilothouse migrate" in behind.err) == (1, True)
    assert cli("migrate").code == 0
    assert cli("run", str(greeter_file), "--input", "who=you").out == "greeting: Hello you!\n"
    worker = serve(cli, "worker")
    assert cli("run", str(greeter_file), "--input", "who=them").out == "greeting: Hello them!\n"
    assert worker.stop() == 0


def test_a_run_that_is_no_longer_waited_for_goes_on_later(cli: Cli, slow_file: Path, serve: Callable[..., Served]):
    cli.variables["PILOTHOUSE_TEST_BLOCKS"] = "true"
    waiting = cli.start("run", str(slow_file), "--input", "n=1")
    waiting.await_words("s2: completed")
    waiting.process.send_signal(signal.SIGINT)
    assert waiting.process.wait(30) == 130
    run_id = waiting.await_words("goes on when a server is started.*runs show (.*)").split()[-1]
    assert cli("runs", "show", run_id, "--json").json()["status"] == "queued"
    server = serve(cli)

    def steps() -> dict[str, int] | None:
        shown = cli("runs", "show", run_id, "--json").json()
        tried = {step["node_id"]: step["attempt"] for step in shown["steps"]}
        return tried if shown["status"] == "completed" else None

    assert stay_until(steps)["s1"] == 1
    assert server.stop() == 0
