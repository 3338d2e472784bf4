"""The bench must be able to fail: its exit code says whether every bar was met, and whether all was measured."""

import json
from pathlib import Path

import pytest

from bench import __main__ as bench
from bench.facts import NotDurable, sqlite_settings, tell_postgres
from bench.report import NotMeasured, Report
from bench.site import AS_DELIVERED, need_services
from pilothouse.base.postgres import dsn_of
from pilothouse.base.reader import PostgresReader
from tests import services
from tests.databases import tell


def test_all_bars_met_is_success():
    report = Report()
    report.at_most("time", 1, "ms", 1)
    report.at_least("rate", 1, "runs/s", 1)
    assert report.close() == 0


def test_a_missed_bar_fails():
    slow, few = Report(), Report()
    slow.at_most("time", 1.1, "ms", 1)
    few.at_least("rate", 0.9, "runs/s", 1)
    assert (slow.close(), few.close()) == (1, 1)


async def test_a_case_that_could_not_be_measured_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    async def impossible(report: Report, folder: Path) -> None:
        raise NotMeasured("fsync is off")

    async def without(report: Report, folder: Path) -> None:
        need_services()

    def missing(kind: str) -> str:
        raise services.ServiceMissing(f"{kind} not found")

    monkeypatch.setattr(services, "url_of", missing)
    monkeypatch.setattr(bench, "CASES", {"one": impossible, "two": without})
    monkeypatch.setattr(bench, "tell_machine", lambda: None)
    assert await bench.main([]) == 1
    said = capsys.readouterr().out
    assert "not run: one fsync is off" in said
    assert "not run: two postgres not found" in said


@pytest.mark.parametrize(("time", "rate", "worse"), [(1.2, 80, []), (1.21, 80, ["time"]), (0.5, 79, ["rate"])])
def test_what_got_more_than_a_fifth_worse_than_the_machine_s_baseline_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], time: float, rate: float, worse: list[str]
):
    path = tmp_path / "baseline.json"
    measured(1, 100).save(path)
    report = measured(time, rate)
    report.compare(path)
    assert report.misses == worse
    assert report.close() == (1 if worse else 0)
    assert all(f"worse: {name} " in capsys.readouterr().out for name in worse)


def measured(time: float, rate: float) -> Report:
    """Within its bars."""
    report = Report()
    report.at_most("time", time, "ms", 10)
    report.at_least("rate", rate, "runs/s", 1)
    return report


async def test_a_baseline_is_written_and_read_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    async def case(report: Report, folder: Path) -> None:
        report.at_most("time", 2, "ms", 10)
        report.say("cpu", 2, "ms")

    path = tmp_path / "baseline.json"
    path.write_text('{"other": 5, "time": 1}')
    monkeypatch.setattr(bench, "CASES", {"case": case})
    monkeypatch.setattr(bench, "tell_machine", lambda: None)
    monkeypatch.setenv("BENCH_BASELINE", str(path))
    assert await bench.main(["case"]) == 1
    monkeypatch.delenv("BENCH_BASELINE")
    monkeypatch.setenv("BENCH_SAVE", str(path))
    assert await bench.main(["case"]) == 0
    assert json.loads(path.read_text()) == {"other": 5, "time": 2}


def test_the_bench_reads_how_sqlite_commits():
    assert sqlite_settings() == {"journal_mode": "wal", "synchronous": "full"}


def test_the_bench_has_the_lease_of_the_product():
    assert AS_DELIVERED["LEASE_SECONDS"] == "4.0"


@pytest.mark.scaled
async def test_a_postgresql_that_does_not_wait_for_the_disk_is_not_measured(
    postgres_url: str, capsys: pytest.CaptureFixture[str]
):
    assert await told_of(postgres_url) is None
    assert "PostgreSQL: fsync on, synchronous_commit on" in capsys.readouterr().out
    name = postgres_url.rpartition("/")[2]
    await tell(postgres_url, f'alter database "{name}" set synchronous_commit = off')
    assert await told_of(postgres_url) == "PostgreSQL does not wait for the disk: fsync on, synchronous_commit off"


async def told_of(url: str) -> str | None:
    reader = PostgresReader(dsn_of(url), size=1)
    try:
        await tell_postgres(reader)
    except NotDurable as fault:
        return str(fault)
    finally:
        await reader.close()
    return None
