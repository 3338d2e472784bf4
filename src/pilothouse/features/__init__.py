"""One folder per subject; each a room with three doors: HTTP, worker, AutoPilot."""
