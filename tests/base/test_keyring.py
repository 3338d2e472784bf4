"""S1, S15 of deployment: secrets are made once, for us only, and a leak stops the start."""

import os
import stat
from pathlib import Path

import pytest
from pydantic import SecretStr

from pilothouse.base.keyring import SealBroken, SecretsExposed, SecretUnusable, open_keyring
from pilothouse.base.settings import Settings

pytestmark = pytest.mark.security


def settings(place: Path, **given: object) -> Settings:
    return Settings.model_validate({"data_dir": place / "data", **given})


def test_a_first_start_makes_secrets_that_only_we_can_read(tmp_path: Path):
    before = os.umask(0)
    try:
        open_keyring(settings(tmp_path))
    finally:
        os.umask(before)
    place = tmp_path / "data" / "secrets"
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    kept = {path.name: stat.S_IMODE(path.stat().st_mode) for path in place.iterdir()}
    assert kept == dict.fromkeys(("encryption_keys", "hmac_key", "signing_key", "metrics_token"), 0o600)


def test_a_second_start_finds_the_same_secrets(tmp_path: Path):
    first, second = open_keyring(settings(tmp_path)), open_keyring(settings(tmp_path))
    assert second.open(first.seal(b"secret")) == b"secret"
    assert first.fingerprint() == second.fingerprint()
    assert first.mac("csrf", b"x") == second.mac("csrf", b"x") != second.mac("cursor", b"x")


def test_two_installations_have_nothing_in_common(tmp_path: Path):
    one, other = open_keyring(settings(tmp_path / "a")), open_keyring(settings(tmp_path / "b"))
    assert one.fingerprint() != other.fingerprint()
    with pytest.raises(SealBroken):
        other.open(one.seal(b"secret"))


@pytest.mark.parametrize("name", ["", "hmac_key", "encryption_keys", "signing_key", "metrics_token"])
def test_a_wider_mode_stops_the_start_and_says_what_to_do(tmp_path: Path, name: str):
    open_keyring(settings(tmp_path))
    path = tmp_path / "data" / "secrets" / name
    path.chmod(path.stat().st_mode | 0o040)
    with pytest.raises(SecretsExposed) as raised:
        open_keyring(settings(tmp_path))
    assert "chmod" in (raised.value.advice or "")


def test_a_secret_that_is_a_link_elsewhere_is_not_followed(tmp_path: Path):
    open_keyring(settings(tmp_path))
    path = tmp_path / "data" / "secrets" / "hmac_key"
    path.unlink()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.touch(0o600)
    path.symlink_to(elsewhere)
    with pytest.raises(OSError, match="symbolic links"):
        open_keyring(settings(tmp_path))


def test_configured_secrets_are_used_and_nothing_is_written(tmp_path: Path):
    made = open_keyring(settings(tmp_path / "a"))
    kept = {path.name: SecretStr(path.read_text()) for path in (tmp_path / "a" / "data" / "secrets").iterdir()}
    given = open_keyring(settings(tmp_path / "b", **kept))
    assert given.fingerprint() == made.fingerprint()
    assert not (tmp_path / "b").exists()


def test_old_keys_open_what_they_sealed_while_new_ones_seal(tmp_path: Path):
    old = open_keyring(settings(tmp_path))
    old_keys = (tmp_path / "data" / "secrets" / "encryption_keys").read_text().strip()
    new_key = (
        open_keyring(settings(tmp_path / "other"))
        and (tmp_path / "other" / "data" / "secrets" / "encryption_keys").read_text().strip()
    )
    rotated = open_keyring(settings(tmp_path, encryption_keys=SecretStr(f"{new_key},{old_keys}")))
    sealed = old.seal(b"secret")
    assert rotated.open(sealed) == b"secret"
    assert not rotated.is_current(sealed)
    assert rotated.is_current(rotated.seal(b"x"))
    assert rotated.fingerprint() != old.fingerprint()


@pytest.mark.parametrize(
    "given",
    [
        {"encryption_keys": "nokey"},
        {"encryption_keys": "a:short"},
        {"hmac_key": "secret"},
        {"signing_key": "AAAA"},
        {"metrics_token": "x"},
    ],
)
def test_a_secret_of_the_wrong_form_stops_the_start_without_showing_it(tmp_path: Path, given: dict[str, str]):
    with pytest.raises(SecretUnusable) as raised:
        open_keyring(settings(tmp_path, **{name: SecretStr(value) for name, value in given.items()}))
    assert next(iter(given.values())) not in raised.value.message.split()


def test_a_keyring_shows_no_secret(tmp_path: Path):
    ring = open_keyring(settings(tmp_path))
    assert ring.metrics_token not in repr(ring)
    assert ring.hmac_key.decode() not in repr(ring)
