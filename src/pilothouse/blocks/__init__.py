"""The block contract, the registry, and the blocks themselves."""
