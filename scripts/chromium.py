"""The browser of the browser tests: the system's Chromium. No browser is ever downloaded from elsewhere.

`python -m scripts.chromium` installs Debian's package when it is missing and we may; it exits 1 when there is none.
"""

import os
import shutil
import subprocess
import sys

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


def install() -> None:
    """Debian's own package, when we are root on such a system."""
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        return
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for words in (("update",), ("install", "--no-install-recommends", "-y", "chromium")):
        subprocess.run(["apt-get", "-qq", *words], check=False, env=environment, stdout=subprocess.DEVNULL)


def main() -> int:
    if find() is None:
        install()
    if find() is not None:
        return 0
    sys.stderr.write(f"{MISSING}\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
