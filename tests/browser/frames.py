"""What each frame cost the page's main thread, from the browser's own trace: no GPU and no quiet machine is assumed."""

import json
import tempfile
from bisect import bisect_left
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

CATEGORIES = ["devtools.timeline", "toplevel", "disabled-by-default-devtools.timeline"]


def frames_during(page: Page, act: Callable[[], None]) -> list[float]:
    """Milliseconds of main-thread work in each frame that was made while `act` ran."""
    browser = page.context.browser
    assert browser is not None
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "trace.json"
        browser.start_tracing(page=page, path=file, categories=CATEGORIES)
        act()
        browser.stop_tracing()
        return _costs(json.loads(file.read_text())["traceEvents"])


def _costs(events: list[dict[str, Any]]) -> list[float]:
    commits = [event for event in events if event.get("name") == "Commit" and event.get("ph") == "X"]
    threads = [(event["pid"], event["tid"]) for event in commits]
    if not threads:
        return []
    thread = max(set(threads), key=threads.count)  # another page of this browser may draw too
    ends = sorted(event["ts"] for event in commits if (event["pid"], event["tid"]) == thread)
    costs = [0.0] * len(ends)
    for task in events:
        if task.get("name") != "RunTask" or task.get("ph") != "X" or (task["pid"], task["tid"]) != thread:
            continue
        at = bisect_left(ends, task["ts"])  # the frame that this task led to, or was
        if at < len(ends):
            costs[at] += task["dur"] / 1000
    return costs


def p95(costs: list[float]) -> float:
    return sorted(costs)[int(len(costs) * 0.95)] if costs else 0.0
