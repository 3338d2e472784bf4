"""Where tests of chat take place: a whole installation, people in it, and an actor in AutoPilot's place."""

from dataclasses import dataclass
from typing import Any

from pilothouse.base.actor import Actor as Caller
from pilothouse.features.chat import Chat, Message, MessagePending, NewSession, TurnBegun, queries
from pilothouse.features.chat.events import Event
from pilothouse.kit.ids import new_id
from tests.base.waiting import until
from tests.features.chat.actors import Actor
from tests.features.runs.stand import Stand


@dataclass(slots=True)
class Parlour:
    """Everything that a test of chat may touch. Ann is new."""

    stand: Stand
    actor: Actor

    @property
    def chat(self) -> Chat:
        return self.stand.house.api.chat

    @property
    def ann(self) -> Caller:
        return self.stand.ann.actor

    async def session(self, **ask: Any) -> str:
        return (await self.chat.create_session(self.ann, NewSession(**ask))).id

    async def say(
        self, session_id: str, *lines: str, message_id: str | None = None, through: int = 0, **more: Any
    ) -> TurnBegun | MessagePending:
        """Ann says something, through the one process or the other."""
        chat = (self.stand.house.api, self.stand.house.worker)[through].chat
        message = Message(message_id or new_id(), "\n".join(lines), "web", 1, **more)
        return await chat.start_turn(self.ann, session_id, message)

    async def start(self, session_id: str, *lines: str) -> str:
        """A turn that began."""
        begun = await self.say(session_id, *lines)
        assert isinstance(begun, TurnBegun), begun
        return begun.turn_id

    async def ended(self, turn_id: str, seconds: float = 20) -> str:
        """How the turn ended."""
        found: list[str] = []

        async def over() -> bool:
            status = await queries.turn_status(self.stand.house.api.reader, turn_id)
            found[:] = [status] if status else []
            return bool(found)

        await until(over, seconds)
        return found[0]

    async def idle(self, session_id: str) -> None:
        """Until nothing is under way in the session."""

        async def over() -> bool:
            return (await queries.get_session(self.stand.house.api.reader, self.ann, session_id)).active is None

        await until(over, 20)

    async def events(self, session_id: str) -> list[Event]:
        return await queries.read_events(self.stand.house.api.reader, session_id, 0, 100_000)

    async def types(self, session_id: str) -> list[str]:
        return [event.type for event in await self.events(session_id)]

    def open(self, gate: str) -> None:
        self.actor.gates[gate].set()

    async def reaches(self, gate: str) -> None:
        await until(self.actor.reached[gate].is_set)
