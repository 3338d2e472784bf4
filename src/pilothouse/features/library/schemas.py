"""The library on the wire."""

from pilothouse.base.http import In, Out, WireTime
from pilothouse.features.library.entry import Attention, EntryStatus


class LastRunOut(Out):
    """The newest run of an agent."""

    id: str
    status: str
    created_at: WireTime


class EntryOut(Out):
    """An agent and how it fares; `attention` says why it wants its owner."""

    id: str
    name: str
    description: str
    version: int
    newest_version: int
    node_count: int
    created_at: WireTime
    updated_at: WireTime
    status: EntryStatus
    attention: Attention | None
    last_run: LastRunOut | None
    favourite: bool


class EntryPatch(In):
    """What of an entry can be changed; what is left out stays."""

    favourite: bool | None = None
