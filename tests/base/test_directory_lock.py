"""One serving process per data directory."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pilothouse.base.directory_lock import DirectoryTaken, hold_directory

HOLD = """
import sys, time
from pathlib import Path
from pilothouse.base.directory_lock import hold_directory
with hold_directory(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def hold(directory: Path) -> "subprocess.Popen[bytes]":
    """Another process that has the lock."""
    other = subprocess.Popen([sys.executable, "-c", HOLD, str(directory)], stdout=subprocess.PIPE, env=_environment())
    assert other.stdout is not None
    assert other.stdout.readline() == b"held\n"
    return other


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


def test_a_second_process_is_told_who_holds_the_directory_and_what_to_do(tmp_path: Path):
    with hold(tmp_path) as other:
        with pytest.raises(DirectoryTaken) as refused, hold_directory(tmp_path):
            pass
        other.kill()

    assert f"Process {other.pid} serves {tmp_path} already." in str(refused.value)
    assert refused.value.facts["pid"] == str(other.pid)
    assert "PILOTHOUSE_DATA_DIR" in (refused.value.advice or "")


def test_a_killed_process_leaves_the_directory_free(tmp_path: Path):
    with hold(tmp_path) as other:
        other.send_signal(signal.SIGKILL)
        other.wait()

    with hold_directory(tmp_path):
        assert (tmp_path / "serve.lock").read_text() == f"{os.getpid()}\n"


def test_a_released_lock_can_be_taken_again(tmp_path: Path):
    with hold_directory(tmp_path), pytest.raises(DirectoryTaken), hold_directory(tmp_path):
        pass

    with hold_directory(tmp_path):
        pass
