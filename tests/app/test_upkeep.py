"""What an installation forgets by itself, and what it keeps."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import insert, select

from pilothouse.app.upkeep import upkeep
from pilothouse.base.actor import SYSTEM
from pilothouse.base.http.tables import idempotency_keys, rate_windows
from pilothouse.base.periodic import PeriodicRunner
from pilothouse.base.work import Units
from pilothouse.features.accounts.models import LoginSession, SetupLink
from pilothouse.kit.ids import new_id
from tests.base.http.house import House, open_house
from tests.base.ports import committing

DAY = timedelta(days=1)


async def test_what_is_over_is_forgotten_by_one_of_all_processes(database_url: str, tmp_path: Path):
    async with open_house(database_url, tmp_path) as house, committing(database_url) as committer:
        user_id = await house.add_user("ann@example.com")
        await furnish(house.units, user_id)
        (job,) = upkeep(house.units, house.reception)
        one, other = PeriodicRunner(committer, [job]), PeriodicRunner(committer, [job])
        assert [await one.run_if_due(job), await other.run_if_due(job)] == [True, False]
        assert await kept(house) == {"keys": 3, "windows": ["new"], "sessions": ["new"], "links": ["new"]}


async def furnish(units: Units, user_id: str) -> None:
    """Old and new of everything; of old keys more than one write takes."""
    async with units.write(SYSTEM) as work:
        now = work.now
        keys = [key(user_id, str(number), now if number < 3 else now - 8 * DAY) for number in range(2_503)]
        await work.session.execute(insert(idempotency_keys), keys)
        for name, then in (("new", now), ("old", now - DAY)):
            await work.session.execute(insert(rate_windows).values(subject=name, starts_at=then, count=1))
            ends = then + DAY / 2
            work.session.add(
                LoginSession(
                    **{"id": new_id(), "user_id": user_id, "token_hash": name, "device": name},
                    **{"created_at": then, "seen_at": then, "expires_at": ends},
                )
            )
            work.session.add(SetupLink(id=new_id(), token_hash=name, created_at=then, expires_at=ends))


def key(user_id: str, key: str, made: datetime) -> dict[str, Any]:
    answer = {"body_hash": "", "status": 201, "body": "{}"}
    return {"user_id": user_id, "route": "POST /x", "key": key, "created_at": made, **answer}


async def kept(house: House) -> dict[str, Any]:
    async with house.units.read(SYSTEM) as read:

        async def column(which: Any) -> list[Any]:
            return list((await read.session.execute(select(which))).scalars())

        return {
            "keys": len(await column(idempotency_keys.c.key)),
            "windows": await column(rate_windows.c.subject),
            "sessions": await column(LoginSession.token_hash),
            "links": await column(SetupLink.token_hash),
        }
