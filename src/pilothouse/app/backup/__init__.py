"""Backups: one portable file for both databases, consistent as of one instant, restored held."""

from pilothouse.app.backup.make import Backup, make_backup
from pilothouse.app.backup.restore import Restored, restore_backup

__all__ = ["Backup", "Restored", "make_backup", "restore_backup"]
