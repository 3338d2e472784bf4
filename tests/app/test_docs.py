"""The reference tells every setting and every command, and none that is not there."""

import re
from pathlib import Path

from pilothouse.app.cli.lazy import COMMANDS, load
from pilothouse.base.settings_sources import NAMES, PREFIX

REFERENCE = Path(__file__).resolve().parents[2] / "docs" / "reference"


def test_every_setting_is_in_the_reference():
    told = set(re.findall(r"`(PILOTHOUSE_[A-Z_]+)`", (REFERENCE / "settings.md").read_text()))
    assert told - {"PILOTHOUSE_X", "PILOTHOUSE_X_FILE"} == {PREFIX + name.upper() for name in NAMES}


def test_every_command_is_in_the_reference():
    text = (REFERENCE / "cli.md").read_text()
    told = {name for name in re.findall(r"`([a-z-]+)(?= |`)", text)}
    assert COMMANDS.keys() <= told
    for name in ("user", "key", "runs", "agent"):
        for part in load(name).commands:
            assert f"`{name} {part}" in text
