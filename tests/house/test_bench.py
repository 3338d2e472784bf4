"""The bench must be able to fail: its exit code says whether every bar was met, and whether all was measured."""

import json
from pathlib import Path

import pytest

from bench import __main__ as bench
from bench.report import NotMeasured, Report


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

    async def skipped(report: Report, folder: Path) -> None:
        pytest.skip("redis not found")

    monkeypatch.setattr(bench, "CASES", {"one": impossible, "two": skipped})
    monkeypatch.setattr(bench, "tell_machine", lambda: None)
    assert await bench.main([]) == 1
    said = capsys.readouterr().out
    assert "not run: one fsync is off" in said
    assert "not run: two redis not found" in said


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
