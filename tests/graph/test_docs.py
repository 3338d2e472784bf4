"""The examples of `docs/explanation/agents.md`, done."""

import re
from pathlib import Path
from typing import cast

from pilothouse.app.cli.diff_lines import diff_lines
from pilothouse.blocks.registry import Registry
from pilothouse.graph.diff import diff
from pilothouse.graph.document import content_hash
from pilothouse.graph.operations import KNOWN, apply_operations
from pilothouse.graph.parse import parse
from pilothouse.graph.validate import validate
from pilothouse.kit.json import JsonObject, loads

PAGE = (Path(__file__).parents[2] / "docs/explanation/agents.md").read_text(encoding="utf-8")
FIRST, SECOND, LINES = re.findall(r"```(?:json)?\n(.*?)```", PAGE, re.DOTALL)


def test_the_edit_on_the_page_makes_the_difference_on_the_page():
    """engine:P2, engine:P3, engine:R3"""
    catalogue, before = Registry(), parse(loads(FIRST))
    assert validate(before, catalogue, "run").issues == []
    after = apply_operations(before, cast(list[JsonObject], loads(SECOND)), catalogue).document
    assert validate(after, catalogue, "run").issues == []
    assert list(diff_lines(diff(before, after))) == LINES.splitlines()
    assert content_hash(after) != content_hash(before)


def test_every_operation_is_on_the_page():
    """engine:P2"""
    assert {name for name in KNOWN if f"`{name}`" not in PAGE} == set()
