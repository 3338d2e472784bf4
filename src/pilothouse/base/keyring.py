"""The installation's secrets: taken from the settings, or made once and kept where only we can read them."""

import hmac
import os
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Final

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from pydantic import SecretStr

from pilothouse.base.settings import Settings
from pilothouse.kit.errors import PilothouseError

KEYS: Final = "encryption_keys"


class SecretsExposed(PilothouseError):
    """Secrets can be read by other users of this machine."""


class SecretUnusable(PilothouseError):
    """A secret is not of the form it must have."""


class SealBroken(PilothouseError):
    """A stored value cannot be opened with the keys of this installation."""


@dataclass(frozen=True, slots=True, repr=False)
class Keyring:
    """Every secret of this installation. Its `repr` shows none of them."""

    encryption: tuple[tuple[str, Fernet], ...]  # (key id, key); the first one seals, all of them open
    hmac_key: bytes
    signing_key: Ed25519PrivateKey
    metrics_token: str
    key_ids: tuple[str, ...]
    shelf: "Shelf | None" = None  # where the encryption keys are kept, unless the settings name them
    learnt: dict[str, Fernet] = field(default_factory=dict[str, Fernet])  # keys that came while this process ran

    def seal(self, value: bytes) -> str:
        """Encrypt for storage; the text names the key, so that keys can be rotated."""
        key_id, key = self.encryption[0]
        return f"{key_id}.{key.encrypt(value).decode()}"

    def open(self, sealed: str) -> bytes:
        """Read what `seal` wrote, under any key that is still held."""
        key_id, _, token = sealed.partition(".")
        key = dict(self.encryption).get(key_id) or self.learnt.get(key_id) or self._learn(key_id)
        if key is None:
            raise SealBroken(hint=f"Put the encryption key {key_id!r} back into PILOTHOUSE_ENCRYPTION_KEYS.")
        try:
            return key.decrypt(token)
        except InvalidToken:
            raise SealBroken() from None

    def _learn(self, key_id: str) -> Fernet | None:
        """A key that was made after this process had started: somebody rotates."""
        if self.shelf is not None:
            self.learnt.update((each, _fernet(key)) for each, key in _encryption_pairs(self.shelf.read(KEYS)))
        return self.learnt.get(key_id)

    def is_current(self, sealed: str) -> bool:
        """Whether this was sealed under the key that seals today."""
        return sealed.partition(".")[0] == self.encryption[0][0]

    def mac(self, purpose: str, message: bytes) -> bytes:
        """32 bytes that only this installation can make for this purpose and message."""
        return hmac.digest(self.hmac_key, purpose.encode() + b"\0" + message, "sha256")

    def fingerprint(self) -> str:
        """Tells one set of keys from another without saying anything about them."""
        return sha256("\n".join(sorted(self.key_ids)).encode()).hexdigest()[:32]

    def __repr__(self) -> str:
        return f"Keyring({self.fingerprint()})"


def open_keyring(settings: Settings) -> Keyring:
    """The keyring of this installation; secrets that are not in the settings are made at first start."""
    shelf = Shelf(settings.data_dir / "secrets")
    encryption = shelf.secret(KEYS, settings.encryption_keys, _new_encryption_keys)
    hmac_key = shelf.secret("hmac_key", settings.hmac_key, _new_key)
    signing = shelf.secret("signing_key", settings.signing_key, _new_key)
    metrics = shelf.secret("metrics_token", settings.metrics_token, _new_key)
    pairs = _encryption_pairs(encryption)
    return Keyring(
        encryption=tuple((key_id, _fernet(key)) for key_id, key in pairs),
        hmac_key=_long_enough("PILOTHOUSE_HMAC_KEY", hmac_key).encode(),
        signing_key=_signing_key(signing),
        metrics_token=_long_enough("PILOTHOUSE_METRICS_TOKEN", metrics),
        key_ids=(
            *(f"encryption:{key_id}:{_digest(key)}" for key_id, key in pairs),
            f"hmac:{_digest(hmac_key)}",
            f"signing:{_digest(signing)}",
        ),
        shelf=shelf if settings.encryption_keys is None else None,
    )


def add_encryption_key(keyring: Keyring) -> str:
    """Make a key that seals from now on; those before it still open. Raises `SecretUnusable`. Answers its id."""
    shelf = _own_shelf(keyring)
    made = _new_encryption_keys()
    shelf.replace(KEYS, f"{made},{shelf.read(KEYS)}")
    return made.partition(":")[0]


def drop_encryption_key(keyring: Keyring, key_id: str) -> None:
    """Forget a key for good. Raises `SecretUnusable` for the one that seals, and for one that is not there."""
    shelf = _own_shelf(keyring)
    pairs = _encryption_pairs(shelf.read(KEYS))
    if key_id == pairs[0][0] or key_id not in dict(pairs):
        raise SecretUnusable(f"{key_id!r} is {'the key that seals' if key_id == pairs[0][0] else 'no key here'}.")
    shelf.replace(KEYS, ",".join(f"{each}:{key}" for each, key in pairs if each != key_id))


def _own_shelf(keyring: Keyring) -> "Shelf":
    if keyring.shelf is None:
        raise SecretUnusable("The encryption keys are in PILOTHOUSE_ENCRYPTION_KEYS: change them there.")
    return keyring.shelf


class Shelf:
    """A directory that only its owner may enter, with one file per secret."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def secret(self, name: str, configured: SecretStr | None, make: Callable[[], str]) -> str:
        """The configured value, else the kept one, else a new one, which is kept."""
        if configured is not None:
            return configured.get_secret_value().strip()
        self._prepare()
        path = self.place / name
        if not os.path.lexists(path):
            self._keep(path, make())
        return self._read(path)

    def _prepare(self) -> None:
        if not self.place.exists():
            self.place.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.place.chmod(0o700)  # a umask may have taken more than we wanted
        _refuse_wider(self.place, 0o700)

    def _keep(self, path: Path, value: str) -> None:
        """Appear whole or not at all: two processes that start at once agree on one value."""
        draft = self._draft(path, value)
        try:
            try:
                os.link(draft, path)
            except FileExistsError:
                return  # another process was first; its value is read instead
            _sync_directory(self.place)
        finally:
            draft.unlink()

    def _draft(self, path: Path, value: str) -> Path:
        draft = self.place / f".{path.name}.{secrets.token_hex(8)}"
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(handle, "w") as file:
            file.write(value + "\n")
            file.flush()
            os.fsync(file.fileno())
        return draft

    def read(self, name: str) -> str:
        return self._read(self.place / name)

    def replace(self, name: str, value: str) -> None:
        """Put another value in place; whoever reads meanwhile finds the one or the other."""
        path = self.place / name
        draft = self._draft(path, value)
        os.replace(draft, path)
        _sync_directory(self.place)

    def _read(self, path: Path) -> str:
        _refuse_wider(path, 0o600)
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
        with os.fdopen(handle) as file:
            return file.read().strip()


def _refuse_wider(path: Path, mode: int) -> None:
    found = path.stat()
    if found.st_mode & 0o077 or found.st_uid != os.geteuid():
        raise SecretsExposed(
            f"{path} must belong to this user and have mode {mode:04o}; it has {found.st_mode & 0o777:04o}.",
            hint=f"Run: chmod {mode:04o} {path}. If others could read it, delete the secret or replace it.",
        )


def _sync_directory(place: Path) -> None:
    handle = os.open(place, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _new_key() -> str:
    return urlsafe_b64encode(secrets.token_bytes(32)).decode()


def _new_encryption_keys() -> str:
    key = _new_key()
    return f"{_digest(key)}:{key}"


def _digest(key: str) -> str:
    """Eight hex digits: enough to tell keys apart, too few to say anything about them."""
    return sha256(b"key id\0" + key.encode()).hexdigest()[:8]


def _encryption_pairs(text: str) -> list[tuple[str, str]]:
    pairs = [part.strip().partition(":") for part in text.split(",") if part.strip()]
    if not pairs or any(not key_id or not key or "." in key_id for key_id, _, key in pairs):
        raise SecretUnusable("PILOTHOUSE_ENCRYPTION_KEYS must be `id:key,...`, the key that encrypts first.")
    return [(key_id, key) for key_id, _, key in pairs]


def _fernet(key: str) -> Fernet:
    try:
        return Fernet(key)
    except ValueError:
        raise SecretUnusable("A key in PILOTHOUSE_ENCRYPTION_KEYS is not 32 bytes of url-safe base64.") from None


def _signing_key(text: str) -> Ed25519PrivateKey:
    try:
        return Ed25519PrivateKey.from_private_bytes(urlsafe_b64decode(text))
    except (ValueError, UnsupportedAlgorithm):
        raise SecretUnusable("PILOTHOUSE_SIGNING_KEY must be 32 bytes of url-safe base64.") from None


def _long_enough(name: str, value: str) -> str:
    if len(value) < 32:
        raise SecretUnusable(f"{name} must have at least 32 characters.")
    return value
