"""engine:Z8, F21: the disk under a single process fills up, and is given room again."""

import asyncio
import os
import subprocess
from collections.abc import Generator
from pathlib import Path
from random import Random

import pytest

from tests.faults.checker import Checker
from tests.faults.place import Place
from tests.faults.processes import Launcher
from tests.faults.rig import open_rig
from tests.faults.scale import SEED


@pytest.fixture
def small_disk(tmp_path: Path) -> Generator[Path]:
    """Thirty-two megabytes."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, check=False, capture_output=True).returncode != 0:
        pytest.skip("a small disk needs the right to mount one")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


async def test_a_full_disk_refuses_new_work_tears_nothing_and_goes_on_when_there_is_room(
    launcher: Launcher, tmp_path: Path, small_disk: Path
):
    place = Place(tmp_path, data_dir=small_disk / "data")
    async with open_rig(launcher, place) as rig:
        await rig.start_all()
        checker = Checker(rig)
        await checker.learn()
        await rig.client.start_some(Random(SEED), 10, ["steady", "effects", "timers"])

        filler = small_disk / "filler"
        fill(filler)
        async with asyncio.timeout(20):
            while (answer := await rig.client.ask("pure", 1)).status_code == 201:
                rig.history.keys.add(answer.json()["id"])  # what little room was left
        assert answer.status_code == 503
        assert int(answer.headers["retry-after"]) >= 1
        await asyncio.sleep(1.5)  # long enough for everything in flight to meet the full disk
        assert (await rig.client.http.get("/health/live")).status_code == 200

        filler.unlink()
        async with asyncio.timeout(15):
            while await rig.client.start("pure", 1) is None:
                await asyncio.sleep(0.1)
        await rig.quiet()
        await checker.judge()
        assert await rig.reader.rows("pragma integrity_check") == [("ok",)]


def fill(path: Path) -> None:
    """Take every byte that is left."""
    with path.open("wb", buffering=0) as filler:
        for size in (1 << 20, 1 << 12, 1):
            try:
                while filler.write(b"x" * size):
                    pass
            except OSError:
                continue
