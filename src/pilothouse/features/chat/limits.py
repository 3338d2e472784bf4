"""The numbers of chat, each defined once."""

KIND = "turn.advance"
HEARD = "@heard"  # the kind of fact that tells a turn of a message that waits for it

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
MAX_FOUND_IN = 200_000  # characters of what is said in a turn that a session is found by
MAX_BACKGROUND_TASKS = 32  # of one session
MAX_TOOL_TEXT = 70_000  # characters of one result that a model is shown, as JSON
MAX_TOOL_READ = 50_000  # characters of a stored result that are read at once
MAX_TOOL_READ_JSON = 65_000  # and of the JSON they are told in, which must not be cut again
MAX_NESTING = 3  # sub-sessions below a session that is nobody's
MAX_SYSTEM_CONTEXT = 16_000
PROGRESS_MESSAGES = 5
PROGRESS_CHARACTERS = 400
TITLE_LENGTH = 50


def lane_of(user_id: str) -> str:
    """A turn has one lane."""
    return f"turn/{user_id}"


def user_channel(user_id: str) -> str:
    """Where a user's pages hear that one of the sessions changed."""
    return f"user/{user_id}"
