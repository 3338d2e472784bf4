"""Agents: graphs with immutable versions, and the blocks that they are made of."""

from pilothouse.features.agents.agent import Agent, AgentGraph, Version, VersionGraph
from pilothouse.features.agents.coverage import Coverage
from pilothouse.features.agents.documents import refused
from pilothouse.features.agents.editing import Edited, edit_agent
from pilothouse.features.agents.errors import AgentInvalid, AgentNotFound, FormatUnsupported, VersionNotFound
from pilothouse.features.agents.events import AgentActivated, AgentDeleted, AgentFact, AgentSaved, AgentSettingsChanged
from pilothouse.features.agents.plans import Planned, Plans
from pilothouse.features.agents.queries import agents_naming
from pilothouse.features.agents.ready import stock_library
from pilothouse.features.agents.search import find_agents
from pilothouse.features.agents.service import (
    create_agent,
    delete_agent,
    diff_versions,
    get_agent,
    get_version,
    list_agents,
    list_versions,
    operations_between_versions,
    rollback_agent,
    save_agent,
    set_active_version,
    validate_agent,
    validate_document,
)
from pilothouse.features.agents.settings import (
    AgentSettings,
    change_agent_settings,
    get_agent_settings,
    mark_favourite,
)
from pilothouse.features.agents.transfer import (
    Exported,
    Imported,
    Previewed,
    export_agent,
    import_agent,
    preview_import,
    read_file,
)
from pilothouse.features.agents.versions import Base

__all__ = [
    "Agent",
    "AgentActivated",
    "AgentDeleted",
    "AgentFact",
    "AgentGraph",
    "AgentInvalid",
    "AgentNotFound",
    "AgentSaved",
    "AgentSettings",
    "AgentSettingsChanged",
    "Base",
    "Coverage",
    "Edited",
    "Exported",
    "FormatUnsupported",
    "Imported",
    "Planned",
    "Plans",
    "Previewed",
    "Version",
    "VersionGraph",
    "VersionNotFound",
    "agents_naming",
    "change_agent_settings",
    "create_agent",
    "delete_agent",
    "diff_versions",
    "edit_agent",
    "export_agent",
    "find_agents",
    "get_agent",
    "get_agent_settings",
    "get_version",
    "import_agent",
    "list_agents",
    "list_versions",
    "mark_favourite",
    "operations_between_versions",
    "preview_import",
    "read_file",
    "refused",
    "rollback_agent",
    "save_agent",
    "set_active_version",
    "stock_library",
    "validate_agent",
    "validate_document",
]
