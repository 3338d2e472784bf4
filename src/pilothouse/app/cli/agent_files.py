"""Agents in files, as commands take them."""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pilothouse.base.actor import SYSTEM, Actor
from pilothouse.base.work import Units
from pilothouse.features.accounts import OwnerMissing, find_actor, local_actor
from pilothouse.features.agents import FormatUnsupported, create_agent, read_file
from pilothouse.features.agents.children import find_stored
from pilothouse.graph.autogpt import is_autogpt
from pilothouse.graph.catalogue import Catalogue
from pilothouse.graph.document import FORMAT, MAX_BYTES, to_json
from pilothouse.graph.parse import BadDocument, parse
from pilothouse.kit.errors import Conflict, Invalid, NotFound, TooLarge
from pilothouse.kit.ids import AgentId
from pilothouse.kit.json import Json, loads


class FileUnreadable(NotFound):
    """This file cannot be read."""


class NotJson(Invalid):
    """This file is not JSON."""

    hint = "An agent's file is a JSON document of format pilothouse.agent/1, or what AutoGPT exports."


class Pinned(NamedTuple):
    """A version of an agent."""

    agent_id: AgentId
    version: int | None


class VersionConflict(Conflict):
    """This agent was changed since that version."""

    hint = "`pilothouse agent diff ID@BASE ID` shows what changed; --rebase goes on if that is something else."


@dataclass(frozen=True, slots=True)
class OnBase:
    """The version that a change was made for; None is any."""

    version: int | None

    def require(self, current: int, *, diff: Json = None) -> None:
        if self.version not in (None, current):
            raise VersionConflict(current_version=current, diff=diff)


def read_document(path: Path) -> Json:
    """Raises `FileUnreadable`, `TooLarge`, `NotJson`, `FormatUnsupported`."""
    document = read_json(path)
    if is_autogpt(document):
        return document
    if not isinstance(document, dict) or document.get("format", FORMAT) != FORMAT:
        raise FormatUnsupported()
    return {"format": FORMAT, **document}


def read_json(path: Path) -> Json:
    """Raises `FileUnreadable`, `TooLarge`, `NotJson`."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise FileUnreadable(f"{path} cannot be read: {error.strerror}.") from error
    if len(data) > MAX_BYTES:
        raise TooLarge(f"{path} is larger than {MAX_BYTES // 1024 // 1024} MB.")
    try:
        return loads(data)
    except ValueError as error:
        raise NotJson(f"{path} is not JSON: {error}.") from None


async def actor_or_local(units: Units, email: str | None) -> Actor:
    """The user named, else the owner, else (before there is one) the local user, who cannot sign in."""
    try:
        async with units.read(SYSTEM) as read:
            return await find_actor(read, email)
    except OwnerMissing:
        async with units.write(SYSTEM) as work:
            return await local_actor(work)


async def keep_document(units: Units, actor: Actor, catalogue: Catalogue, document: Json) -> Pinned:
    """Store what the file says, unless the user has it already: running a file twice leaves one agent."""
    if is_autogpt(document):
        async with units.read(actor) as read:
            document = to_json(await read_file(read, catalogue, document))
    with suppress(BadDocument):  # `create_agent` says what is wrong with it
        doc = parse(document)
        async with units.read(actor) as read:
            if found := await find_stored(read, doc, catalogue):
                return Pinned(AgentId(found[0]), found[1])
    return await store_document(units, actor, catalogue, document)


async def store_document(units: Units, actor: Actor, catalogue: Catalogue, document: Json) -> Pinned:
    """A new agent. Raises `AgentInvalid` with every fault."""
    async with units.write(actor) as work:
        stored = await create_agent(work, catalogue, document, note="Imported")
        return Pinned(AgentId(stored.id), stored.version)
