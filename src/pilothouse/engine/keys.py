"""Keys that name one effect for ever."""

from hashlib import sha256


def idempotency_key(run_id: str, step_id: int, label: str = "") -> str:
    """Equal over crashes and retries of a step, new in another run; `label` tells apart several effects of one step."""
    return sha256(f"{run_id}/{step_id}/{label}".encode()).hexdigest()
