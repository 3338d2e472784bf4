"""`make test` looks a second time at a few failures, and only at those."""

from pathlib import Path

import pytest

from scripts import prove

HEAD = "import os, pathlib\nhere = pathlib.Path(__file__).parent\n"
FAILS_ONCE = (
    HEAD
    + """
def test_in_a_crowd():
    first = here / "seen"
    if not first.exists():
        first.touch()
        raise AssertionError("no processor left")
"""
)
PASSES = "\ndef test_of_the_crowd():\n    with open(here / 'ran', 'a') as f: f.write('x')\n"


def proven(folder: Path, tests: str) -> int:
    (folder / "test_it.py").write_text(tests)
    arguments = ("-q", "--rootdir", str(folder), "-c", "/dev/null")
    return prove.main((*arguments, str(folder / "test_it.py")), memory=folder / "memory")


def test_what_passes_alone_passes_and_is_named(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert proven(tmp_path, FAILS_ONCE + PASSES) == 0
    printed = capfd.readouterr().out
    assert "passed only alone" in printed
    assert "test_in_a_crowd" in printed.rsplit("looked into:", 1)[1]
    assert (tmp_path / "ran").read_text() == "x", "what had passed is not run again"


def test_what_fails_twice_fails(tmp_path: Path) -> None:
    assert proven(tmp_path, HEAD + "\ndef test_broken():\n    assert 1 == 2\n") == 1


def test_many_failures_are_no_accident(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    many = "".join(
        f"\ndef test_{n}():\n    f = here / '{n}'\n    e = f.exists(); f.touch(); assert e\n" for n in range(5)
    )
    assert proven(tmp_path, HEAD + many) == 1
    assert "second look" not in capfd.readouterr().out


def test_tests_that_cannot_be_read_get_no_second_look(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert proven(tmp_path, "import nothing_of_this_name\n") == 2
    assert "second look" not in capfd.readouterr().out


def test_alone_means_without_the_crowds_options() -> None:
    assert prove.alone(["-q", "-n", "3", "--dist", "worksteal", "-m", "not bench", "tests"]) == [
        "-q",
        "-m",
        "not bench",
        "tests",
    ]
