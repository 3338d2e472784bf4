"""What a running process tells: log lines without personal data, and metrics.

Metrics are counted where they happen. Those without labels cost well under a microsecond; where a label is
needed, `labels(...)` is called once per run or job, never per step.
"""

import logging
import sys
from collections.abc import MutableMapping
from typing import Any, Final, Literal, TextIO, cast

import structlog
from prometheus_client import CollectorRegistry, Counter, Gauge, generate_latest
from structlog.types import EventDict, Processor

from pilothouse.kit.json import dumps

REGISTRY: Final = CollectorRegistry()

COMMIT_GROUPS: Final = Counter("pilothouse_commit_groups", "Commits of the hot path.", registry=REGISTRY)
COMMIT_SETS: Final = Counter("pilothouse_commit_sets", "Write sets that those commits held.", registry=REGISTRY)
COMMIT_OUTAGES: Final = Counter(
    "pilothouse_commit_outages", "Times that the database could not be written.", registry=REGISTRY
)
JOBS_CLAIMED: Final = Counter("pilothouse_jobs_claimed", "Jobs that a worker of this process took.", registry=REGISTRY)
JOBS_FAULTED: Final = Counter("pilothouse_jobs_faulted", "Jobs handed on after a fault.", registry=REGISTRY)
JOBS_RUNNING: Final = Gauge("pilothouse_jobs_running", "Jobs that this process works on now.", registry=REGISTRY)
JOBS_REQUEUED: Final = Counter("pilothouse_jobs_requeued", "Jobs taken back from dead workers.", registry=REGISTRY)
LEASES_LOST: Final = Counter("pilothouse_leases_lost", "Times that this process lost its lease.", registry=REGISTRY)
JOBS_FORGOTTEN: Final = Counter(
    "pilothouse_jobs_forgotten", "Waiting jobs that had what they waited for, and were woken late.", registry=REGISTRY
)
RUNS_STUCK: Final = Counter("pilothouse_runs_stuck", "Runs taken up anew for doing nothing.", registry=REGISTRY)
RUNS_ENDED: Final = Counter("pilothouse_runs_ended", "Runs that ended, by status.", ["status"], registry=REGISTRY)
COST_UNKNOWN: Final = Counter(
    "pilothouse_cost_unknown", "Model calls whose provider did not say what they cost.", registry=REGISTRY
)


def exposition() -> bytes:
    """All metrics in the text format that Prometheus reads."""
    return generate_latest(REGISTRY)


# Never logged, under whatever key of the event or of a mapping in it.
PERSONAL: Final = frozenset(
    {"email", "name", "full_name", "username", "ip", "ip_address", "client", "remote_addr", "phone", "address"}
)
SECRET: Final = frozenset(
    {"token", "password", "secret", "authorization", "cookie", "api_key", "key", "csrf", "session_token", "credentials"}
)
_DROPPED: Final = PERSONAL | SECRET


def without_personal_data(_logger: object, _method: str, event: EventDict) -> EventDict:
    """Drop personal data and secrets; of a user's id keep the last 8 characters, enough to follow one through."""
    return cast(EventDict, _cleaned(event))


def _cleaned(event: MutableMapping[str, Any]) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    for key, value in event.items():
        if key == "user_id":
            kept["user"] = str(value)[-8:]
        elif key.lower() not in _DROPPED:
            kept[key] = _cleaned(cast(dict[str, Any], value)) if isinstance(value, dict) else value
    return kept


def configure_logging(
    level: Literal["debug", "info", "warning", "error"],
    form: Literal["auto", "console", "json"],
    stream: TextIO | None = None,
) -> None:
    """Send our own lines and those of libraries to one stream. Called once by the process that starts."""
    out = stream or sys.stderr
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
        without_personal_data,
    ]
    rendering = _rendering(out.isatty() if form == "auto" else form == "console")
    threshold = logging.getLevelNamesMapping()[level.upper()]
    structlog.configure(
        processors=[*shared, *rendering],
        wrapper_class=structlog.make_filtering_bound_logger(threshold),
        logger_factory=structlog.PrintLoggerFactory(out),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(out)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[structlog.stdlib.add_logger_name, *shared],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *rendering],
        )
    )
    logging.basicConfig(handlers=[handler], level=max(threshold, logging.WARNING), force=True)


def _rendering(for_people: bool) -> list[Processor]:
    if for_people:
        # The usual traceback for terminals prints local variables, and with them whatever they hold.
        return [structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)]
    return [structlog.processors.format_exc_info, structlog.processors.JSONRenderer(serializer=_line)]


def _line(event: object, **_: object) -> str:
    try:
        return dumps(event)
    except TypeError:  # a value that JSON does not know: a log line must never fail its writer
        return dumps({key: str(value) for key, value in cast(dict[str, Any], event).items()})
