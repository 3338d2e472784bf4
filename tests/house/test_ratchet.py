"""The ratchet sees length, `Any`, ignores and broad excepts, and turns one way."""

from pathlib import Path

import pytest

from scripts.measure import measure
from scripts.ratchet import differences, package_of


def written(tmp_path: Path, name: str, text: str) -> Path:
    path = tmp_path / name
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("x = 1\n" * 301, "long_files"),
        ("def f():\n" + "    x = 1\n" * 40, "long_functions"),
        ("from typing import Any\nx: Any = 1\n", "any"),
        ("import typing\nx: typing.Any = 1\n", "any"),
        ("x = 1  # type: ignore\n", "ignores"),
        ("x = 1  # noqa: E501\n", "ignores"),
        ("try:\n    pass\nexcept Exception:\n    raise\n", "broad_excepts"),
        ("try:\n    pass\nexcept:\n    raise\n", "broad_excepts"),
    ],
)
def test_python_is_counted(tmp_path: Path, text: str, name: str):
    assert measure(written(tmp_path, "a.py", text)).counts[name] == 1


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("const x = 1\n" * 301, "long_files"),
        ("export function Page() {\n" + "  a()\n" * 200 + "}\n", "long_components"),
        ("export function usePage() {\n" + "  a()\n" * 100 + "}\n", "long_hooks"),
        ("const x: any = 1\n", "any"),
        ("// @ts-ignore\n", "ignores"),
    ],
)
def test_the_web_is_counted(tmp_path: Path, text: str, name: str):
    assert measure(written(tmp_path, "a.tsx", text)).counts[name] == 1


def test_ordinary_code_counts_nothing(tmp_path: Path):
    found = measure(written(tmp_path, "a.py", "def f() -> int:\n    return 1  # why: one\n"))
    assert +found.counts == {}
    assert found.refused == ()


def test_what_is_past_all_bounds_is_refused(tmp_path: Path):
    assert measure(written(tmp_path, "a.py", "x = 1\n" * 401)).refused
    assert measure(written(tmp_path, "b.py", "def f():\n" + "    x = 1\n" * 60)).refused


def test_a_rise_and_a_fall_are_told_apart():
    rose, fell = differences({"a": {"any": 1}, "b": {"any": 2}}, {"a": {"any": 2}, "c": {"ignores": 1}})
    assert rose == ["a: any 1 -> 2", "c: ignores 0 -> 1"]
    assert fell == ["b: any 2 -> 0"]


def test_counts_are_kept_per_package():
    assert package_of(Path("src/pilothouse/base/jobs/claim.py")) == "src/pilothouse/base"
    assert package_of(Path("src/pilothouse/features/runs/service.py")) == "src/pilothouse/features/runs"
    assert package_of(Path("web/src/features/runs/RunPage.tsx")) == "web/src/features/runs"
    assert package_of(Path("tests/kit/test_ids.py")) == "tests"
