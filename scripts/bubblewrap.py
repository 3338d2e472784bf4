"""The walls of the sandbox: Debian's bubblewrap.

`python -m scripts.bubblewrap` installs it when it is missing and we may; it exits 1 when there is none.
"""

import shutil
import sys

from scripts import packages

MISSING = "No bubblewrap here: `apt-get install bubblewrap` to run the tests of the sandbox."


def ensure() -> bool:
    """Whether it is here, perhaps only now."""
    if shutil.which("bwrap") is not None:
        return True
    try:
        packages.install("bubblewrap")
    except packages.NotAllowed:
        return False
    return shutil.which("bwrap") is not None


if __name__ == "__main__":
    if not ensure():
        sys.exit(MISSING)
