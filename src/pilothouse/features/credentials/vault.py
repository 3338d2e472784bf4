"""The vault, where work is done: opens a credential for a step, without a lock and without a copy that stays."""

from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from pilothouse.base.committer import Committer, CommitterOverloaded, WriteSet
from pilothouse.base.envelope import Envelope
from pilothouse.base.jobs.moves import micros
from pilothouse.base.keyring import Keyring
from pilothouse.base.reader import Reader, marks
from pilothouse.base.statements import Sql
from pilothouse.blocks.credentials import ApiKey, Credential
from pilothouse.features.credentials.errors import CredentialNotFound
from pilothouse.features.credentials.secret import opened_secret
from pilothouse.graph.catalogue import CredentialFacts
from pilothouse.graph.json_schema import as_list
from pilothouse.kit.json import loads

MAX_NOTED: Final = 10_000
NOTED_MICROS: Final = 60_000_000  # when one was last used is told to the minute

_KNOWN = "select id, provider, type, scopes from credentials where user_id=?1 and id in"
_OPEN = "select provider, type, wrapped_key, sealed, last_used_at from credentials where id=?1 and user_id=?2"
_NOTE = Sql(
    name="note_credential_use",
    sqlite="update credentials set last_used_at=?2 where id=?1",
    postgres="update credentials t set last_used_at=v.at from unnest($1::text[], $2::bigint[]) with ordinality"
    " as v(id, at, nth) where t.id=v.id returning v.nth",
    touches=None,
)


@dataclass(frozen=True, slots=True)
class Vault:
    """One per process."""

    reader: Reader
    committer: Committer
    keyring: Keyring
    system: dict[str, ApiKey] = field(default_factory=dict[str, ApiKey])
    noted: dict[str, int] = field(default_factory=dict[str, int])  # when this process last wrote down a use

    async def known(self, user_id: str, ids: list[str]) -> dict[str, CredentialFacts]:
        """Of these, the ones that this person may use."""
        found = {key: CredentialFacts(self.system[key].provider, "api_key") for key in ids if key in self.system}
        stored = [key for key in ids if key not in found]
        if stored:
            sql = f"{_KNOWN} ({marks(len(stored), 2)})"
            for key, provider, kind, scopes in await self.reader.rows(sql, user_id, *stored):
                found[key] = CredentialFacts(provider, kind, frozenset(map(str, as_list(loads(scopes)))))
        return found

    async def open(self, user_id: str, credential_id: str) -> Credential:
        """Raises `CredentialNotFound` and `CredentialUnreadable`."""
        if credential_id in self.system:
            return self.system[credential_id]
        rows = await self.reader.rows(_OPEN, credential_id, user_id)
        if not rows:
            raise CredentialNotFound
        provider, kind, wrapped_key, sealed, last_used_at = rows[0]
        opened = opened_secret(
            self.keyring,
            Envelope(wrapped_key, sealed),
            credential_id=credential_id,
            user_id=user_id,
            kind=kind,
            provider=provider,
        )
        self._note(credential_id, last_used_at)
        return opened

    def _note(self, credential_id: str, last_used_at: int | None) -> None:
        """Nobody waits for it, and it may be lost: a step must not fail because it could not be noted."""
        now = micros()
        if now - max(last_used_at or 0, self.noted.get(credential_id, 0)) < NOTED_MICROS:
            return
        if len(self.noted) >= MAX_NOTED:
            self.noted.clear()
        self.noted[credential_id] = now
        with suppress(CommitterOverloaded):
            self.committer.submit(WriteSet(((_NOTE, (credential_id, now)),)))
