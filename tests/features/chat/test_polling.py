"""10.1: a cancel is looked after also where nobody tells how it went."""

import asyncio
from contextlib import nullcontext
from dataclasses import dataclass, field

import pytest

from pilothouse.base.fanout import Fanout
from pilothouse.features.chat import Cancelled, cancelling
from pilothouse.kit.ids import new_id
from tests.base.waiting import until
from tests.features.chat.parlour import Parlour


@dataclass(slots=True)
class Deaf:
    """Follows a session, and is told nothing."""

    waited: list[float] = field(default_factory=list[float])

    def follow(self, fanout: Fanout, session_id: str) -> "nullcontext[Deaf]":
        return nullcontext(self)

    async def take(self, seconds: float) -> None:
        self.waited.append(seconds)
        await asyncio.sleep(min(seconds, 0.02))


async def test_the_end_is_looked_for_every_half_second_though_nobody_tells_of_it(
    parlour: Parlour, monkeypatch: pytest.MonkeyPatch
):
    """10.1."""
    deaf = Deaf()
    monkeypatch.setattr(cancelling, "following", deaf.follow)
    session, gate = await parlour.session(), new_id()
    turn = await parlour.start(session, f"insist {gate}")
    await parlour.reaches(gate)
    asked = asyncio.create_task(parlour.chat.cancel_turn(parlour.ann, session))
    await until(lambda: len(deaf.waited) >= 3)
    parlour.open(gate)
    assert await asked == Cancelled(True, None)
    assert await parlour.ended(turn) == "cancelled"
    assert set(deaf.waited) == {0.5}
