"""How much a model can read at once."""

from functools import cache
from typing import Final

from genai_prices import data_snapshot

UNKNOWN: Final = 128_000
# What providers sell beyond this is dear and not open to every key: only the setting goes further.
MOST: Final = 200_000


@cache
def window_of(slug: str, told: int | None = None) -> int:
    """Tokens of a model's window: as the settings tell, else as is known of it, else what most have."""
    if told is not None:
        return told
    name = slug.rsplit("/", 1)[-1]
    try:
        _, model = data_snapshot.get_snapshot().find_provider_model(name, None, None, None)
    except LookupError:
        return UNKNOWN
    return min(model.context_window or UNKNOWN, MOST)
