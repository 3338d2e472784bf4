"""`pilothouse doctor`: looks at an installation without changing it, and says what to do."""

from pilothouse.app.doctor.examine import examine
from pilothouse.app.doctor.finding import Finding

__all__ = ["Finding", "examine"]
