"""How a turn, or a leg of its way, can end."""

from dataclasses import dataclass
from enum import Enum


class End(Enum):
    """How a leg of the way ended."""

    ANSWERED = "answered"
    AGAIN = "again"  # there is more to hear, or room to make, before the next call
    HANDED_ON = "handed on"  # the process stops; another worker goes on
    ASLEEP = "asleep"  # its calls wait for other work; whoever is woken goes on


@dataclass(frozen=True, slots=True)
class Failed:
    """The turn cannot go on."""

    code: str
    message: str
