"""Loading: the index is enough to start, code comes when a block first runs (blocks:L1, blocks:L2, blocks:L4)."""

import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from time import process_time

import pytest

from pilothouse.blocks import index
from pilothouse.blocks.refusals import RESERVED_ID, BlockRefused
from pilothouse.blocks.registry import INDEX, DisabledBlock, Registry, UnknownBlock
from pilothouse.graph.json_schema import as_object
from pilothouse.kit.json import JsonObject, dump_bytes, loads

CONDITION = "715696a0-e1da-45c8-b209-c2fa9c3b0be6"
TEST_ADD = "0e57b10c-0000-4000-8000-000000000004"

STARTS = """
import sys
from pilothouse.blocks.registry import Registry
registry = Registry()
assert len(registry) >= 70, len(registry)
sdk = {"context", "contract", "credentials", "example", "files", "outside", "pins", "plugins", "refusals"}
sdk |= {"registry", "runner", "sandbox"}
loaded = {name.removeprefix("pilothouse.blocks.") for name in sys.modules if name.startswith("pilothouse.blocks.")}
vendors = {"jinja2", "httpx2", "pydantic_ai", "regex", "html.parser", "pyexpat", "statistics", "mcp"} & set(sys.modules)
assert loaded <= sdk and not vendors, (loaded - sdk, vendors)
registry.runnable("715696a0-e1da-45c8-b209-c2fa9c3b0be6")
assert "pilothouse.blocks.logic" in sys.modules and "pilothouse.blocks.net" not in sys.modules
"""


SERVES = """
import asyncio, sys
from pathlib import Path
from pilothouse.app.api import build_app
from pilothouse.app.house import open_house
from pilothouse.base.settings import Settings

async def start():
    async with open_house(Settings(data_dir=Path(sys.argv[1])), serves=True) as house:
        build_app(house)
        await house.begin_work()
        await house.end_work()
        return {name for name in sys.modules if name.startswith("pilothouse.blocks.")}

sdk = {"apart", "context", "contract", "credentials", "example", "fetching", "files", "outside", "pins", "plugins"}
sdk |= {"refusals", "registry", "runner", "sandbox", "stubs"}
loaded = {name.removeprefix("pilothouse.blocks.") for name in asyncio.run(start())}
assert loaded <= sdk, loaded - sdk
assert "mcp" not in sys.modules
"""


def test_a_whole_server_starts_without_importing_a_block(tmp_path: Path):
    child = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", SERVES, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False, env=child)
    assert done.returncode == 0, done.stderr


def test_starting_imports_no_block_module_and_no_vendor():
    child = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", STARTS], capture_output=True, text=True, timeout=60, check=False, env=child
    )
    assert done.returncode == 0, done.stderr


def test_the_index_is_what_the_code_says():
    assert index.stale() == []


def test_a_spec_survives_the_index():
    registry = Registry(test_blocks=True)
    for block_id, spec in registry.items():
        assert asdict(registry.load(block_id).spec) == asdict(spec)


def test_six_hundred_blocks_load_in_a_tenth_of_a_second(tmp_path: Path):
    entry = as_object(entries_of(INDEX)[0])
    many = [{**entry, "id": f"00000000-0000-4000-8000-{number:012d}"} for number in range(600)]
    file = tmp_path / "index.json"
    file.write_bytes(dump_bytes(many))

    def seconds() -> float:  # of this process: a busy machine is not our fault
        started = process_time()
        assert len(Registry(indexes=[file])) == 600
        return process_time() - started

    assert min(seconds() for _ in range(3)) <= 0.1


def test_test_blocks_are_there_only_when_asked_for():
    assert TEST_ADD not in Registry()
    assert Registry(test_blocks=True)[TEST_ADD].name == "TestAdd"


def test_a_disabled_block_is_listed_with_its_reason_and_never_runs():
    registry = Registry(disabled=[CONDITION, "no-such-block"])
    assert registry[CONDITION].disabled
    assert registry[CONDITION].reason == "disabled by the operator"
    with pytest.raises(DisabledBlock, match="Condition") as caught:
        registry.runnable(CONDITION)
    assert caught.value.code == "disabled_block"


def test_an_unknown_block_is_refused_by_its_id():
    with pytest.raises(UnknownBlock) as caught:
        Registry().load("11111111-1111-4111-8111-111111111111")
    assert caught.value.code == "unknown_block"


def entries_of(file: Path) -> list[JsonObject]:
    found = loads(file.read_bytes())
    assert isinstance(found, list)
    return [as_object(entry) for entry in found]


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        ("pilothouse.blocks.no_such_module:x", "No module named"),
        ("pilothouse.blocks.logic:no_such_name", "no attribute"),
        ("pilothouse.blocks.logic:step_through_items", "not the block the index promises"),
    ],
)
def test_a_block_that_cannot_be_imported_is_unavailable_and_stops_nothing(tmp_path: Path, function: str, reason: str):
    entry = next(entry for entry in entries_of(INDEX) if entry["id"] == CONDITION)
    file = tmp_path / "index.json"
    file.write_bytes(dump_bytes([{**entry, "function": function}]))
    registry = Registry(indexes=[file])

    with pytest.raises(DisabledBlock, match=reason):
        registry.load(CONDITION)

    assert registry[CONDITION].disabled
    assert reason in str(registry[CONDITION].reason)


@pytest.mark.parametrize(("block_id", "reason"), [(CONDITION, "is taken by"), (RESERVED_ID, "reserved")])
def test_an_index_with_a_taken_or_reserved_id_is_refused(tmp_path: Path, block_id: str, reason: str):
    file = tmp_path / "more.json"
    file.write_bytes(dump_bytes([{**entries_of(INDEX)[0], "id": block_id}]))
    with pytest.raises(BlockRefused, match=reason):
        Registry(indexes=[INDEX, file])
