"""Serve the API and the web app for development; both end together."""

import signal
import subprocess
import sys
import time
from pathlib import Path

COMMANDS = (
    ([str(Path(sys.executable).parent / "pilothouse"), "serve"], "."),
    (["npm", "run", "--silent", "dev"], "web"),
)


def main() -> int:
    children = [subprocess.Popen(command, cwd=folder) for command, folder in COMMANDS]
    try:
        while all(child.poll() is None for child in children):
            time.sleep(0.3)
    except KeyboardInterrupt:
        print("ending both")
    for child in children:
        if child.poll() is None:
            child.send_signal(signal.SIGTERM)
    return max(abs(child.wait()) for child in children)


if __name__ == "__main__":
    sys.exit(main())
