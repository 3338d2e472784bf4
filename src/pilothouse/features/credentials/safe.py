"""What the doors of credentials need, in one place."""

from dataclasses import dataclass

from pilothouse.base.keyring import Keyring
from pilothouse.blocks.credentials import ApiKey
from pilothouse.features.credentials.service import Usage


@dataclass(frozen=True, slots=True)
class Safe:
    """One per process."""

    keyring: Keyring
    system: dict[str, ApiKey]
    usage: Usage
