"""AutoPilot: a turn as a pipeline of named parts. Imported only by processes that work, and there at the first turn."""
