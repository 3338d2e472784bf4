"""What happens to agents; `app` says who hears of it."""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class AgentFact:
    """Something happened to this agent."""

    agent_id: str
    user_id: str


@dataclass(frozen=True, slots=True)
class AgentSaved(AgentFact):
    """A new version exists and is active."""

    name: ClassVar[str] = "agent.saved"
    version: int


@dataclass(frozen=True, slots=True)
class AgentActivated(AgentFact):
    """Another version became the active one."""

    name: ClassVar[str] = "agent.activated"
    version: int
    previous: int


@dataclass(frozen=True, slots=True)
class AgentSettingsChanged(AgentFact):
    """Its owner wants it to run otherwise from now on; runs that have begun keep to what they began with."""

    name: ClassVar[str] = "agent.settings_changed"


@dataclass(frozen=True, slots=True)
class AgentDeleted(AgentFact):
    """The agent is gone for its owner; its runs go on."""

    name: ClassVar[str] = "agent.deleted"
