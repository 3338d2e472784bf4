"""Loopback servers that speak real providers' wires, so that the real client libraries are what is tested."""
