"""The browser of the browser tests: the system's Chromium. No browser is ever downloaded from elsewhere.

`python -m scripts.chromium` installs Debian's package when it is missing and we may; it exits 1 when there is none.
The one without windows is preferred: the same engine, at half the work for a page.
"""

import os
import subprocess
import sys
from collections.abc import Sequence

from scripts import packages
from scripts.programs import ServerMissing, program

WINDOWLESS = "chromium-headless-shell"
NAMES = (WINDOWLESS, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MISSING = "No Chromium here: `apt-get install chromium` (or set CHROMIUM to its path) to run the browser tests."


def find() -> str | None:
    """Where Chromium is, if it is installed."""
    return _first((os.environ.get("CHROMIUM", ""), *NAMES))


def _first(names: Sequence[str]) -> str | None:
    for name in filter(None, names):
        try:
            return program(name)
        except ServerMissing:
            continue
    return None


def main() -> int:
    is_ours = bool(os.environ.get("CI"))  # a machine made for one run, where a second browser is in nobody's way
    if find() is None or (is_ours and _first([WINDOWLESS]) is None):
        _install()
    if find() is None:
        sys.stderr.write(f"{MISSING}\n")
        return 1
    return 0


def _install() -> None:
    """Put one there, if we may. Not every system has a package of the one without windows."""
    for name in (WINDOWLESS, "chromium"):
        try:
            packages.install(name)
        except packages.NotAllowed:
            return
        except subprocess.CalledProcessError:
            continue
        if find() is not None:
            return


if __name__ == "__main__":
    sys.exit(main())
