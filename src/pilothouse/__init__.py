"""Pilothouse: delegate work to agents."""

__version__ = "0.1.0"
