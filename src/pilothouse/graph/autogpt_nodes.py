"""The nodes of AutoGPT's agents, read as nodes of ours."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias, TypeGuard

from pilothouse.graph.brought import Notes
from pilothouse.graph.catalogue import BlockSpec, Catalogue, Kind
from pilothouse.graph.fields import is_credentials, properties
from pilothouse.graph.json_schema import as_list, as_object
from pilothouse.graph.model_names import our_name
from pilothouse.graph.secrets import holds_credentials
from pilothouse.graph.sub_agents import AGENT_FIELD, MASKS_FIELD, VERSION_FIELD
from pilothouse.kit.json import Json, JsonObject

Versions: TypeAlias = Mapping[str, list[int]]  # those of each agent inside a file
HOOKS: Final = ("webhook_id", "webhook")
NODE_TAKEN: Final = frozenset({"id", "block_id", "input_default", "metadata"})
NO_PLACE: Final = "There is no place for it here."
REASONS: Final = {
    "user_id": "An agent belongs to whoever imports it.",
    "webhook_id": "A hook belongs to the installation that made it; set the trigger up anew.",
    "webhook": "A hook belongs to the installation that made it; set the trigger up anew.",
    "input_schema": "It is derived from the agent's input nodes.",
    "output_schema": "It is derived from the agent's output nodes.",
    "credentials_input_schema": "It is derived from the agent's blocks.",
    "input_links": "The agent's list of links counts.",
    "output_links": "The agent's list of links counts.",
    "graph_id": "A node belongs to the agent that it is in.",
    "graph_version": "A node belongs to the agent that it is in.",
}
_CREDENTIALS: Final = "Credentials do not travel; choose your own."
_MAX_PROVIDER: Final = 100


@dataclass(frozen=True, slots=True)
class NodeReader:
    """Reads the nodes of one agent; `ids` are those that had to be changed."""

    catalogue: Catalogue
    inside: Versions
    notes: Notes
    ids: Mapping[str, str]

    def read(self, item: Json) -> Json:
        """One node in our form; whatever is wrong with its shape is left in for `parse` to name."""
        if not isinstance(item, dict):
            return item
        given, block, metadata = item.get("id"), item.get("block_id"), as_object(item.get("metadata"))
        node_id = self.ids.get(given, given) if isinstance(given, str) else ""
        block = block.lower() if isinstance(block, str) else block
        for key in HOOKS:
            if item.get(key):
                self.notes.drop(node_id, key, REASONS[key])
        inputs = item.get("input_default")
        if isinstance(inputs, dict):
            inputs = self._inputs(inputs, node_id, self.catalogue.get(block) if isinstance(block, str) else None)
        return {
            "id": node_id or given,
            "block": block,
            "name": metadata.get("customized_name") or "",
            "inputs": {} if inputs is None else inputs,
            "position": self._position(metadata.get("position"), node_id),
            "optional_credentials": metadata.get("credentials_optional") or False,
        }

    def _position(self, given: Json, node_id: str) -> Json:
        place = [as_object(given).get(axis, 0) for axis in ("x", "y")]
        if (given is None or isinstance(given, dict)) and all(_is_finite(value) for value in place):
            return place
        self.notes.drop(node_id, "metadata.position", "A position is two numbers.")
        return [0, 0]

    def _inputs(self, given: JsonObject, node_id: str, spec: BlockSpec | None) -> JsonObject:
        kept: JsonObject = {}
        for pin, value in given.items():
            if is_credentials(pin):
                self._credentials(value, node_id, pin)
            elif holds_credentials(value):
                kept[pin] = None
                self.notes.drop(node_id, pin, _CREDENTIALS)
            else:
                kept[pin] = value
        if spec is not None and spec.kind is Kind.AGENT:
            self._sub_agent(kept, node_id)
        if spec is not None and spec.kind is Kind.AI:
            self._model(kept, node_id, spec)
        return kept

    def _credentials(self, value: Json, node_id: str, pin: str) -> None:
        if not value:
            return
        self.notes.drop(node_id, pin, _CREDENTIALS)
        provider = as_object(value).get("provider")
        if isinstance(provider, str) and 0 < len(provider) <= _MAX_PROVIDER:
            self.notes.name(node_id, provider)

    def _sub_agent(self, kept: JsonObject, node_id: str) -> None:
        """Name the child that travels along, whatever version the node asks for, and no owner."""
        if kept.pop("user_id", None):
            self.notes.drop(node_id, "user_id", REASONS["user_id"])
        agent_id, version = kept.get(AGENT_FIELD), kept.get(VERSION_FIELD)
        versions = self.inside.get(agent_id, []) if isinstance(agent_id, str) else []
        if versions and not (is_version(version) and version in versions):
            kept[VERSION_FIELD] = max(versions)
            reason = "This is the version that came with the file."
            self.notes.change(node_id, VERSION_FIELD, version, kept[VERSION_FIELD], reason)
        masks = kept.get(MASKS_FIELD)
        if isinstance(masks, dict):
            kept[MASKS_FIELD] = {way: self._mask(mask, way, node_id) for way, mask in masks.items()}

    def _mask(self, mask: Json, way: str, node_id: str) -> Json:
        if not isinstance(mask, dict):
            return mask
        for pin in filter(is_credentials, mask):
            self.notes.drop(node_id, f"{MASKS_FIELD}.{way}.{pin}", _CREDENTIALS)
        return {pin: value for pin, value in mask.items() if not is_credentials(pin)}

    def _model(self, kept: JsonObject, node_id: str, spec: BlockSpec) -> None:
        field, name = properties(spec.inputs).get("model"), kept.get("model")
        if field is None or not isinstance(name, str) or name in as_list(field.get("enum")):
            return
        ours = None if "enum" in field else our_name(name)
        if ours is None:
            del kept["model"]
            self.notes.change(node_id, "model", name, None, "No such model is known; the default one is used.")
        elif ours != name:
            kept["model"] = ours
            self.notes.change(node_id, "model", name, ours, "Models are named provider/name here.")


def is_version(value: Json) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _is_finite(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
