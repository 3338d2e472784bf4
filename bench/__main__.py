"""`make bench`: one figure a line, each with its bar, beside a baseline measured in the same run.

`python -m bench [b11 b11s b12 b14 ...]` measures some cases only. It fails when a bar is missed, when a case could not
be measured, and with `BENCH_BASELINE=file` when a figure is more than a fifth worse than in that file, which
`BENCH_SAVE=file` writes.
"""

import os
import sys
import tempfile
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import TypeAlias

import uvloop

from bench.cases import b11, b12, b13, b14
from bench.chat_cases import b15, b16, b17
from bench.facts import tell_machine
from bench.graph_cases import validation
from bench.growth_case import b7
from bench.report import NotMeasured, Report
from bench.run_cases import b2, b3, b4, b5, b6
from bench.step_case import b10
from tests.places import disk_place

RUNS = (b2, b3, b4, b5, b6, b7, b12, b13)
BOTH = ((False, ""), (True, "s"))
Case: TypeAlias = Callable[[Report, Path], Awaitable[None]]

CASES: dict[str, Case] = {
    "b11": partial(b11, scaled=False),
    "b11s": partial(b11, scaled=True),
    **{f"{case.__name__}{tail}": partial(case, wide=wide) for wide, tail in BOTH for case in RUNS},
    "b10": b10,
    "b14": b14,
    **{f"{case.__name__}{tail}": partial(case, wide=wide) for wide, tail in BOTH for case in (b15, b16, b17)},
    "validate": validation,
}


async def main(names: list[str]) -> int:
    report = Report()
    tell_machine()
    for name in names or CASES:
        with tempfile.TemporaryDirectory(prefix="pilothouse-bench-", dir=disk_place()) as folder:
            try:
                await CASES[name](report, Path(folder))
            except NotMeasured as lack:
                report.skip(name, str(lack))
    if before := os.environ.get("BENCH_BASELINE"):
        report.compare(Path(before))
    if saved := os.environ.get("BENCH_SAVE"):
        report.save(Path(saved))
    return report.close()


if __name__ == "__main__":
    sys.exit(uvloop.run(main(sys.argv[1:])))
