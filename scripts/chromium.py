"""The browser of the browser tests: the system's Chromium. No browser is ever downloaded from elsewhere.

`python -m scripts.chromium` installs Debian's package when it is missing and we may; it exits 1 when there is none.
"""

import os
import sys

from scripts import packages
from scripts.programs import ServerMissing, program

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MISSING = "No Chromium here: `apt-get install chromium` (or set CHROMIUM to its path) to run the browser tests."


def find() -> str | None:
    """Where Chromium is, if it is installed."""
    for name in (os.environ.get("CHROMIUM", ""), *NAMES):
        if not name:
            continue
        try:
            return program(name)
        except ServerMissing:
            continue
    return None


def main() -> int:
    if find() is not None:
        return 0
    try:
        packages.install("chromium")
    except packages.NotAllowed:
        sys.stderr.write(f"{MISSING}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
