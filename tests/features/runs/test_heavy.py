"""C5: blocks that compute for long run in processes of their own, and the loop goes on."""

import asyncio
import os
import time

from pilothouse.kit.json import Json, JsonObject
from tests.features.runs import graphs
from tests.features.runs.graphs import link, node
from tests.features.runs.stand import Stand


def burning(seconds: float, value: Json, policy: JsonObject | None = None, width: int = 1) -> JsonObject:
    nodes = [node("out", graphs.OUTPUT, name="out"), node("bad", graphs.OUTPUT, name="bad")]
    links: list[JsonObject] = []
    for nth in range(width):
        nodes.append(node(f"burn{nth}", graphs.BURN, policy, seconds=seconds, value=value))
        links += [link(f"burn{nth}", "value", "out", "value"), link(f"burn{nth}", "error", "bad", "value")]
    return graphs.graph("Burning", nodes, links)


async def lag_ms(stop: asyncio.Event) -> list[float]:
    """For how long the loop was kept, again and again: by us, not by others on this machine."""
    kept: list[float] = []
    while not stop.is_set():
        began = time.thread_time()
        await asyncio.sleep(0.002)
        kept.append((time.thread_time() - began) * 1000)
    return sorted(kept)


async def test_the_loop_goes_on_while_heavy_blocks_compute(small: Stand):
    """engine:C5"""
    agent = await small.agent(burning(0.4, "pid", width=4))
    await small.run(burning(0.1, "pid", width=4))  # the processes are started
    stop = asyncio.Event()
    watch = asyncio.create_task(lag_ms(stop))
    run = await small.start(agent, wait=30)
    stop.set()
    kept = await watch
    assert run["status"] == "completed"
    assert os.getpid() not in run["outputs"]["out"]
    assert kept[len(kept) * 99 // 100] <= 50


async def test_a_heavy_block_that_dies_fails_its_step_and_no_other(small: Stand):
    """engine:C5"""
    run = await small.run(burning(0, "die"))
    assert run["outputs"] == {"bad": ["The process that ran this block died."]}
    assert (await small.run(burning(0, 5)))["outputs"] == {"out": [5]}


async def test_a_heavy_block_reaches_nothing(small: Stand):
    """engine:C5"""
    run = await small.run(burning(0, "reach"))
    assert run["outputs"] == {"bad": ["A heavy block only computes; it cannot use `http`."]}


async def test_a_heavy_block_past_its_time_is_ended_with_its_process(small: Stand):
    """engine:C5, engine:T2"""
    began = time.monotonic()
    run = await small.run(burning(60, 1, {"timeout_s": 1}))
    assert run["outputs"] == {"bad": ["This took longer than 1 seconds."]}
    assert time.monotonic() - began < 10
    assert (await small.run(burning(0, "next")))["outputs"] == {"out": ["next"]}


async def test_steps_that_look_outside_do_not_wait_for_one_another(small: Stand):
    """engine:C5: twenty at once take as long as one"""
    nodes = [node(f"s{nth}", graphs.SLEEP, seconds=0.3) for nth in range(20)]
    began = time.monotonic()
    run = await small.run(graphs.graph("Twenty", nodes, []))
    assert run["status"] == "completed"
    assert time.monotonic() - began < 0.3 * 20
