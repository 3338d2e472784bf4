"""`pilothouse doctor` explains a broken set-up."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.app.commands import Answer, Cli, Served


def findings(answer: Answer) -> dict[str, Any]:
    told = cli_json(answer)
    return {finding["check"]: finding for finding in told}


def cli_json(answer: Answer) -> Any:
    return Answer(0, answer.out, answer.err).json()


def test_a_fresh_machine_is_not_broken_and_is_left_alone(cli: Cli):
    answer = cli("doctor")
    assert answer.code == 0
    assert "does not exist yet" in answer.out
    assert cli("doctor", "--strict").code == 1
    assert not cli.data_dir.exists()


def test_a_running_installation_is_well(cli: Cli, greeter_file: Path, serve: Callable[..., Served]):
    cli("run", str(greeter_file), "--input", "who=you")
    server = serve(cli)
    port = server.url.rpartition(":")[2]
    assert cli("backup").code == 0
    answer = cli("doctor", "--json", PILOTHOUSE_PORT=port)
    found = findings(answer)
    assert answer.code == 0
    assert {check for check, finding in found.items() if finding["level"] != "ok"} - {"sandbox"} == {"owner"}
    assert found["server"]["words"] == f"Ready on 127.0.0.1:{port}."
    assert all(finding["remedy"] for finding in found.values() if finding["level"] != "ok")


def test_secrets_that_others_can_read_are_found(cli: Cli, greeter_file: Path):
    cli("run", str(greeter_file), "--input", "who=you")
    key = cli.data_dir / "secrets" / "hmac_key"
    key.chmod(0o644)
    answer = cli("doctor")
    assert answer.code == 1
    assert f"chmod 0600 {key}" in answer.out
    assert key.read_text().strip() not in answer.out


def test_a_damaged_database_is_found(cli: Cli):
    cli("migrate")
    path = cli.data_dir / "pilothouse.db"
    path.write_bytes(b"not a database at all" * 1000)
    answer = cli("doctor", "--json")
    assert answer.code == 1
    assert findings(answer)["database"]["level"] == "fail"


@pytest.mark.parametrize(
    ("variables", "check"),
    [
        ({"PILOTHOUSE_BROKER_URL": "amqp://localhost:1"}, "profile"),
        ({"PILOTHOUSE_ENV": "production"}, "production"),
        ({"PILOTHOUSE_DATABASE_URL": "postgresql://me:hush@127.0.0.1:1/none"}, "database"),
        (
            {
                "PILOTHOUSE_DATABASE_URL": "postgresql://me:hush@127.0.0.1:1/none",
                "PILOTHOUSE_BROKER_URL": "amqp://me:hush@127.0.0.1:1",
                "PILOTHOUSE_REDIS_URL": "redis://me:hush@127.0.0.1:1",
            },
            "broker",
        ),
    ],
)
def test_what_is_broken_fails_with_a_remedy(cli: Cli, variables: dict[str, str], check: str):
    answer = cli("doctor", "--json", **variables)
    assert answer.code == 1
    found = findings(answer)[check]
    assert found["level"] == "fail"
    assert found["remedy"]
    assert "hush" not in answer.out + answer.err


def test_an_unknown_name_is_a_warning(cli: Cli):
    found = findings(cli("doctor", "--json", PILOTHOUSE_PROT="1"))["settings"]
    assert found["level"] == "warn"
    assert "PILOTHOUSE_PORT" in found["words"]
