"""What was said before the command's name."""

from collections.abc import Mapping
from contextvars import ContextVar

CHOSEN: ContextVar[Mapping[str, object]] = ContextVar("chosen")
