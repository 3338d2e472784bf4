"""An agent's graph as data: nodes, links, pins, validation. Pure."""
