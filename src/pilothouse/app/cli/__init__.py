"""The command line: `pilothouse serve`, `pilothouse run`, and what an operator needs."""

from pilothouse.app.cli.main import main

__all__ = ["main"]
