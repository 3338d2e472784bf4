"""Every example of every block, run (blocks:Q11, blocks:Q6)."""

from pathlib import Path

import pytest

from pilothouse.blocks.contract import BlockFailed, Example
from pilothouse.blocks.example import Expected
from pilothouse.blocks.registry import Registry
from pilothouse.blocks.rehearsal import PreparedHttp, PreparedOutside, PreparedSandbox, Rehearsal
from pilothouse.blocks.runner import Runnable
from pilothouse.graph.catalogue import Effects
from pilothouse.graph.values import problems
from pilothouse.kit.json import Json

REGISTRY = Registry(test_blocks=True)
CASES = [
    pytest.param(block_id, example, id=f"{REGISTRY[block_id].name}-{number}")
    for block_id in REGISTRY
    for number, example in enumerate(REGISTRY.load(block_id).examples)
]


def matches(value: Json, expected: Expected) -> bool:
    if isinstance(expected, type):
        return isinstance(value, expected)
    if callable(expected):
        return expected(value)
    return value == expected and type(value) is type(expected)


async def play(runnable: Runnable, example: Example, stage: Rehearsal) -> list[tuple[str, Json]]:
    return [fired async for part in runnable.stream(dict(example.ask), stage) for fired in part]


def stage_for(example: Example) -> Rehearsal:
    http, outside = PreparedHttp(example.http), PreparedOutside(example.outside)
    sandbox = PreparedSandbox(example.ran)
    return Rehearsal(http=http, outside=outside, sandbox=sandbox, credentials=example.credentials)


@pytest.mark.parametrize(("block_id", "example"), CASES)
async def test_an_example_fires_exactly_what_it_says(
    block_id: str, example: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    runnable = REGISTRY.runnable(block_id)
    stage = stage_for(example)

    if example.fails:
        with pytest.raises(BlockFailed) as caught:
            await play(runnable, example, stage)
        assert caught.value.code == example.fails
        return

    fired = await play(runnable, example, stage)
    assert [pin for pin, _ in fired] == [pin for pin, _ in example.fires]
    for (_, value), (_, expected) in zip(fired, example.fires, strict=True):
        assert matches(value, expected)
    assert (stage.http.replies, stage.outside.said) == ([], [])
    assert stage.sandbox.ran == []


@pytest.mark.parametrize(("block_id", "example"), CASES)
async def test_a_writing_request_carries_the_steps_key(
    block_id: str, example: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    runnable = REGISTRY.runnable(block_id)
    if runnable.effects_of(dict(example.ask)) is not Effects.WRITES or runnable.spec.at_least_once or example.fails:
        return
    stage = stage_for(example)
    await play(runnable, example, stage)
    for request in stage.http.sent:
        assert request.headers["idempotency-key"] == stage.idempotency_key()


@pytest.mark.parametrize("block_id", list(REGISTRY))
def test_what_the_first_example_fires_fits_the_served_schema(block_id: str):
    spec = REGISTRY[block_id]
    pins = spec.outputs["properties"]
    assert isinstance(pins, dict)
    for pin, value in REGISTRY.load(block_id).examples[0].fires:
        schema = pins.get(pin, {})  # a sub-agent's outputs are its own
        assert isinstance(schema, dict)
        assert not callable(value)
        assert problems(value, schema, spec.outputs) == []


# These take whatever their pins take and always have an answer.
CANNOT_FAIL = {
    *("Add to dictionary", "Add to list", "Agent input", "Agent long text input", "Agent short text input"),
    *("Agent table input", "Code extraction", "Count items", "Create dictionary", "Dictionary is empty"),
    *("Find in dictionary", "Find in list", "Generic webhook trigger", "If input matches", "JSON encoder"),
    *("List difference", "List intersection", "List is empty", "Note", "Print to console", "Retrieve information"),
    *("Reverse list order", "Store value", "Switch", "Text encoder", "Word character count"),
    "Combine texts",  # fails only past 16 million characters: test_text_blocks
}


def test_every_block_that_can_fail_shows_how():
    silent = {
        spec.name
        for block_id, spec in Registry().items()
        if not any(one.fails or "error" in dict(one.fires) for one in REGISTRY.load(block_id).examples)
    }
    assert silent == CANNOT_FAIL
