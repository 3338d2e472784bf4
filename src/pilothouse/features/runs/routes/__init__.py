"""The HTTP door of runs."""

from pilothouse.features.runs.routes.runs import routers

__all__ = ["routers"]
