"""Database, committer, jobs, event log, files, crypto, guarded HTTP, telemetry, and the frame of each door."""
