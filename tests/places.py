"""Where the files of a test run lie: in memory, which is quick, or on a disk, where the disk is part of the matter."""

import os
import shutil
import tempfile
from pathlib import Path

MEMORY = Path("/dev/shm")
ROOM = 4 * 1024**3  # bytes; PostgreSQL's log alone may take one of these gigabytes
MOUNTS = Path("/proc/self/mounts")
KEPT_IN_MEMORY = {"tmpfs", "ramfs"}


class DiskMissing(RuntimeError):
    """Every folder for passing files lies in memory, where a commit waits for no disk."""

    def __init__(self) -> None:
        super().__init__("no folder for temporary files is on a disk: set TMPDIR to one")


def quick_place() -> Path:
    """In memory, if there is room: a database is a thousand files, which takes a disk up to 0.4 s.

    The full fault run stays on the disk: its seconds to recovery count the commits on the way.
    """
    if os.environ.get("FAULTS") == "full":
        return disk_place()
    if not os.access(MEMORY, os.W_OK) or shutil.disk_usage(MEMORY).free < ROOM:
        return Path(tempfile.gettempdir())
    return MEMORY


def disk_place() -> Path:
    """On a disk, so that a durable commit costs here what it costs a user."""
    for folder in (Path(tempfile.gettempdir()), Path("/var/tmp"), Path.home()):
        if os.access(folder, os.W_OK) and filesystem_of(folder) not in KEPT_IN_MEMORY:
            return folder
    raise DiskMissing


def filesystem_of(folder: Path) -> str:
    """`ext4`, `tmpfs`, ...; of the innermost mount that holds the folder."""
    if not MOUNTS.exists():
        return "unknown"
    inside = {folder.resolve(), *folder.resolve().parents}
    mounts = [line.split()[1:3] for line in MOUNTS.read_text().splitlines()]
    held = [
        (len(Path(point).parts), number, kind) for number, (point, kind) in enumerate(mounts) if Path(point) in inside
    ]
    return max(held)[2]  # of two mounts at one place the later one is seen
