"""Ids, time, errors, JSON and text: no domain, no I/O."""
