"""When a failed step is tried again."""

from pilothouse.engine.ports import StepFailed
from pilothouse.graph.document import Retry


def may_retry(retry: Retry, attempt: int, failure: StepFailed) -> bool:
    """Whether the policy allows another attempt after this one."""
    return attempt < retry.max_attempts and (failure.retryable or retry.on == "any")


def backoff_s(retry: Retry, attempt: int, retry_after: float | None, chance: float) -> float:
    """Seconds to rest after `attempt`; `chance` in [0, 1) spreads them. What the other side asked for is obeyed."""
    rest = min(retry.backoff_s * retry.factor ** (attempt - 1), retry.max_backoff_s)
    rest *= 1 + retry.jitter * (2 * chance - 1)
    return max(min(rest, retry.max_backoff_s), retry_after or 0.0)
