"""Backups: made under load, restored whole, held until told."""

import shutil
import sqlite3
import stat
import time
import zipfile
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from pilothouse.app.backup.archive import Archive, Manifest, new_archive
from pilothouse.app.tables import metadata
from pilothouse.kit.json import dumps
from tests.app.commands import Cli, Forks, Served
from tests.app.drawer import Drawer
from tests.app.load import Load, settle_owner
from tests.base.waiting import stay_until
from tests.faults.agents import Chain
from tests.features.agents.graphs import greeter

PASSPHRASE = {"PILOTHOUSE_BACKUP_PASSPHRASE": "correct horse battery"}
SLOW = {"PILOTHOUSE_TEST_BLOCKS": "true", "PILOTHOUSE_USER_MAX_RUNS": "40", "PILOTHOUSE_MAX_PARALLEL_RUNS": "40"}


@pytest.fixture(scope="session")
def used_once(tmp_path_factory: pytest.TempPathFactory, forks: Forks) -> Path:
    """The data of an installation with a run and a file, to be copied."""
    cli = Cli(tmp_path_factory.mktemp("used"), forks)
    (cli.folder / "greeter.json").write_text(dumps(greeter()))
    assert cli("run", "greeter.json", "--input", "who=you").code == 0
    (cli.data_dir / "files" / "deep").mkdir(parents=True)
    (cli.data_dir / "files" / "deep" / "note.txt").write_bytes(b"kept \x00\xff")
    return cli.data_dir


@pytest.fixture
def used(cli: Cli, used_once: Path) -> Cli:
    """An installation with a run and a file."""
    shutil.copytree(used_once, cli.data_dir)
    return cli


@pytest.fixture
def busy_file(tmp_path: Path) -> Path:
    """An agent that is under way for a moment; needs the test blocks."""
    path = tmp_path / "busy.json"
    path.write_text(dumps(Chain("busy").sum().sleep(0.2).sum().sleep(1.0).document()))
    return path


def runs_by_id(cli: Cli) -> dict[str, Any]:
    return {run["id"]: run for run in cli("runs", "list", "--limit", "10000", "--json").json()}


def completed(cli: Cli, *run_ids: str) -> bool:
    runs = runs_by_id(cli)
    return all(runs[run_id]["status"] == "completed" for run_id in run_ids)


def restored(cli: Cli, folder: Path, path: str, *words: str, **variables: str) -> Cli:
    copy = Cli(folder, cli.forks, dict(cli.variables))
    folder.mkdir()
    answer = copy("restore", path, "--to", str(copy.data_dir), *words, **variables)
    assert answer.code == 0, answer.err
    assert "HELD" in answer.err
    return copy


def test_a_backup_under_load_restores_to_one_instant_and_goes_on_when_told(
    cli: Cli, busy_file: Path, tmp_path: Path, serve: Callable[..., Served]
):
    cli.variables |= SLOW
    server = serve(cli)
    settle_owner(server.url, cli("owner-link").out)
    agent_id = cli("import", str(busy_file)).out.strip()
    key = cli("key", "create", "--scope", "agents:run", "--rate-limit", "1000000").out.strip()
    load = Load(server.url, key, agent_id)
    load.start()
    try:
        load.await_more(12)
        began = time.time()
        made = cli("backup", str(tmp_path / "under-load.zip"), "--json").json()
        load.await_more(1)
    finally:
        load.stop()
    assert load.acknowledged[-1][0] > began  # it went on during the backup
    server.kill()

    copy = restored(cli, tmp_path / "copy", made["path"])
    found = runs_by_id(copy)
    promised = load.until(began)
    assert len(promised) > 3
    assert promised <= found.keys()
    unfinished = {run_id for run_id, run in found.items() if run["ended_at"] is None}
    assert unfinished
    assert datetime.fromisoformat(made["made_at"]).timestamp() >= began

    server = serve(copy)
    server.await_words("HELD")
    time.sleep(1.2)
    assert runs_by_id(copy) == found  # not one step further
    assert copy("resume").out == "Unfinished work goes on.\n"
    stay_until(lambda: completed(copy, *found) or None, why=lambda: copy("doctor").out)
    assert server.stop() == 0


def test_files_and_rows_come_back_and_secrets_only_when_asked(used: Cli, tmp_path: Path):
    made = used("backup", "--json").json()
    assert (made["files"], made["with_secrets"]) == (1, False)
    path = Path(made["path"])
    assert path.parent == used.data_dir / "backups"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    secret = (used.data_dir / "secrets" / "hmac_key").read_text().strip()
    with zipfile.ZipFile(path) as archive:
        assert not any(secret.encode() in archive.read(name) for name in archive.namelist())

    copy = restored(used, tmp_path / "copy", str(path), **PASSPHRASE)
    assert (copy.data_dir / "files" / "deep" / "note.txt").read_bytes() == b"kept \x00\xff"
    assert not (copy.data_dir / "secrets").exists()
    assert copy("runs", "list", "--json").json() == used("runs", "list", "--json").json()


def test_ws_files_of_the_workspace_come_back_byte_for_byte(cli: Cli, tmp_path: Path, serve: Callable[..., Served]):
    """Each with its id, its revisions and what is in the trash; and what is uploaded later is not among them."""
    server = serve(cli)
    settle_owner(server.url, cli("owner-link").out)
    key = cli("key", "create", "--scope", "files:read", "--scope", "files:write").out.strip()
    contents = {"/a b.bin": bytes(range(256)) * 5_000, "/deep/er/é.txt": "grüße\n".encode(), "/empty": b""}
    drawer = Drawer(server.url, key)
    made = {path: drawer.put(path, content) for path, content in contents.items()}
    drawer.put("/deep/er/é.txt", b"newer", overwrite=True)
    drawer.delete(drawer.put("/thrown away", b"trash")["id"])
    path = cli("backup", str(tmp_path / "b.zip"), "--with-secrets", **PASSPHRASE).out.strip()
    drawer.put("/later", b"later")
    listed, thrown = drawer.listed(), drawer.listed(deleted=True)
    server.kill()

    copy = restored(cli, tmp_path / "copy", path, **PASSPHRASE)
    drawer = Drawer(serve(copy).url, key)
    assert drawer.listed() == [file for file in listed if file["path"] != "/later"]
    assert drawer.listed(deleted=True) == thrown
    found = {path: drawer.get(file["id"]) for path, file in made.items()}
    assert found == {**contents, "/deep/er/é.txt": b"newer"}
    assert same_blobs(cli, copy, besides=b"later")


def same_blobs(one: Cli, other: Cli, besides: bytes) -> bool:
    """Old revisions and the trash too: the stores hold the same bytes."""

    def blobs(cli: Cli) -> list[bytes]:
        kept = [
            path for path in (cli.data_dir / "files").rglob("*") if path.is_file() and ".incoming" not in path.parts
        ]
        return sorted(path.read_bytes() for path in kept)

    return [blob for blob in blobs(one) if blob != besides] == blobs(other) != []


def test_secrets_travel_under_a_passphrase(used: Cli, tmp_path: Path):
    assert used("backup", "--with-secrets").code == 2  # nobody to ask
    assert used("backup", "--with-secrets", PILOTHOUSE_BACKUP_PASSPHRASE="short").code == 1
    path = used("backup", str(tmp_path / "sealed.zip"), "--with-secrets", **PASSPHRASE).out.strip()
    secret = (used.data_dir / "secrets" / "hmac_key").read_bytes().strip()
    with zipfile.ZipFile(path) as archive:
        assert not any(secret in archive.read(name) for name in archive.namelist())

    wrong = used("restore", path, "--to", str(tmp_path / "no"), PILOTHOUSE_BACKUP_PASSPHRASE="wrong horse battery")
    assert wrong.code == 1
    assert not (tmp_path / "no").exists()
    copy = restored(used, tmp_path / "copy", path, **PASSPHRASE)
    kept = copy.data_dir / "secrets" / "hmac_key"
    assert kept.read_bytes().strip() == secret
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700


def test_a_target_that_is_not_empty_is_refused_or_moved_aside(used: Cli, tmp_path: Path):
    path = used("backup", str(tmp_path)).out.strip()
    before = used("runs", "list", "--json").json()
    refused = used("restore", path, "--to", str(used.data_dir))
    assert refused.code == 1
    assert "--force" in refused.err
    assert used("runs", "list", "--json").json() == before

    forced = used("restore", path, "--to", str(used.data_dir), "--force", "--json").json()
    assert used("runs", "list", "--json").json() == before
    with sqlite3.connect(Path(forced["moved_aside"]) / "pilothouse.db") as old:
        assert old.execute("select count(*) from runs").fetchone() == (1,)
    assert not [each for each in used.data_dir.iterdir() if each.name.startswith(".restoring")]


def test_a_directory_that_is_served_is_not_restored_into(used: Cli, tmp_path: Path, serve: Callable[..., Served]):
    path = used("backup", str(tmp_path)).out.strip()
    server = serve(used)
    answer = used("restore", path, "--to", str(used.data_dir), "--force")
    assert answer.code == 1
    assert str(server.process.pid) in answer.err


@pytest.mark.parametrize("how", ["flipped", "shortened", "no zip", "other rows", "newer"])
def test_a_backup_that_is_not_whole_is_refused_and_leaves_nothing(used: Cli, tmp_path: Path, how: str):
    path = Path(used("backup", str(tmp_path)).out.strip())
    damage(path, how)
    target = tmp_path / "target"
    answer = used("restore", str(path), "--to", str(target))
    assert answer.code == 1
    assert answer.err.startswith("Error: ")
    assert "Traceback" not in answer.err
    assert not target.exists() or {each.name for each in target.iterdir()} <= {"serve.lock"}


def damage(path: Path, how: str) -> None:
    data = path.read_bytes()
    match how:
        case "flipped":
            middle = data.index(b"tables/segments.jsonl") + 60
            path.write_bytes(data[:middle] + bytes([data[middle] ^ 0xFF]) + data[middle + 1 :])
        case "shortened":
            path.write_bytes(data[: len(data) // 2])
        case "no zip":
            path.write_bytes(b"something else")
        case _:
            rewrite(path, how)


def rewrite(path: Path, how: str) -> None:
    """The same archive with other rows under the old sums, or said to be of a newer schema."""
    with zipfile.ZipFile(path) as old:
        members = {name: old.read(name) for name in old.namelist()}
    if how == "newer":
        members["manifest.json"] = members["manifest.json"].replace(b'"schema": "', b'"schema": "9')
    else:
        members["tables/runs.jsonl"] = members["tables/runs.jsonl"].replace(b"completed", b"cancelled")
    with zipfile.ZipFile(path, "w") as new:
        for name, content in members.items():
            new.writestr(name, content)


def test_a_name_that_points_out_of_the_directory_is_refused(cli: Cli, tmp_path: Path):
    path = tmp_path / "evil.zip"
    with new_archive(path) as archive:
        with archive.member("files/../../outside") as sink:
            sink.write(b"evil")
        archive.close_with(manifest(archive))
    answer = cli("restore", str(path), "--to", str(tmp_path / "a" / "target"))
    assert answer.code == 1
    assert not list(tmp_path.rglob("outside"))


def manifest(archive: Archive) -> Manifest:
    return Manifest("0001", "0.1.0", "2026-01-01T00:00:00+00:00", None, [], archive.members)


def test_every_column_is_of_a_kind_that_travels_between_databases():
    travels = {"String", "Text", "Integer", "BigInteger", "Boolean", "Moment", "JsonText"}
    assert {type(column.type).__name__ for table in metadata.tables.values() for column in table.columns} <= travels


@pytest.mark.scaled
def test_a_backup_moves_between_sqlite_and_postgres(
    used: Cli, tmp_path: Path, empty_postgres: str, serve: Callable[..., Served]
):
    before = used("runs", "list", "--json").json()
    agent_id = before[0]["agent_id"]
    left = used("run", agent_id, "--input", "who=later", "--no-wait").out.strip()
    path = used("backup", str(tmp_path)).out.strip()

    used.variables["PILOTHOUSE_DATABASE_URL"] = empty_postgres
    moved = restored(used, tmp_path / "moved", path)
    assert runs_by_id(moved).keys() == {left, before[0]["id"]}
    assert moved("run", agent_id, "--input", "who=you").code == 1  # held
    again = moved("restore", path, "--to", str(tmp_path / "again"))
    assert again.code == 1
    assert "--force" in again.err
    assert moved("restore", path, "--to", str(tmp_path / "again"), "--force").code == 0
    assert moved("resume").code == 0
    assert moved("run", agent_id, "--input", "who=you", "--quiet").out == "greeting: Hello you!\n"

    worker = serve(moved, "worker")
    busy = moved("restore", path, "--to", str(tmp_path / "busy"), "--force")
    assert (busy.code, "Stop every process" in busy.err) == (1, True)
    stay_until(lambda: completed(moved, left) or None)
    assert worker.stop() == 0

    back = moved("backup", str(tmp_path / "back.zip"), "--json").json()
    del used.variables["PILOTHOUSE_DATABASE_URL"]
    home = restored(used, tmp_path / "home", back["path"])
    assert len(runs_by_id(home)) == 3
