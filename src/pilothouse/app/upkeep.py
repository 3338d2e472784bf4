"""What an installation does by itself every so often. However many processes run, one of them does it."""

from collections.abc import Sequence
from datetime import timedelta

from pilothouse.base.actor import SYSTEM
from pilothouse.base.committer import Committer
from pilothouse.base.http.idempotency import prune
from pilothouse.base.periodic import Periodic
from pilothouse.base.reader import Reader
from pilothouse.base.work import Units
from pilothouse.features.accounts import Reception, forget_expired
from pilothouse.features.chat import Trimming
from pilothouse.features.files import FileUpkeep
from pilothouse.features.reviews import Reviews
from pilothouse.features.runs import Retention
from pilothouse.features.runs.memory import forget_ended_runs

EVERY = timedelta(minutes=10)
FORGET_EVERY = timedelta(hours=6)
EXPIRE_EVERY = timedelta(minutes=1)
TIDY_EVERY = timedelta(hours=1)
LOOK_SECONDS = 15.0


def upkeep_of_runs(retention: Retention, reviews: Reviews) -> Sequence[Periodic]:
    """What is done about runs."""
    return [
        Periodic("forget_old_runs", FORGET_EVERY, retention.forget_old_runs),
        Periodic("expire_reviews", EXPIRE_EVERY, reviews.expire_reviews),
    ]


def upkeep_of_chat(committer: Committer, reader: Reader) -> Sequence[Periodic]:
    """What is done about conversations."""
    return [Periodic("trim_old_turns", EVERY, Trimming(committer, reader).trim_old_turns)]


def upkeep_of_files(files: FileUpkeep) -> Sequence[Periodic]:
    """What is done about files."""
    return [Periodic("tidy_files", TIDY_EVERY, files.tidy_files)]


def upkeep(units: Units, reception: Reception) -> Sequence[Periodic]:
    """What is done about those who call."""

    async def forget_what_is_over() -> None:
        async with units.write(SYSTEM) as work:
            await forget_expired(work)
            await forget_ended_runs(work)
        await reception.throttle.prune()
        while True:
            async with units.write(SYSTEM) as work:
                if await prune(work):
                    return

    return [Periodic("forget_what_is_over", EVERY, forget_what_is_over)]
