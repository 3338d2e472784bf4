"""What a turn may use: one filter of tools and blocks. Delegating can only narrow it. Pure.

As JSON: `tools` and `blocks` are lists of what is allowed or, with `tools_exclude` and `blocks_exclude`, of what is
not; null allows everything. `within` is a filter that must allow it too.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pilothouse.kit.json import Json, JsonObject


@dataclass(frozen=True, slots=True)
class Named:
    """A list of names: all that is allowed, or all that is not."""

    names: frozenset[str]
    excludes: bool

    def allows(self, *spellings: str) -> bool:
        """Whether something that may be called by any of these is allowed."""
        return any(spelling.casefold() in self.names for spelling in spellings) is not self.excludes


@dataclass(frozen=True, slots=True)
class Permissions:
    """Everything that each of these lists allows."""

    tools: frozenset[Named] = frozenset()
    blocks: frozenset[Named] = frozenset()

    @classmethod
    def of(cls, *filters: Mapping[str, Json] | None) -> "Permissions":
        """What all of these allow; None allows everything."""
        tools: set[Named] = set()
        blocks: set[Named] = set()
        for told in filters:
            while told is not None:
                tools |= _named(told, "tools")
                blocks |= _named(told, "blocks")
                within = told.get("within")
                told = within if isinstance(within, dict) else None
        return cls(frozenset(tools), frozenset(blocks))

    def within(self, other: "Permissions") -> "Permissions":
        """What both allow."""
        return Permissions(self.tools | other.tools, self.blocks | other.blocks)

    @property
    def limits_blocks(self) -> bool:
        return bool(self.blocks)

    def allows_tool(self, name: str) -> bool:
        return all(named.allows(name) for named in self.tools)

    def allows_block(self, block_id: str, name: str) -> bool:
        """A block is called by its name, its id, or the first eight hex digits of that."""
        return all(named.allows(block_id, name, block_id[:8]) for named in self.blocks)

    def as_json(self) -> JsonObject | None:
        """None when nothing is limited; else one filter around the next, in a fixed order."""
        told: JsonObject | None = None
        for kind, lists in (("blocks", self.blocks), ("tools", self.tools)):
            for named in sorted(lists, key=lambda one: (one.excludes, sorted(one.names))):
                own: JsonObject = {kind: [*sorted(named.names)], f"{kind}_exclude": named.excludes}
                told = own if told is None else {**own, "within": told}
        return told


def _named(told: Mapping[str, Json], kind: str) -> set[Named]:
    names = told.get(kind)
    if not isinstance(names, list):
        return set()
    return {Named(frozenset(str(name).casefold() for name in names), bool(told.get(f"{kind}_exclude")))}


UNRESTRICTED: Final = Permissions()
