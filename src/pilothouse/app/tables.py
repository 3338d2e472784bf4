"""Every table, for migrations and tests: importing this fills `metadata`."""

from pilothouse.base import logs
from pilothouse.base.database import metadata
from pilothouse.base.http import idempotency, rates
from pilothouse.base.jobs import tables
from pilothouse.features.accounts import models as accounts
from pilothouse.features.agents import models as agents
from pilothouse.features.chat import models as chat
from pilothouse.features.credentials import models as credentials
from pilothouse.features.files import models as files
from pilothouse.features.models import models as language_models
from pilothouse.features.reviews import models as reviews
from pilothouse.features.runs import models as runs

__all__ = [
    "accounts",
    "agents",
    "chat",
    "credentials",
    "files",
    "idempotency",
    "language_models",
    "logs",
    "metadata",
    "rates",
    "reviews",
    "runs",
    "tables",
]
