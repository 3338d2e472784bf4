"""How a process writes chat down and tells others, and whose log it is."""

from typing import NamedTuple

from pilothouse.base.committer import Committer
from pilothouse.base.fanout import Fanout
from pilothouse.base.jobs.bells import Bell
from pilothouse.kit.json import JsonObject


class Lines(NamedTuple):
    """How a process writes and tells others."""

    committer: Committer
    fanout: Fanout
    bell: Bell


class Place(NamedTuple):
    """Whose log it is."""

    session_id: str
    user_id: str
    permissions: JsonObject | None
    created_at: int  # of the turn
    started: bool  # somebody has worked on the turn before
