"""F13, F15, F16, F17, S2, S3: what a failure does to its step, its branch and its run."""

from typing import Any

import pytest

from pilothouse.engine.ports import StepFailed
from pilothouse.features.runs.values import MAX_VALUE_BYTES, checked, is_writable
from pilothouse.graph.pins import MAX_WRITTEN
from pilothouse.kit.json import Json, dumps
from tests.features.runs import graphs
from tests.features.runs.graphs import link, node
from tests.features.runs.stand import Stand

BAD = "{{ 1 / 0 }}"
DECODER = "2b935639-65bc-48fd-9f88-823cd706fcd9"


def two_branches(policy: dict[str, Any] | None = None, *, wired: bool = False) -> Any:
    """One branch fails, the other gives `n`; with `wired` the message is an output too."""
    nodes = [
        node("n", graphs.NUMBER, name="n"),
        node("bad", graphs.TEMPLATE, policy, format=BAD),
        node("lost", graphs.OUTPUT, name="lost"),
        node("good", graphs.OUTPUT, name="good"),
    ]
    links = [
        link("n", "result", "bad", "values_#_n"),
        link("bad", "output", "lost", "value"),
        link("n", "result", "good", "value"),
    ]
    if wired:
        nodes.append(node("told", graphs.OUTPUT, name="told"))
        links.append(link("bad", "error", "told", "value"))
    return graphs.graph("Two branches", nodes, links)


async def test_f16_a_run_says_what_stayed_empty(stand: Stand):
    """engine:F16: to whoever waits for it, in its row, and in its last event."""
    document = two_branches()
    nodes = [node("one", graphs.ADD, a=1), node("pair", graphs.ADD), node("after", graphs.OUTPUT, name="after")]
    links = [
        link("one", "sum", "pair", "a"),
        link("bad", "output", "pair", "b"),
        link("pair", "sum", "after", "value"),
    ]
    document = {**document, "nodes": document["nodes"] + nodes, "links": document["links"] + links}
    run = await stand.run(document, n=1)
    left = [{"node_id": "pair", "filled": ["a"], "missing": ["b"]}]
    for told in (run, await stand.get(run["id"]), (await stand.events(run["id"]))[-1]):
        assert told["not_reached"] == ["after", "lost", "pair"]
        assert [{name: one[name] for name in one if name != "step_id"} for one in told["leftovers"]] == left
        assert (told["status"], told["stats"]["leftovers"]) == ("completed_with_errors", 1)
    fine = await stand.run(graphs.adder(), n=1)
    assert (fine["not_reached"], fine["leftovers"]) == ([], [])
    assert fine["stats"].keys().isdisjoint({"not_reached", "left_open"})


async def test_a_failed_step_ends_its_branch_and_no_other(stand: Stand):
    run = await stand.run(two_branches(), n=1)
    assert (run["status"], run["outputs"]) == ("completed_with_errors", {"good": [1]})
    assert (run["stats"]["errors_handled"], run["stats"]["errors_unhandled"]) == (0, 1)
    assert run["not_reached"] == ["lost"]
    steps = (await stand.ann.http.get(f"/api/v1/runs/{run['id']}/steps")).json()["items"]
    (failed,) = [step for step in steps if step["status"] == "failed"]
    assert (failed["node_id"], failed["error"]["code"]) == ("bad", "block_error")
    assert run["reason"] == {
        "code": "step_failed",
        "message": failed["error"]["message"],
        "step_id": failed["step_id"],
    }


async def test_a_failure_that_must_not_be_fails_the_run(stand: Stand):
    run = await stand.run(two_branches({"on_error": "fail"}), n=1)
    assert (run["status"], run["reason"]["code"]) == ("failed", "step_failed")
    assert (await stand.events(run["id"]))[-1]["status"] == "failed"


async def test_the_message_of_a_failure_goes_over_its_link(stand: Stand):
    run = await stand.run(two_branches(wired=True), n=1)
    assert run["status"] == "completed_with_errors"
    assert run["outputs"] == {"good": [1], "told": [run["reason"]["message"]]}
    assert (run["stats"]["errors_handled"], run["stats"]["errors_unhandled"]) == (1, 0)


async def test_a_value_that_does_not_fit_fails_its_step(small: Stand):
    document = graphs.graph(
        "Misfit",
        [node("w", graphs.TEXT, name="w"), node("add", graphs.ADD), node("out", graphs.OUTPUT, name="sum")],
        [link("w", "result", "add", "a"), link("add", "sum", "out", "value")],
    )
    agent = await small.agent(document)
    assert (await small.start(agent, wait=20, w="41"))["outputs"] == {"sum": [42]}
    run = await small.start(agent, wait=20, w="many")
    steps = (await small.ann.http.get(f"/api/v1/runs/{run['id']}/steps")).json()["items"]
    (failed,) = [step for step in steps if step["status"] == "failed"]
    assert (run["status"], failed["error"]["code"]) == ("completed_with_errors", "invalid_input")
    assert list(failed["error"]["detail"]["fields"]) == ["a"]


async def test_a_number_that_cannot_be_kept_fails_its_step(small: Stand):
    run = await small.run(graphs.adder(by=2**63), n=2**63)
    assert (run["status"], run["reason"]["message"]) == (
        "completed_with_errors",
        "What sum gave cannot be written as JSON.",
    )


async def test_steps_over_the_limit_fail_the_run(small: Stand):
    document = graphs.graph(
        "Endless",
        [node("n", graphs.NUMBER, name="n"), node("add", graphs.ADD, b=1), node("again", graphs.ADD, b=0)],
        [link("n", "result", "add", "a"), link("add", "sum", "again", "a"), link("again", "sum", "add", "a")],
    )
    motor = small.house.worker.motor
    limits = motor.limits
    motor.limits = type(limits)(steps=50)
    try:
        run = await small.run(document, n=1)
    finally:
        motor.limits = limits
    assert (run["status"], run["reason"]["code"]) == ("failed", "step_limit")


def nested(levels: int) -> Json:
    value: Json = "x"
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ("x" * (MAX_VALUE_BYTES + 1), "value_too_large"),
        ("\x00" * (MAX_VALUE_BYTES // 6 + 1), "value_too_large"),  # six bytes each, as JSON writes them
        (["x" * MAX_VALUE_BYTES], "value_too_large"),
        ({"deep": nested(240)}, "not_json"),
        ("lone \ud800 surrogate", "not_json"),
        (["\udfff"], "not_json"),
        (2**64, "not_json"),
        (-(2**63) - 1, "not_json"),
        ({"n": 2**70}, "not_json"),
        (float("nan"), "not_json"),
        (float("-inf"), "not_json"),
    ],
)
def test_a_value_that_cannot_be_kept_is_refused(value: Json, code: str):
    with pytest.raises(StepFailed) as refused:
        checked([("fine", 1), ("pin", value)])
    assert refused.value.code == code


@pytest.mark.parametrize(
    "value",
    [
        *("x" * (MAX_VALUE_BYTES - 2), "ü" * 1_000_000, 2**64 - 1, -(2**63), 0.5, True, None, nested(200)),
        *({"a": [1, None, "ü"]}, [], "\x00"),
    ],
)
def test_a_value_that_can_be_kept_passes(value: Json):
    assert checked([("pin", value)]) == [("pin", value)]


async def test_the_deepest_value_in_the_deepest_pin_fits_into_the_log(stand: Stand):
    """engine:F10: what a path puts around a value keeps nothing from being written."""
    deepest = next(levels for levels in range(254, 0, -1) if is_writable(nested(levels)))
    nodes = [
        node("read", DECODER, json_str=dumps(nested(deepest))),
        node("make", graphs.DICTIONARY),
        node("told", graphs.OUTPUT, name="told"),
    ]
    links = [
        link("read", "data", "make", "values" + "_#_a" * MAX_WRITTEN),
        link("make", "error", "told", "value"),
    ]
    run = await stand.run(graphs.graph("Deep", nodes, links))
    assert run["status"] == "completed_with_errors"
    assert run["outputs"] == {"told": ["What dictionary gave cannot be written as JSON."]}
    steps = (await stand.ann.http.get(f"/api/v1/runs/{run['id']}/steps")).json()["items"]
    assert [step["status"] for step in steps] == ["completed", "failed", "completed"]
    assert len(await stand.events(run["id"])) == run["last_event_id"]
