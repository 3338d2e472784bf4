"""The HTTP doors of this slice."""

from pilothouse.base.http import Router
from pilothouse.features.agents.routes import agents, blocks, needs, settings


def routers() -> list[Router]:
    """Agents and blocks, for the app and under `/api/v1`."""
    return [agents.router, needs.router, settings.router, blocks.router]
