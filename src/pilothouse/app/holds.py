"""A restored installation is held: nothing resumes until the operator says so.

What was done after the backup was made is not in it; going on at once could do it a second time, unseen.
The mark is a row, so that every process of an installation sees it.
"""

import asyncio

import structlog
from sqlalchemy import text

from pilothouse.base.actor import SYSTEM
from pilothouse.base.reader import Reader
from pilothouse.base.work import Units
from pilothouse.kit.errors import Unavailable

log = structlog.get_logger()

POLL_SECONDS = 1.0
HELD = "held"
_FOR_EVER = 2**62
HELD_LINE = (
    "This installation was restored from a backup and is HELD: it takes requests, but no job goes on.\n"
    "Look at what was unfinished (`pilothouse runs list`), then run `pilothouse resume`."
)
_HOLD = (
    "insert into leases (name, owner, expires_at, last_run_at)"
    " values ('held', '', {}, {}) on conflict (name) do nothing"
)


async def is_held(reader: Reader) -> bool:
    return bool(await reader.rows("select 1 from leases where name=?1", HELD))


async def until_released(reader: Reader) -> None:
    """Return when it is held no more, through outages."""
    while True:
        await asyncio.sleep(POLL_SECONDS)
        try:
            if not await is_held(reader):
                return
        except Unavailable:
            log.info("hold.unknown")


async def resume(units: Units) -> bool:
    """Let go; answers whether it was held. Processes that run notice within a second or two."""
    async with units.write(SYSTEM) as work:
        gone = await work.session.execute(text("delete from leases where name='held' returning name"))
        return gone.one_or_none() is not None


def hold_statement(now: int) -> str:
    """What marks a database as held, in the words of both dialects."""
    return _HOLD.format(_FOR_EVER, now)
