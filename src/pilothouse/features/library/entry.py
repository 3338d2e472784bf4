"""An agent as its owner's library shows it."""

from datetime import datetime
from typing import Literal, NamedTuple, TypeAlias

EntryStatus: TypeAlias = Literal["running", "attention", "idle", "never_run"]
Attention: TypeAlias = Literal["review_waits", "run_failed"]


class LastRun(NamedTuple):
    """The newest run that nobody else's step started."""

    id: str
    status: str
    created_at: datetime


class Entry(NamedTuple):
    """One agent, how it fares, and the value that its list is ordered by."""

    id: str
    name: str
    description: str
    version: int
    newest_version: int
    node_count: int
    created_at: datetime
    updated_at: datetime
    status: EntryStatus
    attention: Attention | None  # why it wants its owner
    last_run: LastRun | None
    favourite: bool
    place: str | int
