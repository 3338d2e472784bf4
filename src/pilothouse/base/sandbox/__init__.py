"""The sandbox: where code that nobody vouches for is run, apart from everything."""

from pilothouse.base.sandbox.bubblewrap import Walls, find_walls
from pilothouse.base.sandbox.errors import (
    LanguageMissing,
    SandboxGone,
    SandboxTooFull,
    SandboxUnusable,
    TooManySandboxes,
)
from pilothouse.base.sandbox.job import Job, Limits, Outcome, WorkFile
from pilothouse.base.sandbox.sandboxes import Sandboxes, open_sandboxes

__all__ = [
    "Job",
    "LanguageMissing",
    "Limits",
    "Outcome",
    "SandboxGone",
    "SandboxTooFull",
    "SandboxUnusable",
    "Sandboxes",
    "TooManySandboxes",
    "Walls",
    "WorkFile",
    "find_walls",
    "open_sandboxes",
]
