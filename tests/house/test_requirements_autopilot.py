"""AutoPilot's rules are named by number; ranges, versions and amounts are no names."""

from pathlib import Path

from scripts.requirements import AUTOPILOT, BOOKS, holdings, rules


def found(folder: Path, told: str, place: str = "autopilot") -> set[str]:
    (folder / place).mkdir(parents=True, exist_ok=True)
    (folder / place / "test_a.py").write_text(f'def test_x():\n    """{told}"""\n')
    return {rule for holding in holdings(folder, AUTOPILOT) for rule in holding.rules}


def test_numbers_are_read_where_the_tests_are_about_autopilot(tmp_path: Path):
    assert found(tmp_path, "1.10: said, 4.7; and autopilot:9.6, 11.2.") == {"1.10", "4.7", "9.6", "11.2"}
    assert found(tmp_path, "6.9-6.11, v1.2.3, 127.0.0.1") == set()


def test_elsewhere_they_carry_the_books_name(tmp_path: Path):
    assert found(tmp_path, "1.10 and autopilot:9.6, 9.7: 3.3", "base") == {"9.6", "9.7"}


def test_no_rule_is_listed_twice():
    for book in BOOKS:
        listed = [rule.id for rule in rules(book.listed.read_text(encoding="utf-8"))]
        assert len(listed) == len(set(listed)) > 100
