"""Make `.venv` from the hash-locked requirements: `python3 scripts/bootstrap.py run|dev`.

Runs on the system's own Python with nothing installed, and does nothing when the locks have not changed.
"""

import fcntl
import hashlib
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
STAMPS = ROOT / ".make"
LOCKS = {"run": "requirements.lock", "dev": "requirements-dev.lock"}
CONSOLE = """#!{python}
import sys
from pilothouse.app.cli import main
sys.exit(main())
"""


def check_python() -> None:
    """Say in words what is missing, instead of failing later in a foreign tool."""
    if sys.version_info < (3, 11):
        sys.exit(f"Pilothouse needs Python 3.11 or newer; this is {sys.version}. Try: make PYTHON=python3.12")
    missing = [name for name in ("venv", "ensurepip") if importlib.util.find_spec(name) is None]
    if missing:
        sys.exit(
            f"This Python lacks {' and '.join(missing)}. On Debian and Ubuntu: apt install python3-venv. "
            "Or name another Python: make PYTHON=/path/to/python3"
        )


def fingerprint(lock: Path) -> str:
    return hashlib.sha256(lock.read_bytes() + sys.version.encode()).hexdigest()


def make_venv() -> None:
    if not (VENV / "bin" / "python").exists():
        print("making .venv", flush=True)
        subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)


def install(lock: Path) -> None:
    print(f"installing {lock.name}", flush=True)
    command = [str(VENV / "bin" / "python"), "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
    done = subprocess.run([*command, "--require-hashes", "--no-deps", "-r", str(lock)], check=False)
    if done.returncode != 0:
        sys.exit("Installing failed (above). A package index must be reachable; then run the same command again.")


def expose_sources() -> None:
    """Let `.venv` import the sources in place, and give it the `pilothouse` command."""
    for packages in VENV.glob("lib/python3*/site-packages"):
        (packages / "pilothouse-sources.pth").write_text(f"{ROOT / 'src'}\n")
    console = VENV / "bin" / "pilothouse"
    console.write_text(CONSOLE.format(python=VENV / "bin" / "python"))
    console.chmod(0o755)


def main() -> None:
    kind = sys.argv[1] if len(sys.argv) > 1 else "dev"
    check_python()
    STAMPS.mkdir(exist_ok=True)
    with (STAMPS / "lock").open("w") as guard:
        fcntl.flock(guard, fcntl.LOCK_EX)  # two makes at once: the second waits, then finds all done
        lock, stamp = ROOT / LOCKS[kind], STAMPS / kind
        wanted = fingerprint(lock)
        if stamp.exists() and stamp.read_text() == wanted and (VENV / "bin" / "pilothouse").exists():
            os.utime(stamp)
            return
        make_venv()
        install(lock)
        expose_sources()
        stamp.write_text(wanted)


if __name__ == "__main__":
    main()
