"""Y5: a dry run of every block connects to nobody, looks up no name and starts no process."""

import asyncio
import os
import sys
from pathlib import Path
from typing import Any, cast

from pilothouse.blocks.registry import Registry
from pilothouse.kit.json import loads
from tests.databases import fresh_sqlite
from tests.features.runs.stand import stamp

ROOT = Path(__file__).resolve().parents[3]


async def rehearse_everything(folder: Path) -> dict[str, Any]:
    with fresh_sqlite(folder) as url:
        await stamp(url)
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.features.runs.rehearse_everything", str(folder)),
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        said, wrong = await process.communicate()
    assert process.returncode == 0, wrong.decode()[-4000:]
    return cast(dict[str, Any], loads(said.splitlines()[-1]))


async def test_y5_a_dry_run_of_every_block_reaches_nothing(tmp_path: Path):
    told = await rehearse_everything(tmp_path)
    assert told["control"] == ["socket.getaddrinfo"]  # the hook does see what it looks for
    assert told["calls"] == []
    assert told["failed"] == []
    assert told["statuses"] == ["completed", "completed"]
    assert told["steps"] >= 0.9 * len(Registry())  # all but notes, and triggers beyond the first
