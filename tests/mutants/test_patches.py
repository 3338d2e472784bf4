"""Every seeded mistake can still be made, and each rule of the core has one. `make mutants` shows that tests notice."""

from pathlib import Path

import pytest

from scripts.requirements import BOOKS, rules
from tests.mutants.run import ROOT, Mutant, apply, judge, mutants, read

ALL = list(mutants())
RULES = {rule.id for book in BOOKS for rule in rules((ROOT / book.listed).read_text(encoding="utf-8"))}
LAST = {"F": 18, "S": 5, "W": 6, "D": 7}
SEEDED = {f"{letter}{n}" for letter, last in LAST.items() for n in range(1, last + 1)}


@pytest.mark.parametrize("mutant", ALL, ids=lambda mutant: mutant.name)
def test_a_mistake_can_still_be_made(mutant: Mutant):
    assert apply(mutant, ROOT, "--check"), f"write {mutant.path} anew: the code that it breaks has changed"


def test_each_names_a_rule_and_tests_that_are_there():
    assert {mutant.name for mutant in ALL if mutant.rule.removeprefix("autopilot:") not in RULES} == set()
    named = {word for mutant in ALL for word in mutant.tests if word.startswith("tests/")}
    assert {name for name in named if not (ROOT / Path(name.partition("::")[0])).exists()} == set()


def test_every_rule_of_flow_statuses_waiting_and_journal_is_broken_at_least_once():
    assert SEEDED - {mutant.rule for mutant in ALL} == set()


def test_every_section_of_autopilot_from_starting_to_compaction_is_broken_at_least_once():
    assert {str(n) for n in range(2, 13)} - {mutant.rule.partition(".")[0] for mutant in ALL} == set()


@pytest.mark.parametrize(
    ("becomes", "fate"), [("return 2", "killed"), ("return 1 + 0", "survived"), ("return (", "broken")]
)
def test_a_mistake_is_killed_only_by_tests_that_fail(tmp_path: Path, becomes: str, fate: str):
    (tmp_path / "one.py").write_text("def one():\n    return 1\n")
    (tmp_path / "test_one.py").write_text("from one import one\n\ndef test_one():\n    assert one() == 1\n")
    patch = tmp_path / "mistake.patch"
    change = f"@@ -1,2 +1,2 @@\n def one():\n-    return 1\n+    {becomes}\n"
    patch.write_text(f"# rule: F1 one\n# tests: test_one.py\n--- a/one.py\n+++ b/one.py\n{change}")
    assert judge(read(patch), tmp_path) == fate
    assert (tmp_path / "one.py").read_text().endswith("return 1\n")
