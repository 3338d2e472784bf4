"""What arguments of tools may refer to."""

from collections.abc import Mapping
from typing import Protocol

from pilothouse.base.actor import Actor
from pilothouse.kit.json import Json, JsonObject


class Expander(Protocol):
    """Puts what arguments refer to in its place, before they are checked; what the model wrote is what is stored."""

    def refers(self, arguments: Mapping[str, Json]) -> bool:
        """Whether there is anything to put in."""
        ...

    async def expand(
        self, actor: Actor, session_id: str, schema: JsonObject, arguments: Mapping[str, Json]
    ) -> JsonObject: ...
