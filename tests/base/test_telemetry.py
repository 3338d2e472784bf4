"""Log lines can be read by programs and hold no personal data; metrics are there to be scraped."""

import io
import json
import logging
from collections.abc import Callable, Generator
from typing import Any

import pytest
import structlog

from pilothouse.base import telemetry
from pilothouse.base.telemetry import configure_logging

Lines = Callable[[], list[dict[str, Any]]]


@pytest.fixture
def stream() -> Generator[io.StringIO]:
    root = logging.getLogger()
    before = (list(root.handlers), root.level)
    yield io.StringIO()
    root.handlers[:], root.level = before[0], before[1]
    structlog.reset_defaults()


@pytest.fixture
def lines(stream: io.StringIO) -> Lines:
    configure_logging("info", "json", stream)
    return lambda: [json.loads(line) for line in stream.getvalue().splitlines()]


def test_a_line_is_one_json_object(lines: Lines):
    structlog.get_logger().info("run.ended", run_id="r1", steps=3)

    assert {key: lines()[0][key] for key in ("event", "level", "run_id", "steps")} == {
        "event": "run.ended",
        "level": "info",
        "run_id": "r1",
        "steps": 3,
    }


def test_personal_data_and_secrets_never_reach_a_line(lines: Lines, stream: io.StringIO):
    structlog.get_logger().warning(
        "login.refused",
        user_id="0199e0a2-1111-7222-8333-444455556666",
        email="ann@example.org",
        ip="203.0.113.7",
        detail={"password": "hunter2", "token": "t0ps3cret", "tries": 3},
        Authorization="Bearer abc",
    )

    line = lines()[0]
    assert line["user"] == "55556666"
    assert line["detail"] == {"tries": 3}
    for secret in ("ann@", "203.0.113", "hunter2", "t0ps3cret", "Bearer", "0199e0a2"):
        assert secret not in stream.getvalue()


def test_quieter_lines_than_asked_for_are_left_out(stream: io.StringIO):
    configure_logging("warning", "json", stream)
    structlog.get_logger().info("too.quiet")
    structlog.get_logger().warning("loud.enough")

    assert "too.quiet" not in stream.getvalue()
    assert "loud.enough" in stream.getvalue()


def test_libraries_write_the_same_lines(lines: Lines):
    logging.getLogger("some.library").warning("careful %s", "now")

    assert (lines()[0]["event"], lines()[0]["logger"]) == ("careful now", "some.library")


def test_a_traceback_shows_no_variables(stream: io.StringIO):
    configure_logging("info", "console", stream)
    try:
        _fail("-".join(["s3cret", "value"]))
    except RuntimeError:
        structlog.get_logger().error("oops", exc_info=True)

    assert "RuntimeError" in stream.getvalue()
    assert "s3cret-value" not in stream.getvalue()


def _fail(secret: str) -> None:
    raise RuntimeError(len(secret))


def test_a_value_that_json_does_not_know_does_not_fail_its_writer(lines: Lines):
    structlog.get_logger().info("odd", value=object())

    assert lines()[0]["event"] == "odd"


def test_metrics_can_be_scraped():
    telemetry.RUNS_ENDED.labels("completed").inc()

    text = telemetry.exposition().decode()

    assert 'pilothouse_runs_ended_total{status="completed"}' in text
    for name in ("jobs_claimed_total", "commit_groups_total", "commit_sets_total", "jobs_running"):
        assert f"pilothouse_{name} " in text
