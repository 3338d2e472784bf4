"""Credentials: what lets agents act for a person elsewhere, sealed as long as no step needs it."""

from pilothouse.features.credentials.errors import (
    CredentialInUse,
    CredentialInvalid,
    CredentialNotFound,
    CredentialUnreadable,
    KeysMissing,
)
from pilothouse.features.credentials.queries import known_credentials, list_credentials, told_of
from pilothouse.features.credentials.rotation import (
    Sealed,
    check_keys,
    key_ids_in_use,
    reseal,
    rewrap_credentials,
)
from pilothouse.features.credentials.safe import Safe
from pilothouse.features.credentials.schemas import ApiKeyIn, CredentialIn, HostScopedIn, UserPasswordIn
from pilothouse.features.credentials.service import (
    CredentialUser,
    create_credential,
    delete_credential,
    rename_credential,
)
from pilothouse.features.credentials.system import system_credentials
from pilothouse.features.credentials.vault import Vault

__all__ = [
    "ApiKeyIn",
    "CredentialIn",
    "CredentialInUse",
    "CredentialInvalid",
    "CredentialNotFound",
    "CredentialUnreadable",
    "CredentialUser",
    "HostScopedIn",
    "KeysMissing",
    "Safe",
    "Sealed",
    "UserPasswordIn",
    "Vault",
    "check_keys",
    "create_credential",
    "delete_credential",
    "key_ids_in_use",
    "known_credentials",
    "list_credentials",
    "rename_credential",
    "reseal",
    "rewrap_credentials",
    "system_credentials",
    "told_of",
]
