"""The HTTP door of chat."""

from pilothouse.features.chat.routes.sessions import routers

__all__ = ["routers"]
