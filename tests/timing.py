"""Where the time of a test run went, folder by folder: what grows is seen while it is small."""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import PurePosixPath

import pytest

LEAST_SECONDS = 5.0  # folders below that are told together


def lines(reports: Iterable[pytest.TestReport]) -> list[str]:
    """Seconds of tests by folder, with what they needed made and taken down; nothing of a short run."""
    spent: defaultdict[str, float] = defaultdict(float)
    for report in reports:
        spent[folder_of(report.nodeid)] += report.duration
    most = sorted(spent.items(), key=lambda pair: -pair[1])
    long = [(folder, seconds) for folder, seconds in most if seconds >= LEAST_SECONDS]
    if not long:
        return []
    rest = sum(spent.values()) - sum(seconds for _, seconds in long)
    return [f"{seconds:6.0f} {folder}" for folder, seconds in [*long, ("all others", rest)]]


def folder_of(nodeid: str) -> str:
    """`tests/features/runs/test_x.py::test_y` is `features/runs`."""
    return str(PurePosixPath(nodeid.partition("::")[0]).parent.relative_to("tests"))
