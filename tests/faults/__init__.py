"""Kills, pauses and starves real processes, then judges what is left. `FAULTS=full` makes the numbers large."""
