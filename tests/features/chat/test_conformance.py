"""4.2, 4.4, 5.2, ruling 11: the real `ai` package, v6 and v7, reads our streams without one schema error."""

import json

import pytest

from tests.features.chat.parlour import Parlour
from tests.features.chat.sdk import PACKAGES, WEB, Scene, kinds, played
from tests.providers.script import Body

SCENES = {
    "whole": ("whole", "think let me see\nsay hello there\ntool find_block\nbreak run_agent\nsay good bye"),
    "error": ("whole", "say before\nfail provider_error"),
    "abort": ("abort", "talk never"),
    "left": ("left", "talk never"),
    "resume": ("resume", "say one\nstay {session}\nsay two\ntool find_block\nsay three"),
    "reload": ("reload", "think hm\nsay one\nstay {session}\ntool find_block\nsay two"),
    "nothing": ("nothing", ""),
    "ended": ("ended", "say one"),
    "parts": ("whole", "everything"),
    "everything": ("chunks", "everything"),
    "failed": ("chunks", "say before\nfail provider_error"),
    "cancelled": ("cancelled", "talk never"),
}


@pytest.fixture(params=PACKAGES)
def version(request: pytest.FixtureRequest) -> str:
    return request.param


async def play(parlour: Parlour, version: str, *names: str) -> Body:
    """Let the package talk to us, and hear what it made of it."""
    scenes: dict[str, Scene] = {}
    for name in names:
        session, (scene, say) = await parlour.session(), SCENES[name]
        scenes[name] = Scene(session, scene, say.format(session=session))
    stand = parlour.stand
    return await played(stand.house, stand.ann.key, version, scenes, returned=parlour.open)


def test_both_versions_are_what_they_say():
    """A package under another's name would judge nothing."""
    for version, package in PACKAGES.items():
        told = json.loads((WEB / "node_modules" / package / "package.json").read_text())
        assert (told["name"], told["version"].split(".")[0]) == ("ai", version.removeprefix("v"))


async def test_whole_turns_become_whole_messages(small: Parlour, version: str):
    told = await play(small, version, "whole", "nothing", "ended")
    whole = told["whole"]
    assert (whole["status"], whole["error"], whole["faults"], whole["valid"]) == ("ready", None, [], True)
    assert [message["role"] for message in whole["messages"]] == ["user", "assistant"]
    answer = whole["messages"][1]
    assert kinds(answer) == [
        *("step-start", "reasoning", "step-start", "text", "step-start", "tool-find_block"),
        *("step-start", "tool-run_agent", "step-start", "text"),
    ]
    assert [part["state"] for part in answer["parts"] if "state" in part] == [
        *("done", "done", "output-available", "output-error", "done"),
    ]
    assert [part["text"] for part in answer["parts"] if "text" in part] == ["let me see", "hello there", "good bye"]
    found, broken = (part for part in answer["parts"] if part["type"].startswith("tool-"))
    assert (found["input"], found["output"]) == ({"n": 1}, {"ok": True})
    assert (broken["input"], broken["errorText"]) == ({}, "There is no such thing.")
    for name, roles in (("nothing", []), ("ended", ["user"])):  # 204 changes nothing
        seen = told[name]
        assert (seen["status"], seen["answered"], seen["faults"]) == ("ready", 204, [])
        assert [message["role"] for message in seen["messages"]] == roles


async def test_parts_of_our_own_are_kept_or_told_once(small: Parlour, version: str):
    """4.2: what is transient reaches `onData` and stays in no message."""
    told = (await play(small, version, "parts"))["parts"]
    assert (told["status"], told["faults"], told["valid"]) == ("ready", [], True)
    kept = [kind for kind in kinds(told["messages"][1]) if kind.startswith("data-")]
    assert kept == ["data-step-reset", "data-notice", "data-background", "data-follow-up", "data-compaction"]
    assert set(told["data"]) == {*kept, "data-status", "data-usage", "data-title"}


async def test_errors_and_aborts_end_as_the_package_expects(small: Parlour, version: str):
    told = await play(small, version, "error", "abort")
    error, abort = told["error"], told["abort"]
    assert (error["status"], error["error"]) == ("error", "It went wrong.")
    assert kinds(error["messages"][1]) == ["step-start", "text", "data-error"]
    assert (abort["status"], abort["error"], abort["valid"]) == ("ready", None, True)
    assert kinds(abort["messages"][1]) == ["step-start", "text", "tool-slow_tool"]
    assert [part["state"] for part in abort["messages"][1]["parts"][1:]] == ["done", "output-error"]


async def test_stopping_the_client_does_not_stop_the_turn(small: Parlour, version: str):
    """10.7, 5.2: its own `stop()` only hangs up; coming back gives the turn from its start, and the cancel its end."""
    told = (await play(small, version, "left"))["left"]
    assert (told["status"], told["faults"], told["valid"], told["answered"]) == ("ready", [], True, 200)
    assert kinds(told["messages"][1]) == ["step-start", "text", "tool-slow_tool"]
    assert [part.get("text") for part in told["messages"][1]["parts"][1:]] == ["half a", None]


@pytest.mark.parametrize("scene", ["resume", "reload"])
async def test_a_cut_connection_is_resumed_without_a_doublet(small: Parlour, version: str, scene: str):
    """5.2: in the page that was cut, whose message is half there, and in one that knows the question alone."""
    told = (await play(small, version, scene))[scene]
    assert (told["status"], told["faults"], told["valid"]) == ("ready", [], True)
    assert [message["role"] for message in told["messages"]] == ["user", "assistant"]
    texts = [part["text"] for part in told["messages"][1]["parts"] if part["type"] == "text"]
    assert texts == (["one", "two", "three"] if scene == "resume" else ["one", "two"])
    tools = [part["state"] for part in told["messages"][1]["parts"] if part["type"] == "tool-find_block"]
    assert tools == ["output-available"]


async def test_no_chunk_is_refused_by_the_schema(small: Parlour, version: str):
    """5.4: each type of event that there is, and what comes after an error or a cancel."""
    told = await play(small, version, "everything", "failed", "cancelled")
    assert set(told["everything"]["types"]) >= {
        *("start", "start-step", "finish-step", "text-start", "text-delta", "text-end", "finish"),
        *("reasoning-start", "reasoning-delta", "reasoning-end", "tool-input-start", "tool-input-delta"),
        *("tool-input-available", "tool-output-available", "tool-output-error"),
        *("data-status", "data-step-reset", "data-background", "data-follow-up", "data-compaction"),
        *("data-usage", "data-notice", "data-title"),
    }
    assert told["failed"]["types"][-3:] == ["data-error", "error", "finish"]
    assert told["cancelled"]["types"][-2:] == ["abort", "finish"]
    assert [scene["refused"] for scene in told.values()] == [[], [], []]
