"""The library: what a person has, and how it fares."""

from pilothouse.features.library.entry import Entry, EntryStatus, LastRun
from pilothouse.features.library.queries import Sort, Wanted, list_entries

__all__ = ["Entry", "EntryStatus", "LastRun", "Sort", "Wanted", "list_entries"]
