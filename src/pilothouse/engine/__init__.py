"""What a run owes next: a pure state machine over facts, and the driver that effects are handed to."""
