"""Another key for the installation: what the old ones sealed is sealed anew, while everybody goes on reading."""

from dataclasses import dataclass

from sqlalchemy import select, text

from pilothouse.base.actor import SYSTEM
from pilothouse.base.envelope import rewrapped
from pilothouse.base.keyring import Keyring
from pilothouse.base.reader import Reader
from pilothouse.base.work import Units
from pilothouse.features.credentials.errors import KeysMissing
from pilothouse.features.credentials.models import StoredCredential

BATCH = 200


@dataclass(frozen=True, slots=True)
class Sealed:
    """A column elsewhere that holds what the keyring sealed: `id.token`."""

    table: str
    key: str
    column: str


async def rewrap_credentials(units: Units, keyring: Keyring) -> int:
    """Wrap every credential's key with the key that seals today. Broken off, it goes on where it was."""
    current, done = keyring.encryption[0][0], 0
    while True:
        async with units.write(SYSTEM) as work:
            query = select(StoredCredential).where(StoredCredential.key_id != current).limit(BATCH)
            rows = (await work.session.scalars(query.with_for_update(skip_locked=True))).all()
            for row in rows:
                row.wrapped_key = rewrapped(keyring, row.wrapped_key)
                row.key_id = current
        done += len(rows)
        if not rows:
            return done


async def reseal(units: Units, keyring: Keyring, place: Sealed) -> int:
    """The same for what was sealed without an envelope. A value that changed meanwhile is left to the next round."""
    done = 0
    stale = f"{place.column} is not null and {place.column} not like :current"
    find = text(f"select {place.key}, {place.column} from {place.table} where {stale} limit {BATCH}")
    change = text(f"update {place.table} set {place.column}=:new where {place.key}=:key and {place.column}=:old")
    while True:
        async with units.write(SYSTEM) as work:
            rows = (await work.session.execute(find, {"current": f"{keyring.encryption[0][0]}.%"})).all()
            for key, old in rows:
                new = keyring.seal(keyring.open(old))
                await work.session.execute(change, {"new": new, "key": key, "old": old})
        done += len(rows)
        if not rows:
            return done


async def key_ids_in_use(reader: Reader, places: list[Sealed]) -> set[str]:
    """Every key that some stored secret names."""
    found = {row[0] for row in await reader.rows("select distinct key_id from credentials")}
    for place in places:
        sql = f"select {place.column} from {place.table} where {place.column} is not null"
        found |= {row[0].partition(".")[0] for row in await reader.rows(sql)}
    return found


async def check_keys(reader: Reader, keyring: Keyring, places: list[Sealed]) -> None:
    """Raises `KeysMissing` when something stored could not be opened: better now than in the middle of a run."""
    missing = sorted(await key_ids_in_use(reader, places) - {key_id for key_id, _ in keyring.encryption})
    if missing:
        names = ", ".join(repr(name) for name in missing)
        raise KeysMissing(
            f"Stored secrets were sealed with the encryption key {names}, which is not here.",
            hint="Put it back into PILOTHOUSE_ENCRYPTION_KEYS, or into secrets/encryption_keys in the data directory.",
        )
