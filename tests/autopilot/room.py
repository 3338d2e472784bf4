"""A place for turns that wait: a scripted model that reacts to what it reads, agents that end when they are told to."""

import re
from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast

from pilothouse.autopilot import all_tools
from pilothouse.base.tools import ToolBox
from pilothouse.features.chat import Event, events, queries
from pilothouse.kit.ids import RunId
from pilothouse.kit.json import dumps
from tests.autopilot.bridge import Bridge, leave_nothing
from tests.autopilot.switch import Switch
from tests.autopilot.workshop import Workshop
from tests.base.waiting import until
from tests.features.runs.graphs import AWAIT, OUTPUT, graph, link, node
from tests.features.runs.stand import Installation
from tests.providers.script import Answer, Asked, Script, Tool
from tests.providers.server import provider

_PARKED = re.compile(r"bg-[0-9a-f]{12}")
# What the model does in a round. When it has no more to do, it says what it read last.
Found: TypeAlias = dict[str, Any]  # JSON of a result, of a request
Wanted: TypeAlias = tuple[str, Mapping[str, object]]  # a tool and its arguments
Plan: TypeAlias = list[Wanted]


@dataclass(slots=True)
class Reacting(Script):
    """Answers by what it is asked, whoever asks first."""

    plans: dict[str, list[Plan]] = field(default_factory=dict[str, list[Plan]])
    calls: int = 0

    def take(self, request: Asked) -> Answer:
        self.requests.append(request)
        messages = request.body["messages"]
        place = max(n for n, message in enumerate(messages) if message["role"] == "user")
        last = _text(messages[place]["content"])
        made = sum(message["role"] == "assistant" for message in messages[place:])
        if made < len(rounds := self._rounds(last)):
            found = _PARKED.findall(str(messages))
            return Answer(tools=tuple(self._tool(name, asked, found) for name, asked in rounds[made]))
        told = [_text(message["content"]) for message in messages if message["role"] == "tool"]
        return Answer(text=(f"Heard: {last[-80:]}. ", *(piece[:200] for piece in told[-1:])))

    def _rounds(self, said: str) -> list[Plan]:
        fitting = [rounds for words, rounds in self.plans.items() if said.rstrip().endswith(words)]
        return fitting[0] if fitting else list[Plan]()

    def _tool(self, name: str, asked: Mapping[str, object], parked: list[str]) -> Tool:
        """`$parked` in an argument is the id of the background work that was told of last."""
        self.calls += 1
        last = parked[-1] if parked else ""
        return Tool(f"call_{self.calls}", name, dumps(dict(asked)).replace("$parked", last))


def _text(content: str | list[Found]) -> str:
    if isinstance(content, str):
        return content
    return " ".join(str(part.get("text", "")) for part in content)


def outputs_of(log: Iterable[Event]) -> list[Found]:
    return [cast(Found, event.data["output"]) for event in log if event.type == events.TOOL_OUTPUT_AVAILABLE]


@dataclass(slots=True)
class Room:
    """A bridge, whose model follows plans."""

    bridge: Bridge
    shop: Workshop
    script: Reacting
    switch: Switch
    installation: Installation

    def when(self, words: str, *plan: Wanted) -> None:
        """What the model does when the user's message ends with these words."""
        self.script.plans[words] = [list(plan)]

    def then(self, words: str, *plan: Wanted) -> None:
        """And in the round after that."""
        self.script.plans[words].append(list(plan))

    async def waiting_agent(self) -> str:
        """An agent whose runs last until somebody says `go`."""
        nodes = [node("wait", AWAIT, fact="go", value=7), node("out", OUTPUT, name="said")]
        return await self.bridge.stand.agent(graph("Patient", nodes, [link("wait", "value", "out", "value")]))

    async def only_run(self) -> str:
        """The one run that Ann has, once it is there and waits."""
        found: list[str] = []

        async def there() -> bool:
            sql = "select r.id from runs r join jobs j on j.id=r.id where r.user_id=?1 and j.state='waiting'"
            found[:] = [row[0] for row in await self.bridge.stand.rows(sql, self.bridge.stand.ann.actor.user_id)]
            return len(found) == 1

        await until(there)
        return found[0]

    async def go(self, run_id: str) -> None:
        await self.bridge.stand.house.api.runs.send_fact(self.bridge.stand.ann.actor, RunId(run_id), "go", 1)

    async def asleep(self, session_id: str | None = None) -> None:
        """Until the session's turn waits without a worker."""

        async def waits() -> bool:
            view = await queries.get_session(
                self.bridge.stand.house.api.reader, self.bridge.stand.ann.actor, session_id or self.bridge.session_id
            )
            return view.status == "waiting"

        await until(waits)

    async def told(self, kind: str) -> list[Event]:
        return [event for event in await self.bridge.events() if event.type == kind]

    async def results(self) -> list[Found]:
        return outputs_of(await self.bridge.events())


@asynccontextmanager
async def open_room(bridge: Bridge, either: tuple[Installation, Switch]) -> AsyncGenerator[Room]:
    shop, script = Workshop(), Reacting([])
    tools = ToolBox(all_tools(), shop.tools)
    async with provider(script, "openai") as url:
        models = either[1].connect(either[0], tools, openai_base_url=url, openai_api_key="k", chat_model="openai/test")
        try:
            yield Room(bridge, shop, script, either[1], either[0])
        finally:
            await leave_nothing(bridge.stand)
            await models.aclose()
