"""Agents that run code: in the sandbox, and nowhere else (blocks:Q5, deployment:D3)."""

from pathlib import Path
from typing import Any

import pytest

from tests.databases import fresh_sqlite
from tests.features.runs import graphs
from tests.features.runs.graphs import graph, link, node
from tests.features.runs.installations import settings_for
from tests.features.runs.stand import Stand, open_installation, stamp
from tests.sandboxing import need_walls

EXECUTE = "0b02b072-abe7-11ef-8372-fb5d162dd712"
INSTANTIATE = "ff0861c9-1726-4aec-9e5b-bf53f3622112"
READ = "3735a31f-7e18-4aca-9e90-08a7120674bc"
STEP = "82b59b8e-ea10-4d57-9161-8b169b0adba6"


def executes(code: str, *pins: str, **more: Any) -> graphs.JsonObject:
    """An agent that runs code, with an output for each of these pins."""
    nodes = [node("code", EXECUTE, code=code, **more), *(node(f"out_{pin}", graphs.OUTPUT, name=pin) for pin in pins)]
    return graph("Executes", nodes, [link("code", pin, f"out_{pin}", "value") for pin in pins])


async def test_an_agent_runs_code_and_hands_on_what_came_of_it(stand: Stand):
    await need_walls()
    code = "open('a.txt', 'w').write('hi')\nprint('said')\n[n + 1]"
    ended = await stand.run(
        executes(code, "response", "main_result", "stdout_logs", "files", variables={"n": 41}, timeout=60)
    )
    assert ended["status"] == "completed"
    ((file,),) = ended["outputs"]["files"]
    assert {**file, "file": None} == {"path": "a.txt", "name": "a.txt", "size": 2, "type": "text/plain", "file": None}
    file_id, _, kind = file["file"].removeprefix("workspace://").partition("#")
    (stored,) = (await stand.ann.browser.get("/api/workspace/files")).json()["items"]
    assert (stored["id"], kind, stored["name"], stored["scope_id"]) == (file_id, "text/plain", "a.txt", ended["id"])
    assert ended["outputs"] == {
        "response": ["[42]"],
        "main_result": [{"text": "[42]", "json": [42]}],
        "stdout_logs": ["said\n"],
        "files": [[file]],
    }


async def test_files_that_code_leaves_are_read_by_later_steps_whatever_they_are_called(stand: Stand):
    await need_walls()
    nodes = [
        node("code", EXECUTE, code="open('a\\\\b:\\n.txt', 'w').write('hi')"),
        node("again", EXECUTE, code="open('a\\\\b:\\n.txt', 'w').write('ho')"),
        *(node(f"read_{name}", READ) for name in ("code", "again")),
        node("out", graphs.OUTPUT, name="said"),
    ]
    links = [
        *(link(name, "files_$_0_#_file", f"read_{name}", "file_input") for name in ("code", "again")),
        *(link(f"read_{name}", "content", "out", "value") for name in ("code", "again")),
    ]
    ended = await stand.run(graph("Reads", nodes, links))
    assert sorted(ended["outputs"]["said"]) == ["hi", "ho"]


async def test_code_that_fails_fires_its_last_words(stand: Stand):
    await need_walls()
    ended = await stand.run(executes("raise ValueError('no')", "error", "stderr_logs"))
    assert ended["outputs"]["error"] == ["ValueError: no"]
    assert "Traceback" in ended["outputs"]["stderr_logs"][0]


async def test_a_sandbox_is_kept_from_step_to_step(stand: Stand):
    await need_walls()
    document = graph(
        "Steps",
        [
            node("make", INSTANTIATE, setup_code="open('n', 'w').write('1')", setup_commands=["echo ready"]),
            node("second", STEP, step_code="open('n').read() + '2'", dispose_sandbox=True),
            node("out", graphs.OUTPUT, name="said"),
            node("id", graphs.OUTPUT, name="id"),
        ],
        [
            link("make", "sandbox_id", "second", "sandbox_id"),
            link("make", "sandbox_id", "id", "value"),
            link("second", "response", "out", "value"),
        ],
    )
    ended = await stand.run(document)
    assert (ended["status"], ended["outputs"]["said"]) == ("completed", ["12"])
    (sandbox_id,) = ended["outputs"]["id"]
    assert not (stand.house.settings.data_dir / "sandboxes" / f"{sandbox_id}.tar").exists()


async def test_a_sandbox_of_another_run_is_gone(stand: Stand):
    await need_walls()
    made = await stand.run(
        graph(
            "Makes",
            [node("make", INSTANTIATE), node("out", graphs.OUTPUT, name="id")],
            [link("make", "sandbox_id", "out", "value")],
        )
    )
    (sandbox_id,) = made["outputs"]["id"]
    ended = await stand.run(graph("Takes", [node("take", STEP, sandbox_id=sandbox_id, step_code="1")], []))
    ends = [event for event in await stand.events(ended["id"]) if event["type"] == "step.finished"]
    assert [end["error"]["code"] for end in ends] == ["sandbox_gone"]


async def test_other_peoples_cloud_is_refused_in_words(small: Stand):
    await need_walls()
    ended = await small.run(executes("1", "error", template_id="base"))
    assert "E2B cannot be used here" in ended["outputs"]["error"][0]


@pytest.mark.parametrize("block_id", [EXECUTE, INSTANTIATE, STEP])
async def test_without_a_sandbox_blocks_that_run_code_are_off(tmp_path: Path, block_id: str):
    """deployment:D3"""
    with fresh_sqlite(tmp_path) as url:
        await stamp(url)
        async with open_installation(settings_for(tmp_path, sandbox="off")) as installation:
            spec = installation.api.registry[block_id]
            assert (spec.disabled, spec.reason) == (True, "The sandbox is switched off (PILOTHOUSE_SANDBOX=off).")
