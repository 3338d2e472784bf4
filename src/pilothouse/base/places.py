"""Where things are kept on this machine."""

import os
import sys
from pathlib import Path


def default_data_dir() -> Path:
    """The per-user data directory of this platform."""
    if configured := os.environ.get("XDG_DATA_HOME"):
        return Path(configured) / "pilothouse"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "pilothouse"
    return Path.home() / ".local" / "share" / "pilothouse"
