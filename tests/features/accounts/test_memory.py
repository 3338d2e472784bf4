"""What the door remembers of its callers, and how it finds out: once for all who ask at the same time."""

import asyncio

import pytest

from pilothouse.features.accounts.reception import Memory


class Finding:
    """A look-up that ends when it is told to."""

    def __init__(self, answer: str) -> None:
        self.calls = 0
        self.answer = answer
        self.may_end = asyncio.Event()

    async def __call__(self) -> str:
        self.calls += 1
        await self.may_end.wait()
        if not self.answer:
            raise ConnectionError
        return self.answer


async def test_those_who_ask_together_are_answered_by_one_look_up():
    memory, find = Memory[str](), Finding("ada")
    asked = [asyncio.create_task(memory.look_up("key", find)) for _ in range(16)]
    await asyncio.sleep(0)
    asked[0].cancel()  # the first one hangs up
    find.may_end.set()
    assert await asyncio.gather(*asked[1:]) == ["ada"] * 15
    assert find.calls == 1
    assert await memory.look_up("key", find) == "ada"
    assert find.calls == 2  # nothing was kept, so it is looked up anew


async def test_a_failed_look_up_is_told_to_all_and_not_remembered():
    memory, find = Memory[str](), Finding("")
    asked = [asyncio.create_task(memory.look_up("key", find)) for _ in range(3)]
    find.may_end.set()
    assert all(isinstance(found, ConnectionError) for found in await asyncio.gather(*asked, return_exceptions=True))
    with pytest.raises(ConnectionError):
        await memory.look_up("key", find)
    assert find.calls == 2


async def test_after_a_revocation_nobody_joins_a_look_up_that_began_before():
    memory, before, after = Memory[str](), Finding("revoked since"), Finding("as it is now")
    old = asyncio.create_task(memory.look_up("key", before))
    await asyncio.sleep(0)
    memory.forget()
    new = asyncio.create_task(memory.look_up("key", after))
    before.may_end.set()
    after.may_end.set()
    assert (await old, await new) == ("revoked since", "as it is now")
