"""autopilot:2.6, billing:A2: a turn that stood in line is judged by what was spent when its place is free."""

import asyncio

from pilothouse.features.chat import events
from tests.autopilot.till import Till
from tests.base.waiting import until
from tests.providers.script import Answer


async def test_a_turn_that_waited_for_its_place_is_checked_again_when_it_starts(till: Till):
    """2.6, A2: what was spent while it stood in line counts; the model is never asked."""
    gates = [asyncio.Event() for _ in range(5)]
    slow = [Answer(text=("word ",) * 40, gate=gate) for gate in gates]
    script = await till.play("openrouter", *slow, autopilot_weekly_cost_limit_microdollars=3_000)
    running = [await (await till.bridge.another()).start("talk") for _ in gates]
    await until(lambda: len(script.asked) == 5)
    waiting = await till.bridge.start("hi")
    assert await till.bridge.stand.rows("select state from jobs where id=?1", waiting) == [("held",)]
    await till.spend(3_000)
    gates[0].set()
    assert await till.bridge.ended(waiting) == "failed"
    told = await till.bridge.events()
    assert [event.data["code"] for event in told if event.type == events.ERROR] == ["budget_exceeded"]
    assert told[-1].data["reason"] == "budget_exceeded"
    assert len(script.asked) == 5
    assert await till.bridge.stand.rows("select count(*) from jobs where user_id=?1", till.user_id) == [(4,)]
    for gate in gates:
        gate.set()
    assert {await till.bridge.ended(turn_id) for turn_id in running} == {"completed"}
