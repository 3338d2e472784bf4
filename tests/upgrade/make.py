"""`python -m tests.upgrade.make NAME` packs an installation made by the code as it is now.

Later code must be able to go on with it. Made once, at the end of a piece of work, and then never changed.
"""

import asyncio
import sys
import tempfile
from collections import Counter
from pathlib import Path

from sqlalchemy import text

from pilothouse.app.profile import profile_of
from pilothouse.base.database import Database
from pilothouse.base.settings import Settings
from pilothouse.kit.json import pretty
from tests import services
from tests.databases import drop_template, empty_postgres
from tests.places import quick_place
from tests.upgrade.dumps import FIXTURES, dump_tables, pack_directory
from tests.upgrade.story import EXPECTED_STATES, FAR, Story, furnish, live, queue


async def tell_story(settings: Settings, folder: Path) -> Story:
    story = await furnish(settings)
    await live(story, settings, folder)
    await queue(story, settings)
    found = Counter(story.states.values())
    assert found == EXPECTED_STATES, f"{found}: the process was killed at a moment that shows too little"
    assert story.half_done > 3, "the journal of the run that was cut off holds too little"
    return story


async def put_off(database: Database, story: Story) -> None:
    """No timer block waits for years, so the moment is moved."""
    async with database.engine.begin() as connection:
        for run_id in story.far:
            await connection.execute(text("update jobs set due_at=:far where id=:id"), {"far": FAR, "id": run_id})


async def made(settings: Settings, folder: Path) -> tuple[Story, bytes]:
    """The story, and the tables at its end."""
    story = await tell_story(settings, folder)
    database = Database(profile_of(settings).database_url, pool_size=2)
    await put_off(database, story)
    tables = await dump_tables(database)
    await database.close()
    return story, tables


def make(target: Path, kind: str, url: str | None) -> None:
    with tempfile.TemporaryDirectory(prefix="pilothouse-upgrade-") as name:
        folder = Path(name)
        values = {"data_dir": folder / "data", "test_blocks": True, "migrate": "auto", "max_parallel_runs": 2}
        settings = Settings.model_validate({**values, "database_url": url})
        story, tables = asyncio.run(made(settings, folder))
        if url is None:
            pack_directory(settings.data_dir, target / "data.tar.gz")
        else:
            (target / "tables.jsonl.gz").write_bytes(tables)
        (target / f"{kind}.json").write_text(pretty(story.to_json()))


def main() -> None:
    target = FIXTURES / sys.argv[1]
    target.mkdir(parents=True, exist_ok=True)
    folder = services.open_run(quick_place())
    try:
        make(target, "sqlite", None)
        with empty_postgres() as url:
            make(target, "postgres", url)
    finally:
        drop_template()
        services.close_run(folder)
    for path in sorted(target.iterdir()):
        print(path.name, path.stat().st_size)


if __name__ == "__main__":
    main()
