"""E3, W4: what steps spend, in the statistics of their run and of the runs above it."""

from typing import cast

import pytest

from pilothouse.kit.json import Json, JsonObject
from tests.features.runs import graphs
from tests.features.runs.graphs import calls, graph, link, node
from tests.features.runs.stand import Stand
from tests.features.runs.test_children import children_of


def spends(*, fails: bool) -> JsonObject:
    """Two steps that cost something, one after the other; the second may fail."""
    return graph(
        "Spends",
        [
            node("one", graphs.SPEND, value=1),
            node("two", graphs.SPEND, fails=fails),
            node("out", graphs.OUTPUT, name="value"),
        ],
        [link("one", "value", "two", "value"), link("two", "value", "out", "value")],
    )


@pytest.mark.parametrize("fails", [False, True])
async def test_w4_what_children_spend_counts_once_in_every_run_above(stand: Stand, fails: bool):
    """W4, E3: also when a step, or the child, failed: it was spent all the same"""
    leaf = await stand.agent(spends(fails=fails))
    middle = await stand.agent(calls(leaf, "value"))
    document = calls(middle, "value")
    document["nodes"] = [*cast(list[Json], document["nodes"]), node("own", graphs.SPEND)]
    run = await stand.run(document)
    assert run["status"] == ("completed_with_errors" if fails else "completed")
    assert run["stats"]["cost_microdollars"] == {"acme": 90}
    assert run["stats"]["tokens"] == {"completion": 6, "prompt": 15}
    ((child_id, *_),) = await children_of(stand, run["id"])
    assert (await stand.get(child_id))["stats"]["cost_microdollars"] == {"acme": 60}


async def test_e3_an_attempt_that_is_repeated_has_been_paid_for(stand: Stand):
    """E3"""
    retry: JsonObject = {"retry": {"max_attempts": 3, "backoff_s": 0.05, "on": "any"}}
    run = await stand.run(graph("Again", [node("two", graphs.SPEND, retry, fails=True)], []))
    assert (run["stats"]["retries"], run["stats"]["cost_microdollars"]) == (2, {"acme": 90})
    quiet = await stand.run(graphs.adder(), n=1)
    assert (quiet["stats"]["cost_microdollars"], quiet["stats"]["tokens"]) == ({}, {})
