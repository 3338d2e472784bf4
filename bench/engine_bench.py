"""Times the engine in memory: `python bench/engine_bench.py` prints `name: value unit` lines."""

import asyncio
import statistics
import time
from collections.abc import Callable

from pilothouse.engine.drive import drive
from pilothouse.engine.entries import Entry, accepted
from pilothouse.engine.plan import Plan, compile_plan
from pilothouse.engine.ports import Ended
from pilothouse.engine.run import Run
from pilothouse.graph.document import Document
from pilothouse.graph.validate import validate
from pilothouse.kit.json import dump_bytes, loads
from tests.engine.toys import RUN_ID, Lease, graph, node, shelf

SHELF = shelf()


class Buffer:
    """A journal that only encodes, as a flush would."""

    def __init__(self) -> None:
        self.log: list[Entry] = []
        self.is_full = False

    def add(self, entries: list[Entry]) -> None:
        dump_bytes(entries)
        self.log.extend(entries)

    async def room(self) -> None:
        return

    async def barrier(self) -> None:
        return

    def flush_now(self) -> None:
        return


def micros() -> int:
    return time.time_ns() // 1_000


async def once(plan: Plan) -> list[Entry]:
    first = accepted(micros(), {})
    run, journal = Run(plan).fold([first]), Buffer()
    outcome = await drive(run, RUN_ID, SHELF, journal, Lease(), clock=micros, cancelled=asyncio.Event())
    assert isinstance(outcome, Ended)
    assert outcome.status == "completed"
    return [first, *journal.log]


def median_ms(work: Callable[[], object], rounds: int) -> float:
    times: list[float] = []
    for _ in range(rounds):
        begin = time.perf_counter()
        work()
        times.append((time.perf_counter() - begin) * 1000)
    return statistics.median(times)


def chain(length: int) -> Document:
    nodes = [node("n0", "echo", value=1), *(node(f"n{i}", "echo") for i in range(1, length))]
    return graph(nodes, *(f"n{i}.out -> n{i + 1}.value" for i in range(length - 1)))


def fan(width: int) -> Document:
    return graph(
        [node("all", "items", items=list(range(width))), node("a", "echo"), node("b", "echo"), node("j", "pair")],
        *("all.item -> a.value", "all.item -> b.value", "a.out -> j.a", "b.out -> j.b"),
    )


def main() -> None:
    loop = asyncio.new_event_loop()
    hundred, wide = compile_plan(chain(100), SHELF.catalogue), compile_plan(fan(200), SHELF.catalogue)
    took = median_ms(lambda: loop.run_until_complete(once(hundred)), 200)
    print(f"100 sequential steps: {took:.2f} ms")
    print(f"pure step: {took * 10:.1f} us")
    print(f"fan-out of 200 into a join: {median_ms(lambda: loop.run_until_complete(once(wide)), 100):.2f} ms")

    log = loop.run_until_complete(once(compile_plan(fan(5_000), SHELF.catalogue)))
    plan = compile_plan(fan(5_000), SHELF.catalogue)
    took = median_ms(lambda: Run(plan).fold(log), 5)
    print(f"fold: {took * 1000 / len(log):.2f} us per entry")
    text = dump_bytes(log)
    took = median_ms(lambda: Run(plan).fold(loads(text)), 5)  # type: ignore[arg-type]
    print(f"fold with decoding: {took * 1000 / len(log):.2f} us per entry")

    big = chain(1_000)
    print(f"validate 1,000 nodes: {median_ms(lambda: validate(big, SHELF.catalogue, 'run'), 10):.1f} ms")
    print(f"compile 1,000 nodes: {median_ms(lambda: compile_plan(big, SHELF.catalogue), 10):.1f} ms")
    loop.close()


if __name__ == "__main__":
    main()
