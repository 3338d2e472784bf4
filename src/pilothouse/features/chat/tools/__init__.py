"""AutoPilot's door to chat: other sessions, work in the background, its own earlier results."""

from pilothouse.base.tools import ToolBox
from pilothouse.features.chat.tools import background, results, sub_sessions

tools = ToolBox(sub_sessions.tools, background.tools, results.tools)
