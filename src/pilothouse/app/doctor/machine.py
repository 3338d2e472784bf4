"""Checks of this machine: versions, directory, secrets, disk, settings."""

import fcntl
import os
import platform
import shutil
import sqlite3
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

from pilothouse import __version__
from pilothouse.app.doctor.finding import Finding, fail, ok, warn
from pilothouse.app.production import unsafe_in
from pilothouse.base.settings import Settings
from pilothouse.base.settings_sources import Reading

LITTLE = 1024**3
TOO_LITTLE = 100 * 1024**2


def versions() -> Finding:
    words = f"Pilothouse {__version__}, Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}."
    if sqlite3.sqlite_version_info < (3, 35):
        return fail("versions", words, "SQLite 3.35 or newer is needed.")
    return ok("versions", words)


def settings_names(reading: Reading) -> Finding:
    if reading.warnings:
        return warn("settings", " ".join(reading.warnings), "Correct or remove these names.")
    return ok("settings", "Every name is known and every value fits.")


def production(settings: Settings) -> Finding:
    faults = list(unsafe_in(settings))
    if settings.env == "production":
        if faults:
            return fail("production", " ".join(faults), "Mend these: the server refuses to start with them.")
        return ok("production", "Fit to be public.")
    if urlsplit(settings.public_url).hostname not in {"localhost", "127.0.0.1", "::1"}:
        return warn("production", "The public URL is not local.", "Set PILOTHOUSE_ENV=production.")
    return ok("production", "A private installation (PILOTHOUSE_ENV=local).")


def data_directory(settings: Settings) -> Finding:
    place = settings.data_dir
    if not place.exists():
        return warn("data directory", f"{place} does not exist yet.", "It is made at the first start.")
    if not place.is_dir() or not os.access(place, os.R_OK | os.W_OK | os.X_OK):
        return fail("data directory", f"{place} cannot be written.", "Let the user who runs Pilothouse own it.")
    if place.stat().st_mode & 0o022:
        return warn("data directory", f"Others can write into {place}.", f"Run: chmod 0700 {place}")
    return ok("data directory", f"{place} can be used.")


def secrets(settings: Settings) -> Finding:
    place = settings.data_dir / "secrets"
    if not place.exists():
        return ok("secrets", "None are kept here yet; they are made at the first start.")
    wide = [path for path in (place, *place.iterdir()) if path.stat().st_mode & 0o077]
    if wide:
        remedy = "Run: " + "; ".join(f"chmod {0o700 if path.is_dir() else 0o600:04o} {path}" for path in wide)
        return fail("secrets", "Other users of this machine can read secrets.", remedy)
    return ok("secrets", "Only this user can read them.")


def disk(settings: Settings) -> Finding:
    place = next(path for path in (settings.data_dir, *settings.data_dir.parents) if path.exists())
    free = shutil.disk_usage(place).free
    words = f"{free / 1024**3:.1f} GB free."
    if free < TOO_LITTLE:
        return fail("disk", words, "Make room: without it nothing can be accepted.")
    if free < LITTLE:
        return warn("disk", words, "Make room soon.")
    return ok("disk", words)


def file_store(settings: Settings) -> Finding:
    """Write, read and remove a file where files are kept."""
    place = settings.files_dir if settings.files_dir.exists() else settings.data_dir
    if not place.exists():
        return ok("file store", "Nothing is kept yet.")
    try:
        with tempfile.NamedTemporaryFile(dir=place, prefix=".doctor-") as file:
            file.write(b"pilothouse")
            file.flush()
            whole = Path(file.name).read_bytes() == b"pilothouse"
    except OSError as error:
        return fail("file store", f"{place}: {error.strerror}.", "Check the disk and who owns the directory.")
    if not whole:
        return fail("file store", f"{place} gives back other bytes than it was given.", "Check the disk.")
    return ok("file store", f"{place} takes and gives files.")


def is_served(data_dir: Path) -> bool:
    """Whether a process holds the directory's lock; looks without taking it for long."""
    try:
        descriptor = os.open(data_dir / "serve.lock", os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False
