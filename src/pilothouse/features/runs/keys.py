"""Credentials for steps: opened for one call of a block, gone after it, and hidden in whatever the block gives."""

from base64 import b64encode, urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, quote_plus

from pilothouse.base.reader import Reader
from pilothouse.blocks.credentials import Credential, UserPassword
from pilothouse.blocks.pins import BlockFailed
from pilothouse.blocks.runner import Fired
from pilothouse.engine.ports import RunRefused
from pilothouse.features.credentials import CredentialNotFound, CredentialUnreadable, Vault
from pilothouse.graph.catalogue import BlockSpec, CredentialFacts
from pilothouse.graph.credential_fit import misfit, providers_of
from pilothouse.graph.fields import is_credentials, properties
from pilothouse.graph.json_schema import as_object
from pilothouse.kit.json import Json, JsonObject, dumps

REDACTED: Final = "[redacted]"
_LONG: Final = 8  # what is shorter could stand in other base64 by chance
_SHORTEST: Final = 4  # what is shorter is in too many texts by chance, and no secret


def credential_pins(spec: BlockSpec) -> tuple[str, ...]:
    return tuple(filter(is_credentials, properties(spec.inputs)))


@dataclass(frozen=True, slots=True)
class Keys:
    """One per process."""

    vault: Vault
    reader: Reader

    async def open_for(self, run_id: str, spec: BlockSpec, inputs: JsonObject) -> dict[str, Credential]:
        """What the step names, by pin: those of the run's owner that fit there.

        Judged here once more, for what a run is accepted with does not show what links and masks bring. One that does
        not fit fails the step; one that is not there any more ends the run.
        """
        named = ((pin, as_object(inputs.get(pin)).get("id")) for pin in credential_pins(spec))
        ids = {pin: found for pin, found in named if isinstance(found, str)}
        if not ids:
            return {}
        rows = await self.reader.rows("select user_id from runs where id=?1", run_id)
        owner: str = rows[0][0] if rows else ""
        known = await self.vault.known(owner, [*ids.values()])
        for pin, found in ids.items():
            self._require_fit(pin, properties(spec.inputs)[pin], inputs, known.get(found), found)
        return {pin: await self._open(owner, pin, found) for pin, found in ids.items()}

    def _require_fit(
        self, pin: str, schema: JsonObject, inputs: JsonObject, facts: CredentialFacts | None, credential_id: str
    ) -> None:
        if facts is None:
            raise _gone(pin)
        fault = misfit(pin, schema, inputs, facts)
        if credential_id in self.vault.system and facts.provider not in providers_of(schema, inputs):
            fault = fault or f"'{pin}' asks for no {facts.provider}, and the installation's key is for nothing else."
        if fault is not None:
            raise BlockFailed("credentials_unusable", fault)

    async def _open(self, owner: str, pin: str, credential_id: str) -> Credential:
        try:
            return await self.vault.open(owner, credential_id)
        except CredentialNotFound:
            raise _gone(pin) from None
        except CredentialUnreadable as unreadable:
            raise BlockFailed(unreadable.code, unreadable.message) from None


def _gone(pin: str) -> RunRefused:
    return RunRefused("credentials_missing", f"What was chosen for '{pin}' is not there any more.")


class Hider:
    """Puts `[redacted]` wherever a secret stands, as it is or in a common disguise."""

    def __init__(self, opened: Mapping[str, Credential]) -> None:
        forms = {form for credential in opened.values() for secret in _told(credential) for form in _forms(secret)}
        self._forms = sorted((form for form in forms if len(form) >= _SHORTEST), key=len, reverse=True)

    def fired(self, fired: Fired) -> Fired:
        return [(pin, self.value(value)) for pin, value in fired]

    def failure(self, failure: BlockFailed) -> BlockFailed:
        """The same, with nothing secret in what it says."""
        detail = self.value(failure.detail)
        return BlockFailed(
            failure.code,
            self.text(failure.message),
            detail if isinstance(detail, dict) else None,
            retryable=failure.retryable,
            retry_after=failure.retry_after,
        )

    def value(self, value: Json) -> Json:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if isinstance(value, dict):
            return {self.text(key): self.value(item) for key, item in value.items()}
        return value

    def text(self, text: str) -> str:
        for form in self._forms:
            if form in text:
                text = text.replace(form, REDACTED)
        return text


def _told(credential: Credential) -> list[str]:
    told = list(credential.secrets())
    if isinstance(credential, UserPassword):
        told.append(f"{credential.username}:{credential.password}")  # as HTTP sends the two
    for secret in credential.secrets():
        told += [word for word in secret.split() if word != secret]  # `Bearer x` without its first word
    return told


def _forms(secret: str) -> set[str]:
    raw = secret.encode()
    whole = {
        secret,
        dumps(secret)[1:-1],
        quote(secret, safe=""),
        quote_plus(secret),
        raw.hex(),
        raw.hex().upper(),
        b64encode(raw).decode(),
        b64encode(raw).decode().rstrip("="),
        urlsafe_b64encode(raw).decode(),
    }
    return whole | (_inside_base64(raw) if len(raw) >= _LONG else set())


def _inside_base64(raw: bytes) -> set[str]:
    """How it looks in the middle of a longer text in base64, less the characters that its neighbours change."""
    found: set[str] = set()
    for before in range(3):
        first, end = (before * 8 + 5) // 6, (before + len(raw)) * 8 // 6
        for encoded in (b64encode(b"\0" * before + raw), urlsafe_b64encode(b"\0" * before + raw)):
            found.add(encoded.decode()[first:end])
    return found
