"""The catalogue at run time: specs come from the generated index, code is imported when a block first runs."""

import importlib
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias, cast

import structlog

from pilothouse.blocks.contract import Block
from pilothouse.blocks.plugins import Plugin, find_plugins, normal
from pilothouse.blocks.refusals import RESERVED_ID, BlockRefused
from pilothouse.blocks.runner import Runnable
from pilothouse.graph.catalogue import BlockSpec, Effects, Join, Kind
from pilothouse.kit.errors import Conflict, NotFound
from pilothouse.kit.json import Json, JsonObject, loads

AddressFault: TypeAlias = Callable[[str, str], str | None]  # by kind and text
HERE = Path(__file__).parent
INDEX = HERE / "index.json"
TEST_INDEX = HERE / "test_index.json"

_log = structlog.stdlib.get_logger(__name__)


class UnknownBlock(NotFound):
    """There is no block with this id."""

    wire_code = "unknown_block"


class DisabledBlock(Conflict):
    """This block is disabled or cannot be loaded."""


class Registry(Mapping[str, BlockSpec]):
    """A `Catalogue` that can also load: reading it imports no block module."""

    def __init__(
        self,
        *,
        test_blocks: bool = False,
        disabled: Collection[str] = (),
        plugins: Collection[str] = (),
        indexes: Collection[Path] = (INDEX,),
    ) -> None:
        """`disabled` names blocks by id, or many at once by a category or a package. `plugins` are packages that
        may bring blocks; what is wrong with one of them is in `refused`, and never raised.
        """
        self._specs: dict[str, BlockSpec] = {}
        self._paths: dict[str, str] = {}
        self._runnables: dict[str, Runnable] = {}
        self.address_judge: AddressFault | None = None
        self.refused: list[str] = []
        for index in (*indexes, TEST_INDEX) if test_blocks else indexes:
            for entry in cast(list[JsonObject], loads(index.read_bytes())):
                self._add(entry)
        for plugin in find_plugins(plugins):
            self._take_plugin(plugin)
        for word in disabled:
            self._switch_off(word)

    def __getitem__(self, block_id: str) -> BlockSpec:
        return self._specs[block_id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._specs)

    def __len__(self) -> int:
        return len(self._specs)

    def address_fault(self, kind: str, text: str) -> str | None:
        """Why blocks would not be let to this `url` or `host`; None where nobody said which are refused."""
        return None if self.address_judge is None else self.address_judge(kind, text)

    def load(self, block_id: str) -> Block:
        """The block itself; imports its module when it is first asked for. Refuses disabled blocks."""
        spec = self._specs.get(block_id)
        if spec is None:
            raise UnknownBlock(block=block_id)
        if spec.disabled:
            raise DisabledBlock(f"{spec.name}: {spec.reason}", block=block_id)
        try:
            return self._import(spec)
        except Exception as cause:
            reason = f"unavailable: {cause}"
            _log.error("block.unavailable", block=spec.name, exc_info=cause)
            self.disable(block_id, reason)
            self._runnables.pop(block_id, None)
            raise DisabledBlock(f"{spec.name}: {reason}", block=block_id) from cause

    def runnable(self, block_id: str) -> Runnable:
        """The block ready to run; made once."""
        found = self._runnables.get(block_id)
        if found is None:
            found = self._runnables[block_id] = Runnable(self.load(block_id))
        return found

    def _take_plugin(self, plugin: Plugin) -> None:
        if plugin.reason is not None:
            self._refuse(f"{plugin.name} {plugin.reason}")
        for entry in plugin.entries:
            try:
                self._add(entry, plugin.name)
            except BlockRefused as refused:
                self._refuse(f"{plugin.name}: {refused}")
            except (KeyError, TypeError, ValueError):
                self._refuse(f"{plugin.name}: its index was written for another version of Pilothouse")

    def _refuse(self, reason: str) -> None:
        self.refused.append(reason)
        _log.error("plugin.refused", reason=reason)

    def _switch_off(self, word: str) -> None:
        """An id, a category or a package."""
        of_package = normal(word)
        found = [
            spec.id
            for spec in self._specs.values()
            if spec.id == word.lower() or word.upper() in spec.categories or spec.plugin == of_package
        ]
        for block_id in found:
            self.disable(block_id, "disabled by the operator")
        if not found:
            _log.warning("blocks.nothing_to_disable", word=word)

    def _add(self, entry: JsonObject, plugin: str | None = None) -> None:
        spec = replace(read_spec(entry), plugin=plugin)
        if spec.id in self._specs:
            raise BlockRefused(spec.name, f"its id {spec.id} is taken by {self._specs[spec.id].name!r}")
        if spec.id == RESERVED_ID:
            raise BlockRefused(spec.name, "its id is reserved and always refused")
        self._specs[spec.id] = spec
        self._paths[spec.id] = str(entry["function"])

    def disable(self, block_id: str, reason: str) -> None:
        """Switch a block off for as long as this process lives, and say why."""
        self._specs[block_id] = replace(self._specs[block_id], disabled=True, reason=reason)

    def _import(self, spec: BlockSpec) -> Block:
        module, _, name = self._paths[spec.id].partition(":")
        found = getattr(importlib.import_module(module), name)
        if not isinstance(found, Block) or found.spec.id != spec.id:
            raise BlockRefused(spec.name, f"{module}:{name} is not the block the index promises")
        if spec.plugin and replace(found.spec, plugin=spec.plugin) != spec:
            raise BlockRefused(spec.name, "the index of its package is stale")
        return found


def read_spec(entry: JsonObject) -> BlockSpec:
    """Read what the index writer wrote."""
    facts: dict[str, object] = {name: value for name, value in entry.items() if name != "function"}
    for listed in ("categories", "happy_pins", "examples", "cost"):
        facts[listed] = tuple(cast(list[Json], facts[listed]))
    facts["kind"] = Kind(str(facts["kind"]))
    facts["effects"] = Effects(str(facts["effects"]))
    facts["join"] = Join(str(facts["join"])) if "join" in facts else None
    return BlockSpec(**facts)  # pyright: ignore[reportArgumentType]  the index is ours and a test checks the round trip
