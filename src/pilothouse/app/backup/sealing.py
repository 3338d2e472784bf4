"""Secrets inside a backup: sealed with a passphrase, so that the file alone opens nothing."""

import os
import secrets
from base64 import urlsafe_b64encode
from pathlib import Path

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from pilothouse.base.settings import Settings
from pilothouse.kit.errors import PilothouseError
from pilothouse.kit.json import dump_bytes, loads

NAMES = ("encryption_keys", "hmac_key", "signing_key", "metrics_token")
SALT_BYTES = 16
SHORTEST = 12


class PassphraseWrong(PilothouseError):
    """The passphrase does not open the secrets in this backup."""

    hint = "Nothing was changed. Leave the passphrase out to restore without secrets."


class PassphraseShort(PilothouseError):
    """A passphrase has at least 12 characters."""


def gather_secrets(settings: Settings) -> dict[str, str]:
    """What the installation uses: from the settings, else from its directory."""
    found: dict[str, str] = {}
    for name in NAMES:
        configured = getattr(settings, name)
        path = settings.data_dir / "secrets" / name
        if configured is not None:
            found[name] = configured.get_secret_value()
        elif path.exists():
            found[name] = path.read_text().strip()
    return found


def seal(values: dict[str, str], passphrase: str) -> bytes:
    if len(passphrase) < SHORTEST:
        raise PassphraseShort
    salt = secrets.token_bytes(SALT_BYTES)
    return salt + _cipher(passphrase, salt).encrypt(dump_bytes(values))


def unseal(sealed: bytes, passphrase: str) -> dict[str, str]:
    """Raises `PassphraseWrong`."""
    try:
        text = _cipher(passphrase, sealed[:SALT_BYTES]).decrypt(sealed[SALT_BYTES:])
    except InvalidToken:
        raise PassphraseWrong from None
    values = loads(text)
    assert isinstance(values, dict)
    return {name: str(values[name]) for name in NAMES if name in values}


def write_secrets(place: Path, values: dict[str, str]) -> None:
    """As the installation itself keeps them: a directory of its owner's, one file for each."""
    place.mkdir(mode=0o700, parents=True)
    for name, value in values.items():
        descriptor = os.open(place / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(value + "\n")
            file.flush()
            os.fsync(file.fileno())


def _cipher(passphrase: str, salt: bytes) -> Fernet:
    key = Scrypt(salt=salt, length=32, n=2**16, r=8, p=1).derive(passphrase.encode())
    return Fernet(urlsafe_b64encode(key))
