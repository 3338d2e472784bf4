"""The page of rules says which tests hold each, and a rule does not lose its last test unnoticed."""

from pathlib import Path

import pytest

from scripts.requirements import Holding, Rule, holdings, lost, measured, page, rules, unknown

LISTED = [Rule("F1", "pins", "Flow"), Rule("F2", "starts", "Flow")]


def test_rules_are_listed_by_section():
    assert rules("# told\n## Flow\nF1 pins\n\n## Ends\nS1 of a run\n") == [
        Rule("F1", "pins", "Flow"),
        Rule("S1", "of a run", "Ends"),
    ]


def test_clauses_that_nothing_holds_yet_stand_below_their_rule():
    text = "## Flow\nF1 pins\n  not yet: spend limits (billing)\n  not yet: a second thing\nF2 starts\n"
    assert rules(text) == [Rule("F1", "pins", "Flow", ("spend limits (billing)", "a second thing")), LISTED[1]]
    for line in ("  not jet: a slip", "  not yet:", "  not yet: a | b"):
        with pytest.raises(ValueError, match="below F1"):
            rules(f"## Flow\nF1 pins\n{line}\n")


def test_a_rule_with_a_gap_is_held_in_part_however_many_tests_name_it():
    listed = [LISTED[0]._replace(gaps=("one thing", "another")), LISTED[1], Rule("F3", "ends", "Flow", ("all",))]
    held = [Holding("tests/test_a.py::test_x", frozenset({"F1", "F2"}))]
    lines = page(listed, held).splitlines()
    assert "1 rules whole, 1 in part (F1), none yet: F3." in lines
    assert "| F1 | pins | 1 | one thing<br>another | `tests/test_a.py::test_x` |" in lines
    assert "| F2 | starts | 1 |  | `tests/test_a.py::test_x` |" in lines
    assert "| F3 | ends | none yet | all |  |" in lines
    assert "1 rules whole." in page(listed[1:2], held).splitlines()


def test_a_test_names_its_rules_in_its_docstring_and_a_module_for_all_of_its(tmp_path: Path):
    (tmp_path / "engine").mkdir()
    (tmp_path / "engine" / "test_a.py").write_text('"""F1"""\ndef test_x():\n    "engine:F2, security:S5"\n')
    (tmp_path / "test_b.py").write_text('def test_y():\n    "F2 of something else"\ndef test_z(): pass\n')
    found = [(test.place.rsplit("/", 1)[1], test.rules) for test in holdings(tmp_path)]
    assert found == [("test_a.py", frozenset({"F1"})), ("test_a.py::test_x", frozenset({"F2"}))]


def test_the_first_words_of_a_tests_name_count_where_most_tests_are_about_the_book(tmp_path: Path):
    (tmp_path / "engine").mkdir()
    (tmp_path / "engine" / "test_a.py").write_text("def test_f1_f2_pins_start(): pass\ndef test_pins_of_f1(): pass\n")
    (tmp_path / "test_b.py").write_text("def test_f1_of_something_else(): pass\n")
    assert [test.rules for test in holdings(tmp_path)] == [frozenset({"F1", "F2"})]


def test_a_case_of_the_bench_measures_the_rule_of_its_name(tmp_path: Path):
    (tmp_path / "cases.py").write_text(
        'async def b1(): "also engine:F2"\nasync def b99(): "of no rule"\ndef b2(): pass\n'
    )
    found = list(measured(tmp_path, [*LISTED, Rule("B1", "forty steps", "Speed")]))
    assert [test.rules for test in found] == [frozenset({"B1", "F2"}), frozenset()]


def test_a_rule_that_loses_its_last_test_is_named():
    held = [Holding("tests/test_a.py::test_x", frozenset({"F1"}))]
    before, after = page(LISTED, held), page(LISTED, [])
    assert (lost(before, after), lost(after, before)) == (["F1"], [])


def test_a_name_that_no_rule_has_is_a_fault():
    held = [Holding("tests/test_a.py::test_x", frozenset({"F1", "F9"}))]
    assert unknown(LISTED, held) == ["tests/test_a.py::test_x names F9"]
