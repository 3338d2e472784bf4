"""Serve for development: the web app rebuilt as you type, the server started again when Python changes.

Open the printed link: it leads to Vite, which passes the API and the socket on. Ctrl-C ends both.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
SERVE = [str(Path(sys.executable).parent / "pilothouse"), "serve"]
WEB = ["npm", "run", "--silent", "dev"]
ADDRESS = "http://localhost:5173"


def sources() -> dict[Path, float]:
    """When each file of ours was last changed."""
    return {path: path.stat().st_mtime for path in (ROOT / "src").rglob("*") if path.suffix in {".py", ".json"}}


def end(child: "subprocess.Popen[bytes]") -> None:
    if child.poll() is None:
        child.send_signal(signal.SIGTERM)
    child.wait()


def main() -> int:
    environment = {"PILOTHOUSE_PUBLIC_URL": ADDRESS, "PILOTHOUSE_SHUTDOWN_GRACE_SECONDS": "2", **os.environ}
    web = subprocess.Popen(WEB, cwd=ROOT / "web")
    server = subprocess.Popen(SERVE, cwd=ROOT, env=environment)
    seen = sources()
    try:
        while web.poll() is None:
            time.sleep(0.5)
            if (now := sources()) != seen:
                seen = now
                print("changed: starting the server again", flush=True)
                end(server)
                server = subprocess.Popen(SERVE, cwd=ROOT, env=environment)
    except KeyboardInterrupt:
        print("ending both", flush=True)
        return 0
    finally:
        end(server)
        end(web)
    return web.returncode


if __name__ == "__main__":
    sys.exit(main())
