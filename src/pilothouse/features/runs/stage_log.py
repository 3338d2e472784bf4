"""What blocks say while they run."""

import structlog

from pilothouse.kit.json import Json

_log = structlog.get_logger()


class StageLog:
    """What a block says, with the step that said it. Message text stays out of the process log."""

    def __init__(self, run_id: str, step_id: int) -> None:
        self._bound = _log.bind(run_id=run_id, step_id=step_id)

    def info(self, message: str, **facts: Json) -> None:
        self._bound.debug("block.said", length=len(message), facts=sorted(facts))

    def warning(self, message: str, **facts: Json) -> None:
        self._bound.debug("block.warned", length=len(message), facts=sorted(facts))
