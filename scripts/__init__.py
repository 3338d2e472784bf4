"""Tools of the house: services for tests, the ratchet, checks of what we ship."""
