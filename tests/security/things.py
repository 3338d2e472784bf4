"""Real things for the parameters of paths, each belonging to one person.

A route with a parameter that has no maker here fails the route matrix: without a real thing nobody can say that
another user cannot reach it.
"""

import hashlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from typing import Final, TypeAlias

from sqlalchemy import delete

from pilothouse.features.agents import create_agent
from pilothouse.features.chat import Message, NewSession
from pilothouse.features.chat.models import chat_pushes
from pilothouse.features.credentials import ApiKeyIn, create_credential
from pilothouse.features.files import NewFile
from pilothouse.features.models import ConnectionIn, create_model_connection
from pilothouse.features.runs.service import RunAsk
from pilothouse.kit.ids import AgentId, new_id
from pilothouse.kit.json import dump_bytes
from tests.security.graphs import NUMBER, greeter
from tests.security.samples import Operation
from tests.security.site import Person, Site

Maker: TypeAlias = Callable[[Site, Person], Awaitable[str]]

ABSENT = "01900000-0000-7000-8000-000000000000"
PENDING_MESSAGE = "01900000-0000-7000-8000-00000000000a"
LARGE = "x" * 40_000
# Parameters of the query that name things, by the last word of the path.
IN_THE_QUERY: Final[dict[str, dict[str, str]]] = {"compare": {"a": "run_id", "b": "run_id"}}


async def make_agent(site: Site, person: Person) -> str:
    async with site.house.units.write(person.actor) as work:
        return (await create_agent(work, site.house.registry, greeter())).id


async def make_ended_run(site: Site, person: Person) -> str:
    """Ended, so that its stream ends too; with a value that is kept beside its log."""
    ask = RunAsk(AgentId(await make_agent(site, person)), {"who": LARGE})
    admitted = await site.house.runs.start_run(person.actor, ask)
    await site.house.runs.cancel_run(person.actor, admitted.id)
    return admitted.id


async def make_session(site: Site, person: Person) -> str:
    await site.session(person)
    rows = await site.house.reader.rows("select max(id) from login_sessions where user_id=?1", person.id)
    return rows[0][0]


async def make_key(site: Site, person: Person) -> str:
    return (await site.key(person, "identity"))[0]


async def make_chat(site: Site, person: Person) -> str:
    """A session that is busy with a turn, with one message pending; the person's earlier ones are idle again."""
    chat = site.house.chat
    for (earlier,) in await site.house.reader.rows(
        "select id from chat_sessions where user_id=?1 and turn_id is not null", person.id
    ):
        await chat.cancel_turn(person.actor, earlier)
    async with site.house.units.write(person.actor) as work:  # thirty a minute are soon made
        await work.session.execute(delete(chat_pushes).where(chat_pushes.c.user_id == person.id))
    session = await chat.create_session(person.actor, NewSession())
    for message_id in (new_id(), PENDING_MESSAGE):
        await chat.start_turn(person.actor, session.id, Message(message_id, "hello", "web", 1))
    return session.id


async def make_connection(site: Site, person: Person) -> str:
    """Nobody answers there, and at once."""
    facts = {"kind": "ollama", "name": f"m-{new_id()[-12:]}", "base_url": "http://127.0.0.1:9"}
    async with site.house.units.write(person.actor) as work:
        return (await create_model_connection(work, site.house.keyring, ConnectionIn.model_validate(facts))).id


async def make_credential(site: Site, person: Person) -> str:
    facts = {"type": "api_key", "provider": "openai", "title": "Mine", "api_key": "sk-of-somebody"}
    async with site.house.units.write(person.actor) as work:
        return (await create_credential(work, site.house.keyring, ApiKeyIn.model_validate(facts))).id


async def make_file(site: Site, person: Person) -> str:
    async def content() -> AsyncGenerator[bytes]:
        yield b"somebody's"

    return await site.house.cabinet.put(person.id, NewFile(f"/{new_id()}.txt"), content())


async def themselves(site: Site, person: Person) -> str:
    return person.id


# The installation's own: administrators reach them, whoever made them, and nobody else does.
HOUSE: Final[Mapping[str, Maker]] = {"connection_id": make_connection, "user_id": themselves}
MAKERS: Final[Mapping[str, Maker]] = {
    "agent_id": make_agent,
    "run_id": make_ended_run,
    "session_id": make_session,
    "api_key_id": make_key,
    "chat_id": make_chat,
    "credential_id": make_credential,
    "file_id": make_file,
}
# Parameters that name nobody's thing: a value that exists for everyone, or within the thing named before it.
SHARED: Final[Mapping[str, str]] = {
    "block_id": NUMBER,
    "version": "1",
    "revision": "1",
    "message_id": PENDING_MESSAGE,
    "value_hash": hashlib.sha256(dump_bytes(LARGE)).hexdigest(),
}


class MakerMissing(AssertionError):
    """A path has a parameter that no test knows how to fill."""

    def __init__(self, path: str, name: str) -> None:
        super().__init__(
            f"{path}: nothing makes a {{{name}}}. Add `async def make_...(site, person) -> str` to MAKERS in"
            f" tests/security/things.py, or name it in SHARED when it belongs to nobody."
        )


def names_in(path: str) -> list[str]:
    """The parameters of a path, in order. Raises `MakerMissing`."""
    names = [part.partition("}")[0].partition(":")[0] for part in path.split("{")[1:]]
    names += IN_THE_QUERY.get(path.rpartition("/")[2], {}).values()
    for name in names:
        if name not in MAKERS and name not in SHARED and name not in HOUSE:
            raise MakerMissing(path, name)
    return names


def asked_of(operation: Operation, values: Mapping[str, str]) -> dict[str, str]:
    """The query, with things of somebody where it names things."""
    named = IN_THE_QUERY.get(operation.path.rpartition("/")[2], {})
    return {**operation.query, **{parameter: values[name] for parameter, name in named.items()}}


def owned_in(path: str) -> list[str]:
    return [name for name in names_in(path) if name in MAKERS]


async def own_values(site: Site, person: Person, path: str) -> dict[str, str]:
    """Fresh things of this person for every parameter of the path."""
    makers = {**MAKERS, **HOUSE}
    return {name: await makers[name](site, person) if name in makers else SHARED[name] for name in names_in(path)}


def fill(path: str, values: Mapping[str, str]) -> str:
    for name, value in values.items():
        path = path.replace(f"{{{name}}}", value)
    return path
