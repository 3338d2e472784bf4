"""A stand-in for AutoPilot that does what the user's message says, one command per line.

It writes the log as AutoPilot does; the model is the only thing that is not real.
"""

import asyncio
from collections import defaultdict
from dataclasses import dataclass, field
from typing import cast

from pilothouse.features.chat import OpenTurn, events
from pilothouse.kit.ids import new_id


@dataclass(slots=True)
class Actor:
    """One per installation. `gates` let a test hold a turn at a `wait` and see that it got there."""

    gates: defaultdict[str, asyncio.Event] = field(default_factory=lambda: defaultdict(asyncio.Event))
    reached: defaultdict[str, asyncio.Event] = field(default_factory=lambda: defaultdict(asyncio.Event))
    running: int = 0
    most: int = 0
    starts: list[str] = field(default_factory=list[str])

    async def drive(self, turn: OpenTurn) -> None:
        self.running += 1
        self.most = max(self.most, self.running)
        self.starts.append(turn.turn.id)
        try:
            await Play(self, turn).go()
        finally:
            self.running -= 1


@dataclass(slots=True)
class Play:
    """One claim of a turn."""

    actor: Actor
    turn: OpenTurn
    step: int = 0

    async def go(self) -> None:
        log = self.turn.log
        said = next(event for event in self.turn.events if event.id == self.turn.turn.message_event)
        log.begin("scripted", "fast", "standard")
        for line in cast(str, said.data["text"]).splitlines():
            command, _, rest = line.partition(" ")
            if self.turn.hold.cancelled.is_set():
                break
            if await getattr(self, f"do_{command}", self.do_say)(rest):
                return
        if self.turn.hold.cancelled.is_set():
            await log.settle(events.CANCELLED, "cancelled")
        else:
            await log.settle(events.COMPLETED)

    def _begin_step(self) -> None:
        self.step += 1
        self.turn.log.add(events.start_step(self.step))

    async def do_say(self, text: str) -> None:
        block = new_id()
        self._begin_step()
        parts = [text[start : start + 4] for start in range(0, len(text), 4)]
        deltas = [events.text_delta(block, part, n * 4) for n, part in enumerate(parts)]
        self.turn.log.add(events.text_start(block), *deltas, events.text_end(block, text))
        self.turn.log.add(events.finish_step(self.step))

    async def do_mirror(self, text: str) -> None:
        """Say what the user did not: the same backwards."""
        await self.do_say(text[::-1])

    async def do_think(self, text: str) -> None:
        block = new_id()
        self._begin_step()
        self.turn.log.add(events.reasoning_start(block), events.reasoning_delta(block, text, 0))
        self.turn.log.add(events.reasoning_end(block, text), events.finish_step(self.step))

    async def do_tool(self, name: str) -> None:
        call = new_id()
        log = self.turn.log
        self._begin_step()
        log.add(events.tool_input_start(call, name), events.tool_input_available(call, name, {"n": 1}, f"key-{call}"))
        await log.barrier()
        log.add(events.tool_output_available(call, name, {"ok": True}), events.finish_step(self.step))
        await log.drain_pending(call)

    async def do_break(self, name: str) -> None:
        call = new_id()
        self._begin_step()
        self.turn.log.add(events.tool_input_start(call, name), events.tool_input_available(call, name, {}))
        self.turn.log.add(events.tool_output_error(call, name, "not_found", "There is no such thing."))
        self.turn.log.add(events.finish_step(self.step))

    async def do_wait(self, gate: str) -> None:
        """Stay until the test opens the gate or somebody cancels."""
        await self.turn.log.barrier()
        self.actor.reached[gate].set()
        waits = [asyncio.create_task(event.wait()) for event in (self.actor.gates[gate], self.turn.hold.cancelled)]
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for task in waits:
            task.cancel()

    async def do_talk(self, gate: str) -> None:
        """Begin to speak and to call a tool, then wait with both open."""
        block = new_id()
        self._begin_step()
        self.turn.log.add(events.text_start(block), events.text_delta(block, "half a", 0))
        self.turn.log.add(events.tool_input_start(new_id(), "slow_tool"))
        await self.do_wait(gate)

    async def do_stay(self, gate: str) -> None:
        """Stay until the test opens the gate, deaf to everything else."""
        await self.turn.log.barrier()
        self.actor.reached[gate].set()
        await self.actor.gates[gate].wait()

    async def do_chatter(self, gate: str) -> None:
        """Log one thing after the other, for as long as the test holds the gate open, until somebody cancels."""
        n = 0
        while not self.turn.hold.cancelled.is_set():
            await self.do_wait(gate)
            self.turn.log.add(*(events.notice("chatter", str(n + part)) for part in range(20)))
            await self.turn.log.barrier()
            n += 20

    async def do_everything(self, _: str) -> None:
        """Every type of event that AutoPilot may write."""
        log, block, call = self.turn.log, new_id(), new_id()
        log.add(events.context([{"kind": "env", "text": "a secret of the server's"}]))
        self._begin_step()
        log.add(events.text_start(block), events.text_delta(block, "given up", 0), events.text_end(block, "given up"))
        log.add(events.finish_step(1), events.step_reset([block]), events.notice("retried", "It was tried again."))
        await self.do_think("hm")
        self._begin_step()
        log.add(events.tool_input_start(call, "run_agent"), events.tool_input_delta(call, '{"n":'))
        log.add(events.tool_input_delta(call, " 1}"), events.tool_input_available(call, "run_agent", {"n": 1}, "key"))
        log.add(events.tool_output_available(call, "run_agent", {"ok": True}, duration_ms=5), events.finish_step(3))
        log.add(events.background("bg-0123456789ab", "run_agent", "running", "run", new_id()))
        log.add(events.follow_up([new_id()], ["and this"], call), events.compaction(1, "so far", 100, 10))
        log.add(events.usage(prompt_tokens=1, completion_tokens=2, total_tokens=3, cost_microdollars=4))
        log.add(events.title("A title"))
        await self.do_break("find_block")
        await self.do_say("done")

    async def do_insist(self, gate: str) -> bool:
        """Call the turn completed, whatever somebody asked meanwhile."""
        await self.do_stay(gate)
        await self.turn.log.settle(events.COMPLETED)
        return True

    async def do_despair(self, gate: str) -> bool:
        """Call the turn failed, whatever somebody asked meanwhile."""
        await self.do_stay(gate)
        await self.turn.log.settle(events.FAILED, "provider_error")
        return True

    async def do_drain(self, _: str) -> None:
        await self.turn.log.drain_pending()

    async def do_fail(self, code: str) -> bool:
        """End the turn as failed; a retry of it goes on."""
        if self.turn.turn.message_event < self.turn.turn.first_event:
            return False
        self.turn.log.add(events.error(code, "It went wrong."))
        await self.turn.log.settle(events.FAILED, code)
        return True

    async def do_crash(self, times: str) -> None:
        """Break down until it was tried so often."""
        if self.turn.hold.job.attempt <= int(times):
            raise RuntimeError("the worker breaks down")

    async def do_round(self, number: str) -> None:
        """Keep a round, and see those that earlier claims kept."""
        self.turn.log.save_round(int(number), {"rounds before": len(self.turn.rounds)})
        await self.turn.log.barrier()

    async def do_sleep(self, name: str) -> bool:
        """Wait for a fact without a worker; when it has come, say it."""
        facts = await self.turn.log.read_inbox()
        if not facts:
            slept = await self.turn.log.suspend([{"kind": "fact", "id": name}])
            if slept.asleep:
                return True
            facts = await self.turn.log.read_inbox()
        self.turn.log.forget_facts(facts)
        await self.do_say(f"heard {len(facts)}")
        return False
