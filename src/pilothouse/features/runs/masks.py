"""Values that a run puts over its nodes' own, and how the secret ones among them are stored.

What is secret stands in the log sealed, under the keys of the installation. Whoever loads the run opens it; neither
snapshots nor events ever have it.
"""

from typing import Final, NamedTuple, cast

from pilothouse.base.keyring import Keyring, SealBroken
from pilothouse.engine.plan import Plan
from pilothouse.graph.pins import pin_base
from pilothouse.graph.sub_agents import NO_MASKS, Masks
from pilothouse.kit.json import JsonObject, dump_bytes, loads

SEALED: Final = "sealed"  # where the text stands among the facts that a run was accepted with


class SplitMasks(NamedTuple):
    """Masks that anybody may read who may read the run, and those that must not be stored as they are."""

    shown: dict[str, JsonObject]
    hidden: dict[str, JsonObject]


NONE_SPLIT: Final = SplitMasks({}, {})


def split_masks(masks: Masks, plan: Plan) -> SplitMasks:
    """Secret are the pins that their block calls so. Inside a sub-agent all are: its own admission knows more."""
    found = SplitMasks({}, {})
    for path, mask in masks.items():
        node = plan.by_id.get(path)
        for pin, value in mask.items():
            is_secret = node is None or pin_base(pin) in node.secrets
            (found.hidden if is_secret else found.shown).setdefault(path, {})[pin] = value
    return found


def seal_masks(keyring: Keyring, run_id: str, hidden: Masks) -> str:
    """The text names its run, so that it opens in no other."""
    return keyring.seal(dump_bytes({"run_id": run_id, "masks": dict(hidden)}))


def hidden_masks(keyring: Keyring, run_id: str, facts: JsonObject) -> Masks:
    """What was sealed when the run was accepted. Raises `SealBroken`."""
    sealed = facts.get(SEALED)
    if not isinstance(sealed, str):
        return NO_MASKS
    found = cast(dict[str, object], loads(keyring.open(sealed)))
    if found["run_id"] != run_id:
        raise SealBroken("This was sealed for another run.")
    return cast(Masks, found["masks"])
