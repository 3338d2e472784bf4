"""A turn with a scripted provider and tools of the test's own."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from pilothouse.base.tools import ToolBox
from tests.autopilot.bridge import Bridge, leave_nothing, open_bridge
from tests.autopilot.switch import Switched
from tests.autopilot.workshop import Workshop
from tests.providers.script import Answer, Refusal, Script, Tool
from tests.providers.server import provider

BYE = Answer(text=("Done.",))


@dataclass(slots=True)
class Stage:
    """A bridge with a scripted provider and a workshop."""

    bridge: Bridge
    shop: Workshop
    play: Callable[..., Awaitable[Script]]


@asynccontextmanager
async def open_stage(switched: Switched) -> AsyncGenerator[Stage]:
    """A stage in this installation, for somebody new."""
    shop, (installation, switch) = Workshop(), switched
    async with installation.stand() as stand, AsyncExitStack() as stack:

        async def play(*answers: Answer | Refusal, tools: ToolBox | None = None, **settings: object) -> Script:
            script = Script(list(answers))
            url = await stack.enter_async_context(provider(script, "openai"))
            told = {"openai_base_url": url, "openai_api_key": "k", "chat_model": "openai/test"} | settings
            models = switch.connect(installation, shop.tools if tools is None else tools, **told)
            stack.push_async_callback(models.aclose)
            return script

        try:
            yield Stage(await open_bridge(stand), shop, play)
        finally:
            await leave_nothing(stand)


def calls(*many: tuple[str, str]) -> Answer:
    return Answer(tools=tuple(Tool(f"c{n}_{name}", name, asked) for n, (name, asked) in enumerate(many)))


def numbered(first: int, name: str, asked: str) -> Answer:
    return Answer(tools=(Tool(f"c{first}", name, asked),))
