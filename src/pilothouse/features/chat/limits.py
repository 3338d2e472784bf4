"""The numbers of chat, each defined once."""

KIND = "turn.advance"

MAX_RUNNING_TURNS = 5
MAX_TURNS_IN_FLIGHT = 15
MAX_ATTEMPTS = 3

MAX_MESSAGE = 64_000
MAX_CONTEXT_URL = 2_000
MAX_CONTEXT_CONTENT = 32_000
MAX_FILE_IDS = 20

MAX_PENDING_MESSAGES = 10
MAX_PENDING_MESSAGE = 32_000
PENDING_CALL_LIMIT = 30
PENDING_WINDOW_MICROS = 60_000_000

CANCEL_POLL_SECONDS = 0.5
CANCEL_CONFIRM_SECONDS = 5.0
HEARTBEAT_SECONDS = 8.0

MAX_FRAME = 64 * 1024
EXCERPT = 2_000
TITLE_LENGTH = 50


def lane_of(user_id: str) -> str:
    """A turn has one lane."""
    return f"turn/{user_id}"


def user_channel(user_id: str) -> str:
    """Where a user's pages hear that one of the sessions changed."""
    return f"user/{user_id}"
