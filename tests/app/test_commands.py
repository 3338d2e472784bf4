"""Every command does what it says, and says what went wrong."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from pilothouse.app.cli.lazy import COMMANDS, load
from pilothouse.base.settings_sources import NAMES
from pilothouse.kit.json import Json, dumps
from tests.app.commands import Cli, Served
from tests.features.agents.graphs import broken
from tests.graph.autogpt_files import MISSING, doubler, node


def test_every_command_is_listed_with_the_first_line_of_its_help():
    for name, entry in COMMANDS.items():
        help = load(name).help
        assert help.split("\n")[0] == entry.line, name


def test_help_loads_neither_the_house_nor_pydantic():
    code = (
        "import sys; sys.argv = ['pilothouse', '--help']\n"
        "from pilothouse.app.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print(sorted({'pydantic', 'sqlalchemy', 'fastapi', 'structlog'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=_path())
    assert "restore" in done.stdout
    assert done.stdout.endswith("[]\n")


def _path() -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "PYTHONPATH": "src"}


def test_config_tells_every_setting_and_masks_secrets(cli: Cli):
    cli.variables |= {"PILOTHOUSE_HMAC_KEY": "hush-hush-hush", "PILOTHOUSE_PROT": "1"}
    answer = cli("--data-dir", "elsewhere", "config", "--json")
    told = {row["name"]: row for row in answer.json()}
    assert len(told) == len(NAMES)
    assert told["PILOTHOUSE_HMAC_KEY"] == {"name": "PILOTHOUSE_HMAC_KEY", "value": "********", "source": "environment"}
    assert told["PILOTHOUSE_DATA_DIR"]["value"] == str(cli.folder / "elsewhere")
    assert told["PILOTHOUSE_DATA_DIR"]["source"] == "option"
    assert "Did you mean PILOTHOUSE_PORT?" in answer.err
    assert "hush" not in answer.out + answer.err


@pytest.mark.parametrize("words", [("serve",), ("config",), ("doctor",), ("runs", "list")])
def test_a_bad_setting_exits_with_2_and_names_it(cli: Cli, words: tuple[str, ...]):
    answer = cli(*words, PILOTHOUSE_PORT="hush")
    assert answer.code == 2
    assert "PILOTHOUSE_PORT" in answer.err
    assert "hush" not in answer.err
    assert not cli.data_dir.exists()


def test_people_come_and_go(cli: Cli):
    assert cli("user", "create", "ada@example.org", "--password-stdin", said="short\n").code == 1
    made = cli("user", "create", "Ada@example.org", "--admin", "--password-stdin", "--json", said="long enough pw\n")
    assert made.json()["role"] == "admin"
    again = cli("user", "create", "ada@example.org", "--password-stdin", said="long enough pw\n")
    assert (again.code, again.err) == (1, "Error: Somebody has this mail address already.\n")
    assert cli("user", "reset-password", "ada@example.org", "--password-stdin", said="another long one\n").code == 0
    assert cli("user", "disable", "ada@example.org").code == 0
    assert cli("user", "list", "--json").json()[0]["disabled_at"] is not None
    assert cli("user", "enable", "ada@example.org").code == 0
    assert cli("user", "list", "--json").json()[0]["disabled_at"] is None
    nobody = cli("user", "disable", "bob@example.org")
    assert (nobody.code, nobody.out, nobody.err) == (1, "", "Error: There is no such user.\n")
    wrong = cli("user", "create", "no-mail", "--password-stdin", said="long enough pw\n")
    assert wrong.code == 2


def test_a_key_is_shown_once_and_can_be_revoked(cli: Cli):
    cli("user", "create", "ada@example.org", "--password-stdin", said="long enough pw\n")
    words = ("--user", "ada@example.org", "--rate-limit", "99999", "--expires-days", "3")
    made = cli("key", "create", "--scope", "runs:read", "--scope", "agents:run", *words)
    assert made.out.startswith("ph_")
    [listed] = cli("key", "list", "--json").json()
    assert listed["scopes"] == ["agents:run", "runs:read"]
    assert listed["rate_limit_per_minute"] == 99999
    assert listed["expires_at"] > listed["created_at"]
    assert made.out.strip() not in str(listed)
    assert cli("key", "revoke", listed["prefix"]).code == 0
    assert cli("key", "list", "--json").json() == []
    assert cli("key", "revoke", listed["prefix"]).code == 1


def test_a_key_needs_a_scope_that_exists_and_somebody_to_speak_for(cli: Cli):
    assert cli("key", "create").code == 2
    wrong = cli("key", "create", "--scope", "everything")
    assert wrong.code == 2
    assert "agents:run" in wrong.err
    nobody = cli("key", "create", "--scope", "runs:read")
    assert nobody.code == 1
    assert "pilothouse owner-link" in nobody.err


def test_an_owner_link_replaces_the_one_before(cli: Cli):
    first, second = (cli("owner-link", "--json").json()["link"] for _ in range(2))
    assert first != second
    assert "/setup#token=" in second
    with sqlite3.connect(cli.data_dir / "pilothouse.db") as database:
        assert database.execute("select count(*) from setup_links").fetchone() == (1,)


def test_a_file_becomes_an_agent_and_then_its_next_version(cli: Cli, greeter_file: Path):
    made = cli("import", str(greeter_file), "--json").json()
    assert made["version"] == 1
    greeter_file.write_text(greeter_file.read_text().replace("Hello", "Good day"))
    again = cli("import", str(greeter_file), "--agent", made["agent_id"], "--json").json()
    assert (again["agent_id"], again["version"]) == (made["agent_id"], 2)


def test_an_import_tells_what_works_and_what_does_not(cli: Cli, tmp_path: Path):
    """engine:X6"""
    file = doubler()
    file["nodes"], file["user_id"] = [*cast(list[Json], file["nodes"]), node("odd", MISSING)], "u"
    (tmp_path / "theirs.json").write_text(dumps(file))
    tried = cli("import", "theirs.json", "--dry-run", "--json").json()
    assert tried["agent_id"] is None
    made = cli("import", "theirs.json", "--json").json()
    assert made["report"] == tried["report"]
    assert made["report"]["placeholders"] == [{"node_id": "odd", "block_id": MISSING}]
    told = cli("import", "theirs.json")
    assert told.out.strip()
    assert "3 of 4 nodes can run here." in told.err
    assert f"Placeholder: odd needs block {MISSING}." in told.err
    assert "Left out: user_id of $agent." in told.err
    assert "It cannot run as it is" in told.err
    assert cli("agent", "validate", "theirs.json").code == 1
    assert cli("agent", "diff", "theirs.json", made["agent_id"], "--positions").out == ""


def test_a_file_of_another_system_can_be_run_at_once(cli: Cli, tmp_path: Path):
    """engine:X7"""
    (tmp_path / "theirs.json").write_text(dumps(doubler()))
    run = cli("run", "theirs.json", "--input", "n=21", "--json").json()
    assert run["outputs"] == {"twice": [42]}
    assert cli("run", "theirs.json", "--input", "n=4", "--json").json()["agent_id"] == run["agent_id"]


@pytest.mark.parametrize(
    ("text", "code", "word"),
    [("{", 1, "not JSON"), ('{"format": "other/1"}', 1, "format"), (dumps(broken()), 1, "has no output")],
)
def test_a_file_that_holds_no_agent_is_refused_with_its_faults(
    cli: Cli, tmp_path: Path, text: str, code: int, word: str
):
    (tmp_path / "bad.json").write_text(text)
    answer = cli("import", "bad.json")
    assert answer.code == code
    assert word.lower() in answer.err.lower()


def test_blocks_can_be_searched(cli: Cli):
    found = cli("blocks", "template", "--json").json()
    assert [block["name"] for block in found] == ["Fill text template"]
    assert "format" in found[0]["inputs"]["properties"]
    assert "Fill text template" in cli("blocks").out


def test_migrate_says_what_it_did(cli: Cli):
    assert cli("migrate", "--json").json()["before"] is None
    assert "up to date" in cli("migrate").out


def test_a_second_server_on_one_directory_is_refused(cli: Cli, serve: Callable[..., Served]):
    server = serve(cli)
    answer = cli("serve", "--port", "0")
    assert answer.code == 1
    assert str(server.process.pid) in answer.err
    assert "PILOTHOUSE_DATA_DIR" in answer.err
    assert server.stop() == 0


@pytest.mark.parametrize("role", ["api", "worker", "scheduler"])
def test_sqlite_is_served_by_one_process_alone(cli: Cli, role: str):
    answer = cli(role)
    assert answer.code == 1
    assert "pilothouse serve" in answer.err


@pytest.mark.parametrize(
    ("variables", "word"),
    [
        ({"PILOTHOUSE_BROKER_URL": "amqp://x"}, "PILOTHOUSE_DATABASE_URL"),
        ({"PILOTHOUSE_BROKER_URL": "amqp://x", "PILOTHOUSE_DATABASE_URL": "postgresql://x/y"}, "PILOTHOUSE_REDIS_URL"),
        ({"PILOTHOUSE_ENV": "production"}, "PILOTHOUSE_PUBLIC_URL"),
        ({"PILOTHOUSE_DATABASE_URL": "hush"}, "postgresql://"),
        ({"PILOTHOUSE_DATABASE_URL": "mysql://me:hush@db/x"}, "postgresql://"),
    ],
)
def test_settings_that_do_not_fit_together_say_what_to_set(cli: Cli, variables: dict[str, str], word: str):
    answer = cli("serve", **variables)
    assert answer.code == 1
    assert word in answer.err
    assert "hush" not in answer.err
    assert not cli.data_dir.exists()


@pytest.mark.parametrize("words", [("migrate",), ("backup",), ("runs", "list"), ("owner-link",)])
def test_a_database_that_is_not_there_is_said_in_words(cli: Cli, words: tuple[str, ...]):
    cli.variables["PILOTHOUSE_DATABASE_URL"] = "postgresql://me:hush@127.0.0.1:1/none"
    answer = cli(*words, PILOTHOUSE_DATABASE_CONNECT_TIMEOUT="0.1")
    assert answer.code == 1
    assert "Error: The database does not answer." in answer.err
    assert "Traceback" not in answer.err
    assert "hush" not in answer.err


def test_an_sqlite_file_may_be_named_without_its_driver(cli: Cli):
    cli.data_dir.mkdir()
    cli.variables["PILOTHOUSE_DATABASE_URL"] = f"sqlite:///{cli.data_dir}/other.db"
    assert cli("user", "list", "--json").json() == []
    assert (cli.data_dir / "other.db").exists()


def test_commands_that_begin_at_the_same_moment_make_one_database(cli: Cli):
    begun = [cli.start("user", "list") for _ in range(3)]
    assert [each.process.wait(60) for each in begun] == [0, 0, 0], [each.said() for each in begun]
