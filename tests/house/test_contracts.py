"""The import contracts refuse what they were written to refuse."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.source import ROOT

LAYERS = ("app", "base", "blocks", "engine", "features", "graph", "kit")


def lint(root: Path) -> tuple[int, str]:
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"]
    done = subprocess.run(command, cwd=root, env={"PYTHONPATH": str(root)}, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def small_house(tmp_path: Path) -> Path:
    """A tree with our layers and our contracts, and nothing in it."""
    shutil.copy(ROOT / ".importlinter", tmp_path)
    for name in ("", *LAYERS):
        folder = tmp_path / "pilothouse" / name
        folder.mkdir()
        (folder / "__init__.py").touch()
    return tmp_path


def put(house: Path, name: str, text: str) -> None:
    path = house / "pilothouse" / name
    for folder in reversed(path.relative_to(house).parents[:-1]):
        (house / folder).mkdir(exist_ok=True)
        (house / folder / "__init__.py").touch()
    path.write_text(text)


def test_a_house_that_keeps_the_rules_is_clean(small_house: Path):
    put(small_house, "features/runs/routes.py", "import fastapi")
    put(small_house, "features/runs/service.py", "import pilothouse.features.accounts")
    put(small_house, "features/accounts/service.py", "import pilothouse.base")
    assert lint(small_house)[0] == 0


BREACHES = [
    ("kit/ids.py", "import pilothouse.graph", "pilothouse.kit.ids -> pilothouse.graph"),
    ("blocks/web.py", "import pilothouse.base", "pilothouse.blocks.web -> pilothouse.base"),
    ("features/accounts/service.py", "import pilothouse.features.runs", "accounts.service -> pilothouse.features.runs"),
    ("engine/run.py", "import sqlalchemy", "pilothouse.engine.run -> sqlalchemy"),
    ("features/runs/service.py", "import fastapi", "pilothouse.features.runs.service -> fastapi"),
    ("features/runs/tools.py", "import pydantic_ai", "pilothouse.features.runs.tools -> pydantic_ai"),
]


def test_every_breach_is_named(small_house: Path):
    for name, text, _ in BREACHES:
        put(small_house, name, text)
    code, said = lint(small_house)
    assert code == 1
    assert [told for _, _, told in BREACHES if told not in said] == []
    assert "0 kept, 5 broken" in said


@pytest.mark.parametrize("name", ["sprawl/things.py", "features/sprawl/service.py"])
def test_a_new_room_must_choose_its_place(small_house: Path, name: str):
    put(small_house, name, "")
    code, said = lint(small_house)
    assert code == 1
    assert "sprawl" in said
