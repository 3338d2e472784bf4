"""Where agents of this installation may go, as its settings want it."""

import re
from functools import partial
from pathlib import Path

from pilothouse.base.egress import EgressDenied, EgressPolicy
from pilothouse.base.settings import Settings
from pilothouse.blocks.registry import Registry
from pilothouse.kit.errors import Conflict


class FolderNotOpenable(Conflict):
    """PILOTHOUSE_SQLITE_DIR is open to agents: it must not hold the data directory, with its database and its keys."""


def open_folder(settings: Settings) -> Path | None:
    """The folder of SQLite files that agents may query. Raises `FolderNotOpenable`."""
    folder = settings.sqlite_dir
    if folder is not None and settings.data_dir.resolve().is_relative_to(folder.resolve()):
        raise FolderNotOpenable()
    return folder


def judge_addresses(registry: Registry, policy: EgressPolicy) -> None:
    """Let whoever saves an agent know which of its addresses this installation refuses."""
    registry.address_judge = partial(address_fault, policy)


def address_fault(policy: EgressPolicy, kind: str, text: str) -> str | None:
    """Why the guard would refuse this `url` or `host`; a name that is no address is not looked up."""
    try:
        if kind == "url":
            policy.target_of(text)
        else:
            found = re.fullmatch(r"(\[.*\]|[^:]*):([0-9]{1,5})", text)
            policy.target_at(found[1] if found else text, int(found[2]) if found else 443)
    except EgressDenied as denied:
        return denied.message
    return None
