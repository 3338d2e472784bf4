"""Runs: one execution of one version of an agent."""

from pilothouse.features.runs.admitting import RunAsk
from pilothouse.features.runs.errors import RunEnded, RunNotEnded, RunNotFound
from pilothouse.features.runs.events import RunEvents
from pilothouse.features.runs.memory import forget_agent
from pilothouse.features.runs.piloting import Errand, Pilot, PilotEnd, Spent, Standing
from pilothouse.features.runs.retention import Retention
from pilothouse.features.runs.service import Admitted, Runs
from pilothouse.features.runs.simulating import ModelAsk

__all__ = [
    "Admitted",
    "Errand",
    "ModelAsk",
    "Pilot",
    "PilotEnd",
    "Retention",
    "RunAsk",
    "RunEnded",
    "RunEvents",
    "RunNotEnded",
    "RunNotFound",
    "Runs",
    "Spent",
    "Standing",
    "forget_agent",
]
