"""Checks of the work itself: who does it, what is stuck, and when it was last backed up."""

import time

from pilothouse.app.doctor.finding import Finding, ok, warn
from pilothouse.app.doctor.machine import is_served
from pilothouse.app.holds import is_held
from pilothouse.app.profile import Profile
from pilothouse.base.jobs.moves import DB_NOW
from pilothouse.base.reader import Reader
from pilothouse.base.settings import Settings

MINUTE = 60_000_000
DAY = 24 * 60 * MINUTE


def _now() -> int:
    return time.time_ns() // 1000


async def workers(settings: Settings, profile: Profile, reader: Reader) -> Finding:
    remedy = "Start one: pilothouse serve" + ("" if profile.embedded else ", or pilothouse worker")
    if profile.embedded:
        works = is_served(settings.data_dir)
    else:
        works = bool(await reader.rows(f"select 1 from workers where expires_at > {DB_NOW} limit 1"))
    if not works:
        return warn("workers", "Nobody takes jobs now.", remedy)
    return ok("workers", "Jobs are taken.")


async def held(reader: Reader) -> Finding:
    if await is_held(reader):
        words = "Restored from a backup, and held: no job goes on."
        return warn("held", words, "When its unfinished work may go on: pilothouse resume")
    return ok("held", "Jobs may go on.")


async def stuck(reader: Reader) -> Finding:
    """Jobs that somebody should have taken a minute ago."""
    ago = _now() - MINUTE
    late = await reader.rows(
        "select count(*) from jobs where (state='queued' and due_at <= ?1 and moved_at <= ?1)"
        " or (state='waiting' and due_at <= ?1)",
        ago,
    )
    if late[0][0]:
        return warn("stuck jobs", f"{late[0][0]} jobs are due for over a minute.", "Add workers, or see the log.")
    return ok("stuck jobs", "None.")


async def repeated(reader: Reader) -> Finding:
    """Jobs that keep failing for other reasons than their own steps."""
    count = (await reader.rows("select count(*) from jobs where attempt > 2"))[0][0]
    if count:
        return warn("repeated jobs", f"{count} jobs were taken up more than twice.", "The log says why: job.fault.")
    return ok("repeated jobs", "None.")


async def backups(reader: Reader) -> Finding:
    rows = await reader.rows("select last_run_at from leases where name='backup'")
    if not rows:
        return warn("backup", "None was ever made.", "Run: pilothouse backup")
    days = (_now() - rows[0][0]) / DAY
    if days > 7:
        return warn("backup", f"The last one is {days:.0f} days old.", "Run: pilothouse backup, and let cron do it.")
    return ok("backup", f"The last one is {days:.1f} days old.")


async def owner(reader: Reader) -> Finding:
    if await reader.rows("select 1 from users where role='owner' limit 1"):
        return ok("owner", "There is one.")
    return warn("owner", "There is none yet.", "Open the link that `pilothouse owner-link` prints.")
