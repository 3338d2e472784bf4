"""Generators of hostile requests. They read the routes and the blocks, so that what is added later is covered too."""
