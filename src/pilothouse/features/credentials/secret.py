"""What is inside an envelope: the secret, and whose it is."""

from typing import Any

from pilothouse.base.envelope import Envelope, open_envelope, seal
from pilothouse.base.keyring import Keyring, SealBroken
from pilothouse.blocks.credentials import ApiKey, Credential, HostScoped, UserPassword
from pilothouse.features.credentials.errors import CredentialUnreadable
from pilothouse.features.credentials.schemas import ApiKeyIn, HostScopedIn, UserPasswordIn
from pilothouse.kit.json import Json, JsonObject, dump_bytes, loads

HINT_FROM = 12  # shorter keys would be given away by their last four characters


def secret_of(ask: ApiKeyIn | UserPasswordIn | HostScopedIn) -> JsonObject:
    """What of it is secret, or is of no use without the secret."""
    match ask:
        case ApiKeyIn():
            return {"key": ask.api_key.get_secret_value()}
        case UserPasswordIn():
            return {"username": ask.username, "password": ask.password.get_secret_value()}
        case HostScopedIn():
            headers: JsonObject = {name: value.get_secret_value() for name, value in ask.headers.items()}
            return {"host": ask.host, "headers": headers}


def shown_of(ask: ApiKeyIn | UserPasswordIn | HostScopedIn) -> JsonObject:
    """What of it may be shown."""
    match ask:
        case ApiKeyIn():
            key = ask.api_key.get_secret_value()
            return {"hint": key[-4:]} if len(key) >= HINT_FROM else {}
        case UserPasswordIn():
            return {"username": ask.username}
        case HostScopedIn():
            names: list[Json] = list(ask.headers)
            return {"host": ask.host, "header_names": names}


def sealed_secret(keyring: Keyring, credential_id: str, user_id: str, secret: JsonObject) -> Envelope:
    """In an envelope with its own id and its owner's: in another row it is of no use."""
    return seal(keyring, dump_bytes({"id": credential_id, "user_id": user_id, "secret": secret}))


def opened_secret(
    keyring: Keyring, envelope: Envelope, *, credential_id: str, user_id: str, kind: str, provider: str
) -> Credential:
    """Raises `CredentialUnreadable`; never gives an empty value instead."""
    try:
        body: Any = loads(open_envelope(keyring, envelope))
        if (body["id"], body["user_id"]) != (credential_id, user_id):
            raise CredentialUnreadable("This credential was sealed for another place.")
        return _credential(kind, credential_id, provider, body["secret"])
    except (SealBroken, KeyError, TypeError, ValueError) as error:
        raise CredentialUnreadable() from error


def _credential(kind: str, credential_id: str, provider: str, secret: Any) -> Credential:
    match kind:
        case "api_key":
            return ApiKey(credential_id, provider, secret["key"])
        case "user_password":
            return UserPassword(credential_id, provider, secret["username"], secret["password"])
        case "host_scoped":
            return HostScoped(credential_id, provider, secret["host"], secret["headers"])
        case _:
            raise ValueError(kind)
