"""Run tests; look once more, alone, at the few that failed in the crowd: `python -m scripts.prove PYTEST-ARGUMENTS`.

`make test` runs several tests at once on two cores, some of which start servers and browsers and wait for them. Such
a test can fail for want of a processor. So a handful of failures get a second look, one at a time on a machine that
does nothing else; what fails there too fails. What passed only then is printed, last, to be looked into.
docs/decisions/0009 says why, and what was refused.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

FEW = 4  # more than a handful is no accident
IN_THE_CROWD = ("-n", "--dist")
FAILED = 1  # pytest's word for: tests ran, some failed
SECONDS = 900  # of a second look, which may hang where a whole worker would have been ended
MEMORY = Path(".make") / "proving"


def main(arguments: Sequence[str], memory: Path = MEMORY) -> int:
    shutil.rmtree(memory, ignore_errors=True)
    remembering = ("-o", f"cache_dir={memory.resolve()}")
    verdict = run(*remembering, *arguments)
    failed = failures(memory)
    if verdict != FAILED or not 0 < len(failed) <= FEW:
        return verdict
    print(f"\n{len(failed)} failed among many; a second look at each, alone:", flush=True)
    verdict = run(*remembering, "--last-failed", "--last-failed-no-failures=none", *alone(arguments), seconds=SECONDS)
    if verdict == 0:
        print("passed only alone, and should be looked into:", *sorted(failed), sep="\n  ", flush=True)
    return verdict


def run(*arguments: str, seconds: float | None = None) -> int:
    try:
        return subprocess.run([sys.executable, "-m", "pytest", *arguments], check=False, timeout=seconds).returncode
    except subprocess.TimeoutExpired:
        print(f"it did not end within {seconds} s", flush=True)
        return FAILED


def failures(memory: Path) -> list[str]:
    record = memory / "v" / "cache" / "lastfailed"
    return list(json.loads(record.read_text())) if record.exists() else []


def alone(arguments: Sequence[str]) -> list[str]:
    """The same tests without the options that run several at once."""
    kept: list[str] = []
    rest = iter(arguments)
    for argument in rest:
        if argument in IN_THE_CROWD:
            next(rest)
        else:
            kept.append(argument)
    return kept


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
