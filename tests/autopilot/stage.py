"""A turn with a scripted provider and tools of the test's own."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from tests.autopilot.bridge import Bridge
from tests.autopilot.workshop import Workshop
from tests.providers.script import Answer, Script, Tool

BYE = Answer(text=("Done.",))


@dataclass(slots=True)
class Stage:
    """A bridge with a scripted provider and a workshop."""

    bridge: Bridge
    shop: Workshop
    play: Callable[..., Awaitable[Script]]


def calls(*many: tuple[str, str]) -> Answer:
    return Answer(tools=tuple(Tool(f"c{n}_{name}", name, asked) for n, (name, asked) in enumerate(many)))


def numbered(first: int, name: str, asked: str) -> Answer:
    return Answer(tools=(Tool(f"c{first}", name, asked),))
