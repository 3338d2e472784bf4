"""Blocks of other packages: real ones, installed in a folder of their own (blocks:L3, blocks:L4, blocks:L5)."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

from pilothouse.app.catalogue import open_registry
from pilothouse.base.settings import Settings
from pilothouse.blocks import index
from pilothouse.blocks.plugins import INDEX_NAME
from pilothouse.blocks.refusals import RESERVED_ID
from pilothouse.blocks.registry import DisabledBlock, Registry
from pilothouse.blocks.rehearsal import Rehearsal

CONDITION = "715696a0-e1da-45c8-b209-c2fa9c3b0be6"
SHOUT = "5b0f2f5e-6d38-4c6f-9d0e-0c5a3c2b7a01"

SOURCE = '''
"""Makes text loud."""

from pilothouse.blocks.contract import BlockContext, BlockInput, BlockOutput, Category, Effects, Example, block


class ShoutIn(BlockInput):
    text: str


class ShoutOut(BlockOutput):
    loud: str | None = None


@block(
    id="ID",
    name="Shout",
    categories={Category.TEXT},
    effects=Effects.NONE,
    examples=[Example(ask={"text": "hi"}, fires=[("loud", "HI!")])],
)
async def shout(ask: ShoutIn, ctx: BlockContext) -> ShoutOut:
    """Say it louder."""
    return ShoutOut(loud=ask.text.upper() + "!")
'''

Install: TypeAlias = Callable[..., str]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Puts a package with metadata on the path; answers the name that an operator would allow."""
    monkeypatch.syspath_prepend(tmp_path)
    made: list[str] = []

    def do(package: str, block_id: str = SHOUT) -> str:
        inside = tmp_path / package
        inside.mkdir()
        (inside / "__init__.py").write_text("")
        (inside / "loud.py").write_text(SOURCE.replace("ID", block_id))
        info = tmp_path / f"{package}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[pilothouse.blocks]\nloud = {package}\n")
        made.append(package)
        return package.replace("_", "-")

    yield do
    for package in made:
        forget(package)


def write_index(package: str) -> None:
    """As the author of the package does; nothing of it stays imported."""
    assert index.write_plugin(package) == 0
    forget(package)


def forget(package: str) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        del sys.modules[name]


async def test_an_allowed_package_brings_its_blocks_and_is_imported_when_one_first_runs(
    install: Install, tmp_path: Path
):
    name = install("acme_blocks")
    write_index("acme_blocks")

    registry = Registry(plugins=["Acme.Blocks"])

    assert (registry[SHOUT].name, registry[SHOUT].plugin, registry.refused) == ("Shout", name, [])
    assert "acme_blocks" not in sys.modules
    assert await registry.runnable(SHOUT).call({"text": "hi"}, Rehearsal()) == [("loud", "HI!")]
    assert registry[CONDITION].plugin is None


def test_a_package_that_is_not_allowed_brings_nothing(install: Install, tmp_path: Path):
    install("acme_blocks")
    write_index("acme_blocks")
    assert SHOUT not in Registry()
    assert SHOUT not in Registry(plugins=["other"])


@pytest.mark.parametrize("taken", [CONDITION, RESERVED_ID])
def test_a_package_cannot_take_an_id_that_is_built_in_or_reserved(install: Install, tmp_path: Path, taken: str):
    name = install("acme_blocks")
    write_index("acme_blocks")
    path = tmp_path / "acme_blocks" / INDEX_NAME
    path.write_text(path.read_text().replace(SHOUT, taken))

    registry = Registry(plugins=[name])

    (reason,) = registry.refused
    assert reason.startswith(f"{name}: block 'Shout': its id")
    assert registry.get(taken) == Registry().get(taken)


def test_two_packages_cannot_share_an_id(install: Install, tmp_path: Path):
    names = [install("acme_blocks"), install("other_blocks")]
    for package in ("acme_blocks", "other_blocks"):
        write_index(package)
    registry = Registry(plugins=names)
    assert registry[SHOUT].plugin == "acme-blocks"
    assert registry.refused == [f"other-blocks: block 'Shout': its id {SHOUT} is taken by 'Shout'"]


@pytest.mark.parametrize("fault", ["import no_such_vendor", "raise RuntimeError('boom')", "def ("])
def test_a_package_that_cannot_be_imported_is_unavailable_with_the_reason(install: Install, tmp_path: Path, fault: str):
    name = install("acme_blocks")
    write_index("acme_blocks")
    (tmp_path / "acme_blocks" / "loud.py").write_text(fault)

    registry = Registry(plugins=[name])
    for _ in range(2):
        with pytest.raises(DisabledBlock) as caught:
            registry.runnable(SHOUT)
        assert caught.value.code == "disabled_block"

    assert registry[SHOUT].disabled
    assert str(registry[SHOUT].reason).startswith("unavailable: ")
    assert registry.runnable(CONDITION)


def test_a_package_whose_index_is_older_than_its_code_is_unavailable(install: Install, tmp_path: Path):
    name = install("acme_blocks")
    write_index("acme_blocks")
    changed = SOURCE.replace("ID", SHOUT).replace("text: str", "text: str\n    louder: bool = False")
    (tmp_path / "acme_blocks" / "loud.py").write_text(changed)
    with pytest.raises(DisabledBlock, match="stale"):
        Registry(plugins=[name]).load(SHOUT)


@pytest.mark.parametrize(
    ("listed", "reason"),
    [
        (None, "its index pilothouse_blocks.json cannot be read"),
        (b"{", "its index pilothouse_blocks.json cannot be read"),
        (b"{}", "its index pilothouse_blocks.json is not a list"),
        (b'[{"function": "os:system"}]', "its index names code outside of acme_blocks"),
        (b'[{"function": "acme_blocks.loud:shout"}]', "its index was written for another version of Pilothouse"),
    ],
)
def test_what_is_wrong_with_a_package_is_told_and_stops_nothing(
    install: Install, tmp_path: Path, listed: bytes | None, reason: str
):
    name = install("acme_blocks")
    if listed is not None:
        (tmp_path / "acme_blocks" / INDEX_NAME).write_bytes(listed)
    registry = Registry(plugins=[name, "no-such-package"])
    assert [told.removeprefix(f"{name}").lstrip(": ") for told in registry.refused] == [
        reason,
        "no-such-package is not installed, or offers no blocks",
    ]
    assert registry.keys() == Registry().keys()


def test_an_operator_disables_a_whole_package(install: Install, tmp_path: Path):
    name = install("acme_blocks")
    write_index("acme_blocks")
    registry = Registry(plugins=[name], disabled=["ACME_blocks"])
    assert [spec.name for spec in registry.values() if spec.disabled] == ["Shout"]
    with pytest.raises(DisabledBlock, match="disabled by the operator"):
        registry.runnable(SHOUT)


def test_the_settings_say_what_is_allowed_and_what_is_disabled(install: Install):
    name = install("acme_blocks")
    write_index("acme_blocks")
    told = Settings.model_validate({"block_plugins": f"{name}, other", "disabled_blocks": f"{CONDITION},text"})
    registry = open_registry(told)
    assert registry[SHOUT].disabled  # it is of that category
    assert registry[CONDITION].disabled
    assert registry.refused == ["other is not installed, or offers no blocks"]


def test_an_operator_disables_a_whole_category():
    registry = Registry(disabled=["search"])
    assert {spec.name for spec in registry.values() if spec.disabled} == {"Fetch web page", "Get Wikipedia summary"}
    assert {spec.reason for spec in registry.values() if spec.disabled} == {"disabled by the operator"}
