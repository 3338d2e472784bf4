"""What a session is found by: its title and what was said in it, stored as it is compared.

Databases fold differently (SQLite only the letters of ASCII), so it is done here, for what is kept and what is sought.
"""

import unicodedata
from collections.abc import Mapping

from pilothouse.features.chat.limits import MAX_FOUND_IN


def folded(text: str) -> str:
    """Equal for texts that differ in case alone, or in how an accent was typed; without what no database takes."""
    return unicodedata.normalize("NFC", text.casefold()).replace("\x00", "")


def found_in(said: Mapping[str, str]) -> str:
    """What AutoPilot said in a turn, as far as it is searched."""
    return folded("\n".join(said.values())[:MAX_FOUND_IN])
