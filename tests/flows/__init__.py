"""A caller's whole way through real processes, with a kill in the middle."""
