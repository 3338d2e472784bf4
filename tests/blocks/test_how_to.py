"""`docs/how-to/write-a-block.md`, done."""

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pilothouse.blocks.registry import Registry
from pilothouse.blocks.rehearsal import Rehearsal

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "write-a-block.md"
READING_TIME = "7d0d1a52-5c0e-4c0c-9a8e-3f8a1d6b2c11"


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The files of the page, installed as a package manager would do it."""
    files = dict(re.findall(r"```(?:toml|python) (\S+)\n(.*?)```", PAGE.read_text(), re.DOTALL))
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    info = tmp_path / "acme_blocks-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-blocks\nVersion: 1.0\n")
    (points,) = re.findall(r'^acme = "(\S+)"$', files["pyproject.toml"], re.MULTILINE)
    (info / "entry_points.txt").write_text(f"[pilothouse.blocks]\nacme = {points}\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name in [name for name in sys.modules if name.partition(".")[0] == "acme_blocks"]:
        del sys.modules[name]


def test_the_package_of_the_page_works(written: Path):
    (command,) = re.findall(r"^python (-m pilothouse.blocks.index .*)$", PAGE.read_text(), re.MULTILINE)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, *command.split()], check=True, env=environment, timeout=60)

    registry = Registry(plugins=["acme-blocks"])
    assert registry.refused == []
    fired = asyncio.run(registry.runnable(READING_TIME).call({"text": "word " * 4000}, Rehearsal()))
    assert [pin for pin, _ in fired] == ["minutes", "long_read"]

    test = [sys.executable, "-m", "pytest", "-q", "-o", "asyncio_mode=auto", "-p", "no:cacheprovider", "test_acme.py"]
    done = subprocess.run(test, cwd=written, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout
