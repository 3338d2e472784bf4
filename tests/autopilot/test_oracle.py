"""autopilot:4.2, 4.4, 4.5, 4.6: on what both know, our stream is the one that Pydantic AI's own encoder makes.

The same answers of a loopback provider go through AutoPilot, its log and our projection, and through the library's
agent and its encoder for the AI SDK. What only one of them says (parts of our own, metadata, the pieces of a call's
arguments) is left out; how a text is cut into pieces is each one's own affair.
"""

from itertools import groupby

import pytest
from pydantic_ai import Agent
from pydantic_ai.ui.vercel_ai import VercelAIEventStream

from pilothouse.kit.json import loads
from tests.autopilot.stage import BYE, Stage
from tests.autopilot.workshop import Done
from tests.features.chat.sdk import PACKAGES, Scene, kinds, played
from tests.providers.listening import loopback
from tests.providers.script import Answer, Body, Tool

COUNT = Tool("c1", "count_up", '{"n": 3}')
AGAIN = Tool("c2", "count_up", '{"n": 4}')
FALL = Tool("c3", "stumble", '{"n": 5}')
TURNS = {
    "text": [Answer(text=("Hel", "lo", " there."))],
    "reasoning and text": [Answer(thinking=("I ", "see."), text=("Yes.", " No."))],
    "long pieces": [Answer(thinking=("hm " * 40, "so " * 40), text=("word " * 30, "more " * 30))],
    "a call": [Answer(tools=(COUNT,)), BYE],
    "a call after words": [Answer(thinking=("Let me count.",), text=("Counting.",), tools=(COUNT,)), BYE],
    "a call that fails": [Answer(text=("Hm.",), tools=(FALL,)), BYE],
    "three rounds": [Answer(tools=(COUNT,)), Answer(thinking=("More.",), tools=(AGAIN,)), BYE],
}
PARALLEL = [Answer(text=("All.",), tools=(COUNT, AGAIN, FALL)), BYE]
FIELDS = ("delta", "toolCallId", "toolName", "input", "output", "finishReason")
OURS = ("session_id", "details")  # what every result of ours says besides


async def ours(stage: Stage, answers: list[Answer]) -> list[Body]:
    """Our chunks, as they came over HTTP."""
    await stage.play(*answers)
    path = f"/api/chat/sessions/{stage.bridge.session_id}/stream"
    told = await stage.bridge.stand.ann.browser.post(path, json={"message": "go"})
    assert told.status_code == 200, told.text
    return read(told.text)


async def theirs(answers: list[Answer]) -> list[Body]:
    """What the library makes of the same answers."""
    encoder: VercelAIEventStream[None, str] = VercelAIEventStream(sdk_version=6, server_message_id="m")
    async with loopback("openai", *answers) as (model, _):
        agent = Agent(model, tools=[count_up, stumble])
        async with agent.run_stream_events("go") as events:
            chunks = encoder.transform_stream(events)
            return read("".join([encoder.encode_event(chunk) async for chunk in chunks]))


async def count_up(n: int) -> Body:
    """Count, as the workshop's does."""
    return Done(message="Counted.", n=n).model_dump(mode="json", exclude_none=True)


async def stumble(n: int) -> Body:
    """What the workshop's exception becomes: a result that says so."""
    return {"type": "error", "message": "This tool failed.", "code": "internal"}


def read(text: str) -> list[Body]:
    data = [line.removeprefix("data: ") for line in text.splitlines() if line.startswith("data: ")]
    assert data[-1] == "[DONE]"
    return [chunk for chunk in (loads(each) for each in data[:-1]) if isinstance(chunk, dict)]


def shared(chunks: list[Body]) -> list[Body]:
    """What both know, pieces put together, without ids that are each one's own."""
    kept = [chunk for chunk in chunks if not chunk["type"].startswith(("data-", "message-", "tool-input-delta"))]
    told: list[Body] = []
    for kind, run in groupby(kept, lambda chunk: (chunk["type"], chunk.get("id"))):
        pieces = list(run)
        if kind[0].endswith("-delta"):
            pieces = [pieces[0] | {"delta": "".join(piece["delta"] for piece in pieces)}]
        told += [{"type": kind[0], **{name: piece[name] for name in FIELDS if name in piece}} for piece in pieces]
    for chunk in told:
        if "output" in chunk:
            chunk["output"] = {name: value for name, value in chunk["output"].items() if name not in OURS}
    return told


@pytest.mark.parametrize("name", TURNS)
async def test_the_same_chunks_come_in_the_same_order(stage: Stage, name: str):
    mine = shared(await ours(stage, TURNS[name]))
    assert mine == shared(await theirs(TURNS[name]))
    assert [chunk["type"] for chunk in mine][:2] == ["start", "start-step"]
    assert mine[-1] == {"type": "finish", "finishReason": "stop"}


async def test_parallel_calls_agree_call_by_call(stage: Stage):
    """The library announces all calls before the first is available; ours follow one another. Results come as they
    end. Each call's own chunks, and all that is of no call, are the same.
    """
    mine, others = shared(await ours(stage, PARALLEL)), shared(await theirs(PARALLEL))
    for call in (None, "c1", "c2", "c3"):
        told = [[chunk for chunk in chunks if chunk.get("toolCallId") == call] for chunks in (mine, others)]
        assert told[0] == told[1]
        assert told[0]


@pytest.mark.parametrize("name", TURNS)
async def test_blocks_have_ids_of_their_own(stage: Stage, name: str):
    """4.4"""
    for chunks in (await ours(stage, TURNS[name]), await theirs(TURNS[name])):
        starts = [chunk["id"] for chunk in chunks if chunk["type"] in {"text-start", "reasoning-start"}]
        ends = [chunk["id"] for chunk in chunks if chunk["type"] in {"text-end", "reasoning-end"}]
        assert starts == ends
        assert len(set(starts)) == len(starts)


@pytest.mark.parametrize("version", PACKAGES)
async def test_the_package_reads_what_autopilot_says(stage: Stage, version: str):
    """5.4: a whole turn of the real motor, in the real client."""
    first = Answer(thinking=("Let me count.",), text=("Counting.",), tools=(COUNT, FALL))
    await stage.play(first, BYE)
    stand = stage.bridge.stand
    scenes = {"go": Scene(stage.bridge.session_id, "whole", "go")}
    told = (await played(stand.house, stand.ann.key, version, scenes))["go"]
    assert (told["status"], told["faults"], told["valid"]) == ("ready", [], True)
    parts = ["step-start", "reasoning", "text", "tool-count_up", "tool-stumble", "step-start", "text"]
    assert [kind for kind in kinds(told["messages"][1]) if not kind.startswith("data-")] == parts
