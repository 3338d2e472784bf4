"""The library: what a person has, and how it fares."""

from pilothouse.features.library.entry import Entry, EntryStatus, LastRun
from pilothouse.features.library.queries import Sort, Wanted, get_entry, list_entries
from pilothouse.features.library.service import change_entry

__all__ = ["Entry", "EntryStatus", "LastRun", "Sort", "Wanted", "change_entry", "get_entry", "list_entries"]
