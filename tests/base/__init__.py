"""One conformance suite per port, run on each implementation."""
