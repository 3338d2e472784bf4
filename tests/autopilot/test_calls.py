"""autopilot:6.13, 8.1, 8.2, 8.9, 11.2: calls that meet no database, cannot be kept as made, or take their time."""

import asyncio
import time
from dataclasses import dataclass, field, replace

import pytest
from structlog.testing import capture_logs

from pilothouse.autopilot import ledger
from pilothouse.base.committer import DatabaseUnavailable
from pilothouse.base.tools import ToolBox, ToolContext, ToolResult
from pilothouse.features.chat import events
from pilothouse.features.chat.limits import MAX_BACKGROUND_TASKS
from tests.autopilot.stage import BYE, Stage, calls
from tests.autopilot.switch import Switched
from tests.autopilot.workshop import Done

IDLE_SECONDS = 1.0


@dataclass(slots=True)
class Outage:
    """Tools that lose the database in the middle, the first time."""

    tools: ToolBox = field(default_factory=ToolBox)
    keys: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def __post_init__(self) -> None:
        async def store(ctx: ToolContext, n: int) -> ToolResult:
            """Store something."""
            return self._lose(ctx, "store", n)

        async def gamble(ctx: ToolContext, n: int) -> ToolResult:
            """Do something that must not be done twice."""
            return self._lose(ctx, "gamble", n)

        self.tools.tool(label="Storing")(store)
        self.tools.tool(label="Gambling", repeat_safe=False)(gamble)

    def _lose(self, ctx: ToolContext, name: str, n: int) -> ToolResult:
        known = self.keys.setdefault(name, [])
        known.append(ctx.idempotency_key)
        if len(known) == 1:
            raise DatabaseUnavailable
        return Done(message="Stored.", n=n)


async def test_a_call_that_lost_the_database_is_made_again_under_its_key_or_not_at_all(stage: Stage):
    """11.2, 8.1: nobody knows what it did, so no result says that it failed; its siblings finish."""
    outage = Outage()
    asked = [("store", '{"n": 1}'), ("gamble", '{"n": 2}'), ("count_up", '{"n": 3}')]
    script = await stage.play(calls(*asked), BYE, tools=ToolBox(stage.shop.tools, outage.tools))
    said = await stage.bridge.ask("go")
    assert said.status == "completed"
    assert (len(outage.keys["store"]), len(set(outage.keys["store"]))) == (2, 1)
    assert len(outage.keys["gamble"]) == 1
    assert stage.shop.done == [3]
    assert sorted(output["n"] for output in said.outputs) == [1, 3]
    told = said.of(events.TOOL_OUTPUT_ERROR)
    assert [(event.data["tool"], event.data["code"]) for event in told] == [("gamble", "interrupted")]
    assert "may have happened" in str(told[0].data["message"])
    assert len(script.asked) == 2


async def test_arguments_that_cannot_be_stored_are_answered_and_the_turn_goes_on(stage: Stage):
    """8.9: a number of more than 64 bits is JSON, but the log cannot hold it."""
    huge = f'{{"n": {10**30}}}'
    script = await stage.play(calls(("count_up", huge), ("count_up", '{"n": 3}')), BYE)
    said = await stage.bridge.ask("go")
    assert said.status == "completed"
    assert stage.shop.done == [3]
    told = said.of(events.TOOL_OUTPUT_ERROR)
    assert [(event.data["tool"], event.data["code"]) for event in told] == [("count_up", "invalid_arguments")]
    assert said.calls[0][1] == {"INVALID_JSON": huge}
    assert "64 bits" in str(script.asked[1]["messages"])
    assert len(script.asked) == 2


def napping() -> ToolBox:
    tools = ToolBox()

    async def nap(ctx: ToolContext, n: int) -> ToolResult:
        """Sleep for a while."""
        await asyncio.sleep(n * IDLE_SECONDS / 6)
        return Done(message="Slept.", n=n)

    tools.tool(label="Napping")(nap)
    return tools


async def test_a_round_whose_calls_end_one_after_the_other_is_not_idle(stage: Stage, switched: Switched):
    """6.13: together they take longer than the watchdog waits, and each of them was heard of."""
    asked = [("nap", f'{{"n": {n}}}') for n in range(1, 9)]
    await stage.play(BYE, calls(*asked), BYE, tools=napping())
    await stage.bridge.ask("hello")  # the first turn of a process loads the provider's library
    assert switched[1].pilot is not None
    switched[1].pilot = replace(switched[1].pilot, idle_seconds=IDLE_SECONDS)
    began = time.monotonic()
    said = await stage.bridge.ask("go")
    assert time.monotonic() - began > IDLE_SECONDS
    assert (said.status, said.of(events.ERROR)) == ("completed", [])
    assert [output["n"] for output in said.outputs] == list(range(1, 9))


async def test_a_turn_that_falls_silent_names_the_calls_that_have_no_result(stage: Stage, switched: Switched):
    """6.13: in the server's log, for whoever looks for the tool that hangs."""
    asked = calls(("rest", '{"n": 1}'), ("count_up", '{"n": 2}'), ("risk", '{"n": 3}'))
    await stage.play(BYE, asked, BYE)
    await stage.bridge.ask("hello")  # the first turn of a process loads the provider's library
    assert switched[1].pilot is not None
    switched[1].pilot = replace(switched[1].pilot, idle_seconds=0.5)
    with capture_logs() as logs:
        said = await stage.bridge.ask("go")
    assert said.of(events.ERROR)[0].data["code"] == "idle_timeout"
    [told] = [each for each in logs if each["event"] == "turn.idle"]
    assert (told["turn_id"], told["open"]) == (said.events[0].turn_id, ["rest", "risk"])
    assert [event.data["code"] for event in said.of(events.TOOL_OUTPUT_ERROR)] == ["interrupted"] * 2


async def test_what_a_call_waits_for_its_seat_counts_in_its_budget(stage: Stage, monkeypatch: pytest.MonkeyPatch):
    """8.1, 8.2: so that no round takes longer than the longest budget in it, however many calls it has."""
    assert ledger.PARALLEL_CALLS >= MAX_BACKGROUND_TASKS
    monkeypatch.setattr(ledger, "PARALLEL_CALLS", 1)
    tools, budget, count = ToolBox(), 0.3, 5

    async def linger(ctx: ToolContext, n: int) -> ToolResult:
        """Take longer than the budget."""
        await asyncio.Event().wait()
        raise AssertionError

    tools.tool(label="Lingering", timeout_seconds=budget)(linger)
    await stage.play(calls(*[("linger", f'{{"n": {n}}}') for n in range(count)]), BYE, tools=tools)
    said = await stage.bridge.ask("go")
    assert [output["type"] for output in said.outputs] == ["background"] * count
    took = said.of(events.TOOL_OUTPUT_AVAILABLE)[-1].created_at - said.of(events.TOOL_INPUT_AVAILABLE)[0].created_at
    assert budget * 1_000_000 <= took < (count - 1) * budget * 1_000_000
