"""What can go wrong with credentials."""

from pilothouse.kit.errors import Conflict, Invalid, NotFound, PilothouseError


class CredentialNotFound(NotFound):
    """There is no such credential."""


class CredentialInvalid(Invalid):
    """This cannot be a credential."""


class CredentialInUse(Conflict):
    """Agents use this credential."""

    hint = "Choose another one for them, or delete it all the same with `force`."


class CredentialUnreadable(PilothouseError):
    """A stored credential cannot be opened. It is left as it is."""

    wire_code = "credential_unreadable"
    hint = "Put the encryption key that sealed it back, or enter the credential anew."


class KeysMissing(PilothouseError):
    """Stored secrets were sealed with keys that this installation does not hold."""
