"""Prove that the wheel is whole: `python -m scripts.check_dist dist`.

It is installed into an empty virtual environment, from the hash-locked requirements, and started on an empty
data directory far from the sources; it must serve its health and its web page.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import venv
from pathlib import Path
from zipfile import ZipFile

from scripts.programs import free_port

START_SECONDS = 60


def main() -> int:
    wheel = next(Path(sys.argv[1]).glob("*.whl")).resolve()
    names = ZipFile(wheel).namelist()
    if "pilothouse/web/index.html" not in names:
        print(f"{wheel.name} holds no web app")
        return 1
    folder = Path(tempfile.mkdtemp(prefix="pilothouse-dist-"))
    try:
        install(wheel, folder)
        return serve(wheel, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def install(wheel: Path, folder: Path) -> None:
    venv.create(folder / "venv", with_pip=True)
    pip = [str(folder / "venv/bin/python"), "-m", "pip", "install", "-qq", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*pip, "--require-hashes", "-r", "requirements.lock"], check=True)
    subprocess.run([*pip, str(wheel)], check=True)


def serve(wheel: Path, folder: Path) -> int:
    port = free_port()
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "PILOTHOUSE_DATA_DIR": str(folder / "data"),
        "PILOTHOUSE_PORT": str(port),
    }
    command = [str(folder / "venv/bin/pilothouse"), "serve"]
    log = folder / "log"
    with log.open("wb") as out:
        server = subprocess.Popen(command, cwd=folder, env=environment, stdout=out, stderr=out)
    try:
        began = time.monotonic()
        answers = {path: fetch(f"http://127.0.0.1:{port}{path}", server) for path in ("/health/ready", "/")}
        took = time.monotonic() - began
    finally:
        server.terminate()
        server.wait(30)
    if not all(answers.values()):
        print(f"{wheel.name} did not serve {answers}; its log:\n{log.read_text()[-4000:]}")
        return 1
    print(f"{wheel.name}: {wheel.stat().st_size // 1024} kB, installed, started and answered in {took:.1f} s")
    return 0


def fetch(url: str, server: subprocess.Popen[bytes]) -> bool:
    """Whether this address gives 200 before the time is up."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                return answer.status == 200
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    return False


if __name__ == "__main__":
    sys.exit(main())
