"""The rules of the tree hold, and each rule can see what it forbids."""

import ast
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.house import rules
from tests.house.source import FEATURES, SRC, layer_of, modules, place, tree_of

Rule: TypeAlias = Callable[[ast.AST], Iterator[tuple[ast.AST, str]]]

# Where a wire may be opened, and why.
MAY_OPEN_WIRES = {
    "base": "holds the guarded client and the lines to our own servers",
    "app": "binds the port we serve on, and the command line asks the server beside it",
}

# Modules of `blocks` that are no block, or have no other way.
MAY_REACH_THE_MACHINE = {
    "apart": "is a process of its own, and no block",
    "index": "writes the index",
    "plugins": "finds the indexes of other packages",
    "registry": "reads the index",
    "context": "names `Random` as what the context hands out",
    "rehearsal": "is a context",
    "sampling": "makes chance repeatable by a seed",
    "sampling_methods": "is handed its chance",
    "patterns": "measures the time of a search",
    "template": "measures the time of a rendering",
    "template_bounds": "measures the time of a rendering",
    "testing": "kills and probes in fault tests",
}

# Who commits besides `base`, and why.
MAY_COMMIT = {SRC / "app" / "migrate.py": "brings the schema forward, in transactions that are nobody's unit"}


def complaints(rule: Rule, paths: list[Path]) -> list[str]:
    return [f"{place(path, node)} {what}" for path in paths for node, what in rule(tree_of(path))]


def outside(*layers: str) -> list[Path]:
    return [path for path in modules() if layer_of(path) not in layers]


def test_slices_meet_only_at_their_faces():
    found: list[str] = []
    for path in modules(FEATURES):
        inside = path.relative_to(FEATURES).parts
        slice_name = inside[0] if len(inside) > 1 else None
        found += complaints(partial(rules.reaches_past_a_face, slice_name=slice_name), [path])
    assert found == []


def test_a_face_shows_no_rows_and_no_doors():
    found = [
        f"{place(path)} shows {module.rsplit('.', 1)[-1]}"
        for path in FEATURES.glob("*/__init__.py")
        for _, module, name in rules.imports(tree_of(path))
        if module.startswith(rules.PREFIX) and ({module.rsplit(".", 1)[-1], name or ""} & (rules.DOORS | {"models"}))
    ]
    assert found == []


def test_only_base_commits():
    assert complaints(rules.commits, [path for path in outside("base") if path not in MAY_COMMIT]) == []


def test_nothing_runs_data_as_code_but_what_runs_inside_the_sandbox():
    inside = SRC / "base" / "sandbox" / "inside"
    assert complaints(rules.runs_data_as_code, [path for path in modules() if path.parent != inside]) == []
    assert [path for path in modules() if "sandbox.inside" in path.read_text()] == []


def test_nothing_starts_programs_but_heavy_blocks_their_own_interpreter_and_the_sandbox_its_walls():
    heavy, sandbox = SRC / "features" / "runs" / "heavy.py", SRC / "base" / "sandbox"
    others = [path for path in modules() if path != heavy and path.parent != sandbox]
    assert complaints(rules.starts_programs, others) == []
    assert [call.split(" ", 1)[1] for call in complaints(rules.starts_programs, [heavy])] == [
        "calls create_subprocess_exec()"
    ]
    started = complaints(rules.starts_programs, sorted(sandbox.glob("*.py")))
    assert [told.split(":")[0].rpartition("/")[2] for told in started] == ["bubblewrap.py", "child.py"]


def test_everything_goes_out_through_the_guarded_client():
    assert complaints(rules.opens_a_wire, outside(*MAY_OPEN_WIRES)) == []


def test_blocks_meet_the_world_by_their_context_only():
    blocks = [path for path in (SRC / "blocks").rglob("*.py") if path.stem not in MAY_REACH_THE_MACHINE]
    assert complaints(rules.reaches_the_machine, blocks) == []


def test_errors_of_features_are_named_for_the_state():
    assert complaints(rules.error_names, sorted(FEATURES.rglob("errors.py"))) == []


def test_files_are_named_for_what_they_know():
    assert [place(path) for path in modules() if rules.NO_NAMES & {path.stem, path.parent.name}] == []


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (partial(rules.reaches_past_a_face, slice_name="agents"), "from pilothouse.features.runs import models"),
        (partial(rules.reaches_past_a_face, slice_name="agents"), "from pilothouse.features.runs.models import RunRow"),
        (partial(rules.reaches_past_a_face, slice_name="agents"), "import pilothouse.features.runs.service"),
        (rules.commits, "async def f(session):\n    await session.commit()"),
        (rules.reaches_the_machine, "import os"),
        (rules.reaches_the_machine, "from pathlib import Path"),
        (rules.reaches_the_machine, "open('a')"),
        (rules.runs_data_as_code, "eval('1')"),
        (rules.runs_data_as_code, "import pickle"),
        (rules.runs_data_as_code, "compile('1', 'a', 'exec')"),
        (rules.runs_data_as_code, "yaml.load(text)"),
        (rules.starts_programs, "import subprocess"),
        (rules.starts_programs, "from multiprocessing import Process"),
        (rules.starts_programs, "os.system('ls')"),
        (rules.starts_programs, "os.execvp('ls', [])"),
        (rules.starts_programs, "run('ls', shell=True)"),
        (rules.starts_programs, "async def f():\n    await asyncio.create_subprocess_exec('ls')"),
        (rules.opens_a_wire, "import socket"),
        (rules.opens_a_wire, "from urllib import request"),
        (rules.opens_a_wire, "import httpx2"),
        (rules.opens_a_wire, "async def f():\n    await asyncio.open_connection('a', 1)"),
        (rules.error_names, "class RunMissingError(Exception): ..."),
    ],
)
def test_a_rule_sees_what_it_forbids(rule: Rule, text: str):
    assert len(list(rule(ast.parse(text)))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "from pilothouse.features import runs",
        "from pilothouse.features.runs import RunId",
        "from pilothouse.features.agents.models import AgentRow",
        "from pilothouse.features.agents import service",
    ],
)
def test_a_face_may_be_met_and_a_slice_may_know_itself(text: str):
    assert list(rules.reaches_past_a_face(ast.parse(text), "agents")) == []


def test_the_sources_are_where_these_tests_look():
    assert len(modules(SRC / "kit")) > 3
