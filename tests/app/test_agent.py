"""`pilothouse agent`: judge, compare, change and hand on."""

from pathlib import Path

import pytest

from pilothouse.graph.json_schema import as_object
from pilothouse.kit.json import dumps, loads
from tests.app.commands import Cli
from tests.features.agents.graphs import broken

RENAME = [{"op": "set_name", "value": "Edited"}]


@pytest.fixture
def agent_id(cli: Cli, greeter_file: Path) -> str:
    return cli("import", str(greeter_file)).out.strip()


def test_a_file_or_a_stored_agent_is_judged(cli: Cli, tmp_path: Path, greeter_file: Path, agent_id: str):
    """engine:V1"""
    for target in (str(greeter_file), agent_id, f"{agent_id}@1"):
        assert cli("agent", "validate", target, "--json").json() == {"valid": True, "errors": {}, "issues": []}
    (tmp_path / "broken.json").write_text(dumps(broken()))
    wrong = cli("agent", "validate", "broken.json", "--level", "save")
    assert wrong.code == 1
    assert "error unknown_block at a, block: No block" in wrong.out
    told = as_object(loads(cli("agent", "validate", "broken.json", "--json").out))
    assert as_object(told["errors"]).keys() == {"a", "b", "$agent"}
    assert cli("agent", "validate", "nowhere.json").code == 1
    assert cli("agent", "validate", f"{agent_id}@x").code == 2
    assert cli("agent", "validate", f"{agent_id}@9").code == 1


def test_an_agent_is_changed_by_operations_and_compared(cli: Cli, tmp_path: Path, agent_id: str):
    """engine:P1, engine:P4, engine:P5, engine:R3"""
    (tmp_path / "ops.json").write_text(dumps(RENAME))
    shown = cli("agent", "edit", agent_id, "ops.json", "--dry-run")
    assert '"name": "Edited"' in shown.out
    done = cli("agent", "edit", agent_id, "ops.json", "--base", "1", "--json").json()
    assert (done["version"], done["saved"], done["valid"]) == (2, True, True)
    assert cli("agent", "diff", f"{agent_id}@1", agent_id).out == '~ name: "Greeter" -> "Edited"\n'
    told = cli("agent", "diff", agent_id, f"{agent_id}@1", "--json").json()
    assert told["operations"] == [{"op": "set_name", "value": "Greeter"}]

    stale = cli("agent", "edit", agent_id, "-", "--base", "1", said=dumps([{"op": "set_name", "value": "x"}]))
    assert (stale.code, "--rebase" in stale.err) == (1, True)
    more = dumps([{"op": "remove_node", "node": "times"}, {"op": "move_node", "node": "out", "position": [9, 9]}])
    assert cli("agent", "edit", agent_id, "-", "--base", "1", "--rebase", said=more).out == "3\n"
    lines = cli("agent", "diff", f"{agent_id}@2", f"{agent_id}@3", "--positions").out.splitlines()
    assert lines == [
        "- node times",
        "~ node out, position: [0,0] -> [9,9]",
        "- link times.result -> fill.values_#_times",
    ]


def test_operations_that_fail_are_told_one_by_one(cli: Cli, agent_id: str):
    """engine:P4"""
    ops = [{"op": "remove_node", "node": "whoo"}, *RENAME, {"op": "fly"}]
    failed = cli("agent", "edit", agent_id, "-", said=dumps(ops))
    assert failed.code == 1
    assert "  0: There is no node 'whoo'. Allowed: who" in failed.err
    assert "  2: There is no operation 'fly'." in failed.err
    assert "  1:" not in failed.err
    assert cli("agent", "edit", agent_id, "-", said="{}").code == 2
    assert cli("agent", "edit", agent_id, "-", said="{").code == 1
    assert cli("agent", "diff", f"{agent_id}@1", agent_id).out == ""


def test_an_export_is_a_file_that_import_takes(cli: Cli, tmp_path: Path, agent_id: str):
    """engine:X2"""
    text = cli("agent", "export", agent_id).out
    assert cli("agent", "export", f"{agent_id}@1", "--output", "out.json").code == 0
    assert (tmp_path / "out.json").read_text() == text
    copy = cli("import", "out.json").out.strip()
    assert cli("agent", "export", copy).out == text.replace(agent_id, copy)
    assert cli("agent", "diff", "out.json", copy, "--positions").out == ""
    assert cli("agent", "export", "out.json").code == 2
    assert cli("agent", "export", copy, "--output", "no/such/folder.json").code == 2
