"""What is measured, and what is killed in the thousands, lies on a disk; the rest may lie in memory."""

from pathlib import Path

import pytest

from tests import places

MOUNTS = """\
/dev/vda / ext4 rw 0 0
tmpfs /tmp tmpfs rw 0 0
/dev/vdb /tmp/disk xfs rw 0 0
tmpfs /home tmpfs rw 0 0
/dev/vdc /home ext4 rw 0 0
"""


@pytest.fixture
def mounts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mounts").write_text(MOUNTS)
    monkeypatch.setattr(places, "MOUNTS", tmp_path / "mounts")


@pytest.mark.usefixtures("mounts")
@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/", "ext4"),
        ("/srv/a", "ext4"),
        ("/tmp", "tmpfs"),
        ("/tmp/disk/a", "xfs"),
        ("/tmpfs", "ext4"),
        ("/home", "ext4"),
    ],
)
def test_the_innermost_and_latest_mount_counts(folder: str, kind: str):
    assert places.filesystem_of(Path(folder)) == kind


@pytest.mark.usefixtures("mounts")
def test_a_folder_in_memory_is_passed_over(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(places.tempfile, "gettempdir", lambda: "/tmp")
    assert places.disk_place() == Path("/var/tmp")


def test_without_any_disk_it_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "mounts").write_text("tmpfs / tmpfs rw 0 0\n")
    monkeypatch.setattr(places, "MOUNTS", tmp_path / "mounts")
    with pytest.raises(places.DiskMissing, match="TMPDIR"):
        places.disk_place()


def test_the_full_fault_run_stays_on_the_disk(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("FAULTS", "full")
    assert places.filesystem_of(places.quick_place()) not in places.KEPT_IN_MEMORY
