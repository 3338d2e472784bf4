"""Envelopes: each secret is sealed with a key of its own, and that key with one of the installation's.

Putting another installation key in place then means to wrap small keys anew: no secret is opened for it.
"""

from typing import NamedTuple

from cryptography.fernet import Fernet, InvalidToken

from pilothouse.base.keyring import Keyring, SealBroken


class Envelope(NamedTuple):
    """What is stored of a secret."""

    wrapped_key: str  # the secret's own key, sealed by the keyring; it begins with the id of the key that sealed it
    sealed: str

    @property
    def key_id(self) -> str:
        return self.wrapped_key.partition(".")[0]


def seal(keyring: Keyring, payload: bytes) -> Envelope:
    """Put a secret into an envelope."""
    own = Fernet.generate_key()
    return Envelope(keyring.seal(own), Fernet(own).encrypt(payload).decode())


def open_envelope(keyring: Keyring, envelope: Envelope) -> bytes:
    """Raises `SealBroken` when the keyring lacks the key, or when something was changed."""
    own = keyring.open(envelope.wrapped_key)
    try:
        return Fernet(own).decrypt(envelope.sealed)
    except (InvalidToken, ValueError):
        raise SealBroken() from None


def rewrapped(keyring: Keyring, wrapped_key: str) -> str:
    """The same key, sealed by the key that seals today."""
    return keyring.seal(keyring.open(wrapped_key))
