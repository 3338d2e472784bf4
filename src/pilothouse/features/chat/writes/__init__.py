"""Chat's write sets: how turns start, are logged and end, and how messages wait. Pure descriptions."""
