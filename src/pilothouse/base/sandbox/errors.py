"""What can go wrong around the sandbox. What goes wrong inside it is an outcome, not an error."""

from pilothouse.kit.errors import Conflict, Invalid, NotFound, TooLarge


class SandboxUnusable(Conflict):
    """Code cannot be run here: this machine has no sandbox that works."""


class LanguageMissing(Invalid):
    """The sandbox has no program for this language."""

    wire_code = "language_missing"


class SandboxGone(NotFound):
    """This sandbox does not exist any more."""

    wire_code = "sandbox_gone"


class SandboxTooFull(TooLarge):
    """There are too many files in this sandbox to keep them; it is left as it was before this step."""


class TooManySandboxes(Conflict):
    """Too many sandboxes are kept at once."""

    hint = "Dispose of those that are no longer needed."
