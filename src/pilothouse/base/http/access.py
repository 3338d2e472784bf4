"""Those who are told of every request: the log and the counters."""

import structlog
from prometheus_client import CollectorRegistry, Counter, Histogram

from pilothouse.base.http.middleware import Access, Observer


def log_accesses() -> Observer:
    """One line a request; who asked and for what stays out of it. Logging must be configured before."""
    log = structlog.get_logger("pilothouse.access").bind()

    def observe(access: Access) -> None:
        log.info(
            "request",
            method=access.method,
            route=access.route,
            status=access.status,
            ms=round(access.seconds * 1000, 2),
            request_id=access.request_id,
        )

    return observe


def count_accesses(registry: CollectorRegistry) -> Observer:
    """Counters by route and status, and seconds by route."""
    requests = Counter("pilothouse_http_requests", "Requests.", ["method", "route", "status"], registry=registry)
    seconds = Histogram("pilothouse_http_seconds", "Seconds per request.", ["route"], registry=registry)
    # Finding a labelled child costs more than counting.
    known: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}

    def observe(access: Access) -> None:
        key = access.method, access.route, access.status
        pair = known.get(key)
        if pair is None:
            pair = known[key] = requests.labels(*key), seconds.labels(access.route)
        pair[0].inc()
        pair[1].observe(access.seconds)

    return observe
