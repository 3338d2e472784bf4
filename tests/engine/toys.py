"""Toy blocks, a journal that can lose its tail, and the few lines that run a graph in memory."""

import asyncio
import itertools
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from pilothouse.engine.context import StepContext
from pilothouse.engine.drive import drive
from pilothouse.engine.entries import Entry, accepted
from pilothouse.engine.plan import Plan, compile_plan
from pilothouse.engine.ports import Ended, Fires, Limits, Outcome, StepFailed, Suspended
from pilothouse.engine.run import Run
from pilothouse.graph.catalogue import BlockSpec, Effects, Join, Kind
from pilothouse.graph.document import Document, Link, Node, Policy
from pilothouse.kit.json import Json, JsonObject, dumps, loads

RUN_ID = "0190a000-0000-7000-8000-000000000001"


def spec(name: str, ins: Sequence[str], outs: Sequence[str], **rest: Any) -> BlockSpec:
    """A block that takes anything on its pins; `text` is the one field that has no null."""
    effects = rest.pop("effects", Effects.NONE)
    inputs: JsonObject = {
        "type": "object",
        "properties": {pin: {"type": "string"} if pin == "text" else {} for pin in ins},
    }
    outputs: JsonObject = {"type": "object", "properties": {pin: {} for pin in (*outs, "error")}}
    return BlockSpec(
        id=name,
        name=name,
        description=name,
        categories=("BASIC",),
        kind=rest.pop("kind", Kind.STANDARD),
        effects=effects,
        static_output=rest.pop("static_output", False),
        streams=rest.pop("streams", effects is not Effects.WRITES),
        sensitive=False,
        cpu_heavy=rest.pop("cpu_heavy", False),
        timeout_s=rest.pop("timeout_s", None),
        inputs=inputs,
        outputs=outputs,
        happy_pins=tuple(outs),
        examples=(),
        **rest,
    )


Body = Callable[[JsonObject, StepContext], Any]


@dataclass
class Toy:
    """A block for tests: `body` is an async function or an async generator."""

    spec: BlockSpec
    body: Body
    is_generator: bool = False
    calls: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])

    def effects_of(self, inputs: JsonObject) -> Effects:
        return self.spec.effects

    async def call(self, inputs: JsonObject, ctx: StepContext) -> Fires:
        self.calls.append((ctx.step_id, ctx.attempt))
        return await self.body(inputs, ctx)

    def stream(self, inputs: JsonObject, ctx: StepContext) -> AsyncIterator[Fires]:
        self.calls.append((ctx.step_id, ctx.attempt))
        return self.body(inputs, ctx)


def from_disk(entry: Entry) -> Entry:
    """As the disk would: it is encoded when it is written, and is another object when it is read."""
    return cast(Entry, loads(dumps(entry)))


class Shelf:
    """The blocks of one test, by name."""

    def __init__(self, *toys: Toy) -> None:
        self.toys = {toy.spec.id: toy for toy in toys}
        self.catalogue = {name: toy.spec for name, toy in self.toys.items()}

    def get(self, block_id: str) -> Toy:
        return self.toys[block_id]


class Crash(Exception):
    """The process died here."""


class MemoryJournal:
    """Commits every batch at once. With `crash_after=n` only the first n entries ever reach the disk."""

    def __init__(self, log: list[Entry], crash_after: int | None = None) -> None:
        self.log = log
        self.crash_after = crash_after
        self.is_full = False
        self.batches: list[int] = []
        self.barriers = 0
        self.flushes = 0

    def add(self, entries: list[Entry]) -> None:
        room = len(entries) if self.crash_after is None else self.crash_after - len(self.log)
        self.log.extend(map(from_disk, entries[:room]))
        self.batches.append(len(self.log))
        if room < len(entries):
            raise Crash

    async def room(self) -> None:
        self.is_full = False

    async def barrier(self) -> None:
        self.barriers += 1
        await asyncio.sleep(0)

    def flush_now(self) -> None:
        self.flushes += 1


class Lease:
    """A lease that is good until it is not."""

    def __init__(self, good: bool = True) -> None:
        self.good = good

    def may_act(self) -> bool:
        return self.good


class Ticks:
    """A clock that goes on by itself, never stands still between two looks, and can be set forward."""

    def __init__(self) -> None:
        self.now = 1_700_000_000_000_000
        self._looked = time.monotonic_ns()

    def __call__(self) -> int:
        looked = time.monotonic_ns()
        self.now += max(1, (looked - self._looked) // 1_000)
        self._looked = looked
        return self.now


# -- toy blocks


async def _echo(inputs: JsonObject, ctx: StepContext) -> Fires:
    return [("out", inputs.get("value"))]


async def _slow_echo(inputs: JsonObject, ctx: StepContext) -> Fires:
    value = inputs.get("value")
    await asyncio.sleep(((value * 7) % 5) / 1000 if isinstance(value, int) else 0)
    return [("out", value)]


async def _pair(inputs: JsonObject, ctx: StepContext) -> Fires:
    return [("out", [inputs.get("a"), inputs.get("b")])]


async def _items(inputs: JsonObject, ctx: StepContext) -> AsyncIterator[Fires]:
    items = inputs.get("items")
    assert isinstance(items, list)
    for item in items:
        yield [("item", item)]


async def _input(inputs: JsonObject, ctx: StepContext) -> Fires:
    value = inputs.get("value")
    return [] if value is None else [("result", value)]


async def _output(inputs: JsonObject, ctx: StepContext) -> Fires:
    return [("output", inputs.get("value")), ("name", inputs.get("name"))]


async def _collect(inputs: JsonObject, ctx: StepContext) -> Fires:
    return [("out", dict(inputs))]


async def _boom(inputs: JsonObject, ctx: StepContext) -> Fires:
    raise StepFailed("boom", f"boom {inputs.get('value')}")


async def _down(inputs: JsonObject, ctx: StepContext) -> Fires:
    """Counts down to nothing when `again` is linked back."""
    value = inputs.get("value")
    return [("again", value - 1)] if isinstance(value, int) and value > 0 else [("out", value)]


async def _gather(inputs: JsonObject, ctx: StepContext) -> Fires:
    return [("out", inputs.get("item"))]


async def _agent(inputs: JsonObject, ctx: StepContext) -> Fires:
    """Calls each tool pin with its value, in order."""
    calls = inputs.get("calls")
    assert isinstance(calls, dict)
    return [*calls.items(), ("out", len(calls))]


async def _write(inputs: JsonObject, ctx: StepContext) -> Fires:
    await asyncio.sleep(0)
    return [("out", inputs.get("value"))]


async def _flaky(inputs: JsonObject, ctx: StepContext) -> AsyncIterator[Fires]:
    """Fires once, then fails until its third attempt."""
    yield [("out", ctx.attempt)]
    if ctx.attempt < 3:
        raise StepFailed("busy", "busy", retryable=True)


async def _timer(inputs: JsonObject, ctx: StepContext) -> AsyncIterator[Fires]:
    repeat, seconds = inputs.get("repeat", 1), inputs.get("seconds", 1)
    assert isinstance(repeat, int)
    assert isinstance(seconds, int | float)
    first = ctx.kept if isinstance(ctx.kept, int) else 0
    for lap in range(first, repeat):
        await ctx.wait_timer(seconds, keep=lap)
        yield [("out", lap)]


def shelf(*more: Toy) -> Shelf:
    """Fresh toys, so that each test counts its own calls."""
    return Shelf(
        Toy(spec("echo", ["value", "other"], ["out"]), _echo),
        Toy(spec("slow", ["value"], ["out"], effects=Effects.READS), _slow_echo),
        Toy(spec("pair", ["a", "b"], ["out"]), _pair),
        Toy(spec("items", ["items"], ["item"]), _items, is_generator=True),
        Toy(spec("slow_items", ["items"], ["item"], effects=Effects.READS), _items, is_generator=True),
        Toy(spec("input", ["name", "value"], ["result"], kind=Kind.INPUT, static_output=True), _input),
        Toy(spec("output", ["name", "value"], ["output", "name"], kind=Kind.OUTPUT, static_output=True), _output),
        Toy(spec("collect", ["text", "values", "a", "b"], ["out"]), _collect),
        Toy(spec("boom", ["value"], ["out"]), _boom),
        Toy(spec("write", ["value"], ["out"], effects=Effects.WRITES), _write),
        Toy(spec("timer", ["repeat", "seconds", "value"], ["out"]), _timer, is_generator=True),
        Toy(spec("flaky", ["value"], ["out"]), _flaky, is_generator=True),
        Toy(spec("down", ["value"], ["again", "out"]), _down),
        Toy(spec("gather", ["item", "count"], ["out"], join=Join.COLLECT), _gather),
        Toy(spec("agent", ["calls"], ["tools", "out"]), _agent),
        Toy(spec("note", ["text"], [], kind=Kind.NOTE), _echo),
        Toy(spec("hook", ["payload"], ["payload"], kind=Kind.TRIGGER), _hook),
        *more,
    )


async def _hook(inputs: JsonObject, ctx: StepContext) -> Fires:
    return [("payload", inputs["payload"])]


# -- graphs


def node(node_id: str, block: str, policy: Policy | None = None, **inputs: Json) -> Node:
    return Node(node_id, block, inputs=inputs, policy=policy or Policy())


def link(text: str, static: bool = False) -> Link:
    """`"a.out -> b.value"` as a link."""
    source, target = text.split(" -> ")
    return Link(*source.split(".", 1), *target.split(".", 1), static=static)


def graph(nodes: list[Node], *links: str | Link) -> Document:
    return Document("toy", nodes=tuple(nodes), links=tuple(link(x) if isinstance(x, str) else x for x in links))


@dataclass
class Played:
    """What came of a run."""

    run: Run
    log: list[Entry]
    outcome: Outcome
    plan: Plan
    journal: MemoryJournal

    @property
    def status(self) -> str:
        assert isinstance(self.outcome, Ended)
        return self.outcome.status

    def started(self, node_id: str) -> list[Entry]:
        return [e for e in self.log if e[0] == "s" and self.plan.nodes[int(e[3])].id == node_id]

    def left_over(self, node_id: str) -> list[JsonObject]:
        """The leftovers of a node, as the finished run lists them."""
        return [left for left in self.run.leftovers if isinstance(left, dict) and left["node_id"] == node_id]

    def fired(self, node_id: str, pin: str = "out") -> list[Json]:
        """The values of a pin in journal order."""
        return [e[6] for e in self.log if e[0] == "o" and self.plan.nodes[int(e[3])].id == node_id and e[4] == pin]


async def play(
    doc: Document,
    blocks: Shelf,
    inputs: JsonObject | None = None,
    *,
    masks: dict[str, JsonObject] | None = None,
    payload: JsonObject | None = None,
    skips: Sequence[str] = (),
    log: list[Entry] | None = None,
    crash_after: int | None = None,
    shot_at: int | None = None,
    clock: Callable[[], int] | None = None,
    cancelled: asyncio.Event | None = None,
    stopping: asyncio.Event | None = None,
    guard: Lease | None = None,
    limits: Limits | None = None,
) -> Played:
    """Run a graph, or go on with its log, as a worker would; with `shot_at`, from a snapshot after so many entries."""
    plan = compile_plan(doc, blocks.catalogue)
    tick = clock or Ticks()
    if log is None:
        log = []
    if not log:
        log.append(accepted(tick(), inputs or {}, masks, payload, skips))
    run, journal = _taken_up(plan, log, shot_at), MemoryJournal(log, crash_after)
    outcome = await drive(
        run,
        RUN_ID,
        blocks,
        journal,
        guard or Lease(),
        clock=tick,
        cancelled=cancelled or asyncio.Event(),
        stopping=stopping,
        limits=limits,
        random=itertools.repeat(0.5).__next__,
    )
    return Played(run, log, outcome, plan, journal)


def _taken_up(plan: Plan, log: list[Entry], shot_at: int | None) -> Run:
    run = Run(plan).fold(log[:shot_at])
    if shot_at is None:
        return run
    shot = loads(dumps(run.snapshot()))
    assert isinstance(shot, dict)
    return Run.restore(plan, shot).fold(log[shot_at:])


async def play_on(doc: Document, blocks: Shelf, inputs: JsonObject | None = None, **more: Any) -> Played:
    """Play to the end: each wait gives the worker back, and the next one goes on from the log when it is due."""
    clock: Ticks = more.setdefault("clock", Ticks())
    log: list[Entry] = more.setdefault("log", [])
    while True:
        played = await play(doc, blocks, inputs, **more)
        if isinstance(played.outcome, Ended):
            return played
        assert isinstance(played.outcome, Suspended)
        assert played.outcome.wake_at is not None
        assert played.log is log
        clock.now = max(clock.now, played.outcome.wake_at)
