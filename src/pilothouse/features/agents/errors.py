"""What can go wrong with agents."""

from pilothouse.kit.errors import Conflict, Invalid, NotFound


class AgentNotFound(NotFound):
    """There is no such agent."""


class VersionNotFound(NotFound):
    """This agent has no such version."""


class BlockNotFound(NotFound):
    """There is no such block."""


class AgentInvalid(Invalid):
    """This agent has faults."""

    wire_code = "agent_invalid"
    hint = "Each issue in `detail` names its node and field."


class FormatUnsupported(Invalid):
    """This file is not in a format that can be imported."""

    wire_code = "format_unsupported"
    hint = "Import a document of format pilothouse.agent/1, as `export` writes it, or an agent as AutoGPT exports it."


class GuideRequired(Conflict):
    """The building guide was not read in this session."""

    hint = "Call `get_agent_building_guide` first, then `create_agent` in the next round."


class BuildFormMissing(Invalid):
    """Give either `operations` or `agent_json`."""

    wire_code = "invalid_arguments"
