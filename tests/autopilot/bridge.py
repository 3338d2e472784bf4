"""Where AutoPilot's tests take place: a whole installation with the real AutoPilot at work in it."""

from dataclasses import dataclass
from typing import Any, cast

from pilothouse.base.actor import Actor
from pilothouse.base.jobs.moves import micros
from pilothouse.features.chat import Chat, Event, Message, NewSession, TurnBegun, events, queries
from pilothouse.kit.ids import UserId, new_id
from tests.base.waiting import until
from tests.features.runs.stand import Stand


@dataclass(slots=True)
class Bridge:
    """Everything that a test may touch. Ann is new; the session is hers."""

    stand: Stand
    session_id: str

    @property
    def chat(self) -> Chat:
        return self.stand.house.api.chat

    async def start(self, text: str, **more: Any) -> str:
        begun = await self.chat.start_turn(self.stand.ann.actor, self.session_id, self.message(text, **more))
        assert isinstance(begun, TurnBegun), begun
        return begun.turn_id

    def message(self, text: str, **more: Any) -> Message:
        return Message(new_id(), text, "web", micros(), **more)

    async def ended(self, turn_id: str, seconds: float = 30) -> str:
        found: list[str] = []

        async def over() -> bool:
            status = await queries.turn_status(self.stand.house.api.reader, turn_id)
            found[:] = [status] if status else []
            return bool(found)

        await until(over, seconds)
        return found[0]

    async def ask(self, text: str, **more: Any) -> "Said":
        """A turn from its message to its end."""
        turn_id = await self.start(text, **more)
        status = await self.ended(turn_id)
        return Said(status, [event for event in await self.events() if event.turn_id == turn_id])

    async def events(self) -> list[Event]:
        return await queries.read_events(self.stand.house.api.reader, self.session_id, 0, 100_000)

    async def another(self, **ask: Any) -> "Bridge":
        session = await self.chat.create_session(self.stand.ann.actor, NewSession(**ask))
        return Bridge(self.stand, session.id)


@dataclass(slots=True)
class Said:
    """A turn that has ended."""

    status: str
    events: list[Event]

    def of(self, *types: str) -> list[Event]:
        return [event for event in self.events if event.type in types]

    @property
    def text(self) -> str:
        """What the user reads."""
        reset = {part for event in self.of(events.STEP_RESET) for part in cast(list[str], event.data["part_ids"])}
        ends = [event.data for event in self.of(events.TEXT_END)]
        return "\n".join(str(data["text"]) for data in ends if data["id"] not in reset)

    @property
    def calls(self) -> list[tuple[str, dict[str, Any]]]:
        return [
            (str(event.data["tool"]), cast(dict[str, Any], event.data["input"]))
            for event in self.of(events.TOOL_INPUT_AVAILABLE)
        ]

    @property
    def tools(self) -> list[str]:
        return [tool for tool, _ in self.calls]

    @property
    def outputs(self) -> list[dict[str, Any]]:
        return [cast(dict[str, Any], event.data["output"]) for event in self.of(events.TOOL_OUTPUT_AVAILABLE)]


async def leave_nothing(stand: Stand) -> None:
    """End the turns that a test leaves under way. Their workers would go on with the next test's models, and take the
    answers that are meant for its turns.
    """
    sql, chat = "select session_id, user_id from chat_turns where status is null", stand.house.api.chat

    async def none_is_left() -> bool:
        left = await stand.rows(sql)
        for session_id, user_id in left:
            await chat.cancel_turn(Actor(UserId(user_id)), session_id)
        return not left

    await until(none_is_left)


async def open_bridge(stand: Stand) -> Bridge:
    session = await stand.house.api.chat.create_session(stand.ann.actor, NewSession())
    return Bridge(stand, session.id)
